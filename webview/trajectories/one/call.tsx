import { type ComponentChildren } from "preact";
import type { ToolCall } from "../../../src/schema/trajectory";
import type { Speech } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import type { Viewer } from "../viewer";
import { JsonTree } from "./jsonTree";
import { Plain } from "./text";
import { argumentsLine } from "./values";

export interface CallProps {
  readonly viewer: Viewer;
  readonly call: ToolCall;
  /** Length of what the model wrote, where it came cut. */
  readonly cut: number | null;
  readonly raw: string;
  readonly open: boolean;
  readonly showsRaw: boolean;
  readonly stop: number;
  readonly onOpen: () => void;
  readonly onRaw: () => void;
  readonly onAnswer: (position: number) => void;
  readonly rest: (shown: number) => ComponentChildren;
}

/** A tool call: `name(a: "x")`, unfolded to a tree, what the model wrote one click away, its answer one more. */
export function Call(props: CallProps) {
  const { viewer, call, cut, raw, open, showsRaw, stop } = props;
  const speech = viewer.speech.value;
  const { t } = speech;
  const understood = call.problem === null || call.problem === "encoded-twice";
  const parsed = understood && cut === null && call.arguments !== null;
  const line = parsed ? argumentsLine(call.arguments) : raw.slice(0, 240);
  const [answer] = call.answers;
  return (
    <div class={`call${call.problem === null ? "" : " wrong"}`}>
      <div class="call-line">
        <Icon name="tools" />
        <span class="said">{t("tool call:")} </span>
        <button
          type="button"
          class="fold call-text"
          tabIndex={stop}
          aria-expanded={open}
          onClick={props.onOpen}
        >
          <Plain text={call.name} />(
          <span class="call-arguments">
            <Plain text={line} />
          </span>
          )
        </button>
        {call.problem !== null && <span class="tag wrong">✗ {problemWord(call.problem, speech)}</span>}
        <span class="grow" />
        <button type="button" class="link" tabIndex={stop} aria-expanded={showsRaw} onClick={props.onRaw}>
          {t("raw")}
        </button>
        {answer === undefined ? (
          <span class="quiet">{t("no answer")}</span>
        ) : (
          <button type="button" class="link" tabIndex={stop} onClick={() => props.onAnswer(answer)}>
            {t("to its answer")}
          </button>
        )}
      </div>
      {open && parsed && <JsonTree value={call.arguments} speech={speech} stop={stop} />}
      {(showsRaw || (open && !parsed)) && (
        <>
          <pre class="call-raw">
            <Plain text={raw} />
          </pre>
          {props.rest(raw.length)}
        </>
      )}
    </div>
  );
}

function problemWord(problem: NonNullable<ToolCall["problem"]>, { t }: Speech): string {
  switch (problem) {
    case "not-json":
      return t("arguments are not JSON");
    case "not-an-object":
      return t("arguments are not an object");
    case "encoded-twice":
      return t("arguments are encoded twice");
  }
}
