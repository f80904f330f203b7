import { useMemo } from "preact/hooks";
import { Visible } from "../../shared/visibleText";
import { ansiParts, isAnsi } from "./ansi";
import { diffLines, type DiffLine, isDiff } from "./diffText";
import { MarkdownView } from "./markdownView";

/** Longer texts are shown plain: colours and marks of so much text are of no use to a reader. */
const MOST_RICH = 60_000;
const HIDDEN_QUICK = /[^\P{C}\n\t]|[\u00a0\u2028\u2029]/u;

/** A stranger's text as it is, with what can't be seen as symbols. */
export function Plain({ text }: { readonly text: string }) {
  // Nearly every text has nothing hidden: one look instead of one for each character.
  if (!HIDDEN_QUICK.test(text)) return <>{text}</>;
  return <Visible text={text} />;
}

/** What a text is shown as, by its look alone. */
export type TextForm = "plain" | "terminal" | "diff";

export function formOf(text: string): TextForm {
  if (text.length > MOST_RICH) return "plain";
  if (isAnsi(text)) return "terminal";
  return isDiff(text) ? "diff" : "plain";
}

export interface TextBodyProps {
  readonly text: string;
  readonly markdown: boolean;
  readonly label?: string;
}

export function TextBody({ text, markdown, label }: TextBodyProps) {
  const name = label === undefined ? {} : { role: "group" as const, "aria-label": label };
  return useMemo(() => {
    const form = formOf(text);
    if (form === "terminal")
      return (
        <div class="text-block terminal" {...name}>
          <Terminal text={text} />
        </div>
      );
    if (form === "diff")
      return (
        <div class="text-block diff" {...name}>
          <Diff text={text} />
        </div>
      );
    if (markdown && text.length <= MOST_RICH)
      return (
        <div class="markdown" dir="auto" {...name}>
          <MarkdownView text={text} />
        </div>
      );
    return (
      // dir=auto: a right-to-left text reads as it should and can't reorder what stands around it.
      <div class="text-block" dir="auto" {...name}>
        <Plain text={text} />
      </div>
    );
  }, [text, markdown, label]);
}

function Terminal({ text }: { readonly text: string }) {
  return (
    <>
      {ansiParts(text).map((part, at) => {
        if (part.kind === "escape")
          return (
            <span key={at} class="hidden-character">
              <Plain text={part.text} />
            </span>
          );
        return part.classes.length === 0 ? (
          <Plain key={at} text={part.text} />
        ) : (
          <span key={at} class={part.classes.join(" ")}>
            <Plain text={part.text} />
          </span>
        );
      })}
    </>
  );
}

function Diff({ text }: { readonly text: string }) {
  return (
    <>
      {grouped(diffLines(text)).map(({ kind, text: lines }, at) => (
        <div key={at} class={`diff-${kind}`}>
          <Plain text={lines} />
        </div>
      ))}
    </>
  );
}

/** Lines of one kind that follow one another, together. */
function grouped(lines: readonly DiffLine[]): DiffLine[] {
  const groups: DiffLine[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.kind === line.kind) groups[groups.length - 1] = { ...last, text: `${last.text}\n${line.text}` };
    else groups.push(line);
  }
  return groups;
}
