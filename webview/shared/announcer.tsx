import { type ReadonlySignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { AnnouncerQueue } from "./announcerQueue";
import { Icon } from "./controls";
import type { Said } from "./said";

/**
 * Says texts to screen readers, politely: the newest of those that come fast one after another. A failure can be seen,
 * too, until the next text or a click.
 */
export function Announcer({ said }: { readonly said: ReadonlySignal<Said> }) {
  const [shown, setShown] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [queue] = useState(() => new AnnouncerQueue(setShown));
  useEffect(
    () =>
      said.subscribe(({ text, failed = false }) => {
        setFailure(failed ? text : null);
        if (!failed) queue.say(text);
      }),
    [said, queue],
  );
  useEffect(() => () => queue.dispose(), [queue]);
  return (
    <>
      <div role="status" aria-live="polite" class="said">
        {shown}
      </div>
      <div role="alert" class={failure === null ? "said" : "failed-act"} onClick={() => setFailure(null)}>
        {failure !== null && (
          <>
            <Icon name="error" /> {failure}
          </>
        )}
      </div>
    </>
  );
}
