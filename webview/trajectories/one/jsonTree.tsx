import { useState } from "preact/hooks";
import { formatCount, type Speech } from "../../../src/words/format";
import { Plain } from "./text";
import { shapeOf, shortValue } from "./values";

const MOST_ENTRIES = 200;
const MOST_STRING = 20_000;
const MOST_DEPTH = 40;

export interface JsonTreeProps {
  readonly value: unknown;
  readonly speech: Speech;
  /** Tab stops of what can be unfolded: 0 or -1. */
  readonly stop: number;
  readonly depth?: number;
}

/** A JSON value as a tree; what is deeper than the first two levels is drawn when it is unfolded. */
export function JsonTree({ value, speech, stop, depth = 0 }: JsonTreeProps) {
  const shape = shapeOf(value);
  const [most, setMost] = useState(MOST_ENTRIES);
  if (shape.kind === "string")
    return (
      <span class="json-string">
        "<Plain text={shape.text.slice(0, MOST_STRING)} />
        {shape.text.length > MOST_STRING ? "…" : ""}"
      </span>
    );
  if (shape.kind === "other") return <span class="json-other">{shape.text}</span>;
  const { kind, entries } = shape;
  if (entries.length === 0) return <span class="json-other">{kind === "array" ? "[]" : "{}"}</span>;
  if (depth >= MOST_DEPTH) return <span class="quiet">{shortValue(value)}</span>;
  return (
    <ul class="json-tree">
      {entries.slice(0, most).map(([key, item]) => (
        <li key={key}>
          <Entry name={key} value={item} speech={speech} stop={stop} depth={depth} />
        </li>
      ))}
      {entries.length > most && (
        <li>
          <button type="button" class="link" tabIndex={stop} onClick={() => setMost(most + 5 * MOST_ENTRIES)}>
            {speech.t("Show More ({0} left)", formatCount(entries.length - most, speech.language))}
          </button>
        </li>
      )}
    </ul>
  );
}

function Entry(props: JsonTreeProps & { readonly name: string }) {
  const { name, value, speech, stop, depth = 0 } = props;
  const shape = shapeOf(value);
  const folds = (shape.kind === "object" || shape.kind === "array") && shape.entries.length > 0;
  const [open, setOpen] = useState(depth < 1);
  const key = (
    <span class="json-key">
      <Plain text={name} />
    </span>
  );
  if (!folds)
    return (
      <>
        {key}: <JsonTree value={value} speech={speech} stop={stop} depth={depth + 1} />
      </>
    );
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary tabIndex={stop}>
        {key}: <span class="quiet">{open ? "" : shortValue(value)}</span>
      </summary>
      {open && <JsonTree value={value} speech={speech} stop={stop} depth={depth + 1} />}
    </details>
  );
}
