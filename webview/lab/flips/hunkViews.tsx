import type { Hunk } from "../../../src/schema/lab";
import { formatCount, type Speech } from "../../../src/words/format";
import type { Lab } from "../lab";
import { revealLine } from "../reveal";
import { diffLines, type HunkChoice, type HunkIndex } from "./hunkIndex";

/** Name of a hunk by its place in the list, from 1: ids are the engine's. */
export function hunkName(index: HunkIndex, id: number, { t }: Speech): string {
  return t("change {0}", index.hunks.findIndex((hunk) => hunk.id === id) + 1);
}

interface ChipsProps {
  readonly index: HunkIndex;
  readonly choice: HunkChoice;
  readonly onChoose: (choice: HunkChoice) => void;
  readonly speech: Speech;
}

/** Filter of the flips by what caused them, and what could not be tried. */
export function HunkChips({ index, choice, onChoose, speech }: ChipsProps) {
  const { t, language } = speech;
  const chip = (value: HunkChoice, text: string, title: string) => (
    <button
      type="button"
      class="chip"
      key={String(value)}
      aria-pressed={choice === value}
      title={title}
      onClick={() => onChoose(choice === value ? null : value)}
    >
      {text}
    </button>
  );
  return (
    <div class="f-chips" role="group" aria-label={t("Flips by what caused them")}>
      {chip(null, t("all"), t("All flips"))}
      {index.hunks.map((hunk) => {
        const name = hunkName(index, hunk.id, speech);
        const failed = index.failed.has(hunk.id);
        return chip(
          hunk.id,
          failed
            ? t("{0} (line {1}): can't be scored alone", name, hunk.now.from)
            : t(
                "{0} (line {1}): {2}",
                name,
                hunk.now.from,
                formatCount(index.counts.get(hunk.id) ?? 0, language),
              ),
          failed ? (index.failed.get(hunk.id) ?? "") : t("Flips that this change causes alone"),
        );
      })}
      {index.together > 0 &&
        chip(
          "together",
          t("only together: {0}", formatCount(index.together, language)),
          t("Flips that no change causes alone"),
        )}
      {index.otherFiles.length > 0 && (
        <span class="quiet">
          {t("Not taken apart, though they differ too: {0}", index.otherFiles.join(", "))}
        </span>
      )}
    </div>
  );
}

interface HunkProps {
  readonly lab: Lab;
  readonly index: HunkIndex;
  readonly hunk: Hunk;
  readonly speech: Speech;
}

/** A change as removed and added lines; a click shows the line in the editor. */
export function HunkView({ lab, index, hunk, speech }: HunkProps) {
  const { t } = speech;
  const reveal = (line: number): void => revealLine(lab, Math.max(1, line));
  const failed = index.failed.get(hunk.id);
  return (
    <section class="f-hunk" aria-label={hunkName(index, hunk.id, speech)}>
      <h4>
        {hunkName(index, hunk.id, speech)}{" "}
        <button type="button" class="link" onClick={() => reveal(hunk.now.from)}>
          {t("line {0}", hunk.now.from)}
        </button>
      </h4>
      {failed !== undefined && (
        <p class="f-failed">
          <span class="codicon codicon-error" aria-hidden="true" />{" "}
          {t("This change alone can't be scored: {0}", failed)}
        </p>
      )}
      <div class="f-lines">
        {diffLines(hunk).map(({ kind, line, text }) => (
          <button
            type="button"
            key={`${kind} ${line}`}
            class={`f-line ${kind}`}
            onClick={() => reveal(kind === "added" ? line : hunk.now.from)}
          >
            <span class="f-at">{line}</span>
            <span class="f-sign" aria-hidden="true">
              {kind === "added" ? "+" : "−"}
            </span>
            <span class="sr">{kind === "added" ? t("added") : t("removed")} </span>
            <code>{text === "" ? " " : text}</code>
          </button>
        ))}
      </div>
    </section>
  );
}
