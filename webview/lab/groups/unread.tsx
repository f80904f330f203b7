import type { Speech } from "../../../src/words/format";

interface UnreadProps {
  readonly says: string;
  readonly onRetry: () => void;
  readonly speech: Speech;
}

/** What a view asked for can't be had: why, and the button that asks again. */
export function Unread({ says, onRetry, speech }: UnreadProps) {
  return (
    <p class="notice" role="alert">
      {says}{" "}
      <button type="button" onClick={onRetry}>
        {speech.t("Try Again")}
      </button>
    </p>
  );
}
