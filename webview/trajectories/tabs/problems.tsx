import { batch, effect, signal, untracked } from "@preact/signals";
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { TrajectoryProblem } from "../../../src/schema/trajectory";
import { formatCount } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import { modelOf } from "../models";
import { Plain } from "../one/text";
import { OptionList } from "../optionList";
import { Pages } from "../pages";
import { TIMEOUT_MS, type Viewer } from "../viewer";
import { problemWord } from "../words";

const SIZE = 100;

class ProblemsModel {
  readonly pages = new Pages<z.output<typeof TrajectoryProblem>>(SIZE, 20);
  readonly shown = signal({ pages: this.pages });
  readonly failure = signal<string | null>(null);
  readonly active = signal(0);
  readonly #viewer: Viewer;
  #window = { first: 0, last: 40 };

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
    effect(() => {
      const key = String(viewer.resetSeq.value);
      const seq = viewer.progress.value?.problems ?? 0;
      untracked(() => {
        this.pages.ask(key, seq);
        if (viewer.state.value.tab === "problems") this.#fill();
      });
    });
  }

  show(first: number, last: number): void {
    this.#window = { first, last: Math.max(first + 1, last) };
    this.#fill();
  }

  #fill(): void {
    for (const index of this.pages.need(this.#window.first, this.#window.last)) void this.#fetch(index);
  }

  async #fetch(index: number): Promise<void> {
    const { key, seq } = this.pages;
    try {
      const answer = await this.#viewer.connection.data.problems(
        { from: index * SIZE, count: SIZE },
        { timeoutMs: TIMEOUT_MS },
      );
      batch(() => {
        if (this.pages.take(index, key, seq, answer.problems, answer.total))
          this.shown.value = { pages: this.pages };
      });
    } catch (error) {
      this.pages.fail(index, key);
      this.failure.value = this.#viewer.sentence(error);
    }
  }
}

const problemsModel = modelOf((viewer) => new ProblemsModel(viewer));

/** What could not be read, each with its line; the rest is. */
export function ProblemsTab({ viewer }: { readonly viewer: Viewer }) {
  const model = problemsModel(viewer);
  const speech = viewer.speech.value;
  const { t, language } = speech;
  const { pages } = model.shown.value;
  const files = viewer.info.value?.files ?? [];
  const [onWindow] = useState(() => (first: number, last: number) => model.show(first, last));
  const known = viewer.progress.value?.problems ?? 0;
  const count = pages.total ?? known;
  if (count === 0)
    return (
      <div class="tab-view">
        <p class="notice quiet">{t("No problems: every record could be read.")}</p>
      </div>
    );
  return (
    <div class="tab-view">
      <p class="tab-tools quiet">
        {t(
          "{0} problems; all other records are read, and nothing is rewritten.",
          formatCount(count, language),
        )}
      </p>
      {model.failure.value !== null && (
        <p role="alert" class="bar">
          {model.failure.value}
        </p>
      )}
      <OptionList
        id="problem"
        class="problems"
        count={count}
        rowHeight={44}
        label={t("Problems. Enter opens the line in the text editor.")}
        active={model.active.value}
        onActive={(at) => (model.active.value = at)}
        onOpen={() => void openProblem(viewer, pages.row(model.active.value)?.row)}
        onWindow={onWindow}
        row={(at) => {
          const problem = pages.row(at)?.row;
          if (!problem) return "…";
          return (
            <>
              <div>
                <Icon name="warning" /> <strong>{problemWord(problem.code, speech)}</strong>{" "}
                <span class="quiet">
                  <Plain text={files[problem.file] ?? String(problem.file + 1)} />,{" "}
                  {t("line {0}", formatCount(problem.line, language))}
                </span>
              </div>
              <div class="hit-text">
                <Plain text={problem.message.replace(/\s+/gu, " ")} />
              </div>
            </>
          );
        }}
      />
    </div>
  );
}

/**
 * Opens the source. The host's act names trajectories, not lines: the nearest one of the same file leads there, and
 * what is said has the line.
 */
async function openProblem(
  viewer: Viewer,
  problem: z.output<typeof TrajectoryProblem> | undefined,
): Promise<void> {
  if (!problem) return;
  const { t, language } = viewer.speech.value;
  const file = viewer.info.value?.files[problem.file];
  try {
    const filter = file === undefined ? "" : `file:"${file.replace(/["\\]/gu, "\\$&")}"`;
    const { rows, total } = await viewer.connection.data.page(
      { query: { filter, sort: "index", descending: false }, from: 0, count: 500 },
      { timeoutMs: TIMEOUT_MS },
    );
    if (total > 500 || rows.length > 0) {
      const near = rows.findLast(({ line }) => line <= problem.line) ?? rows[0];
      if (near) await viewer.act("openSource", [near.index]);
    } else await viewer.act("openSource", []);
    viewer.say(t("The problem is in line {0}.", formatCount(problem.line, language)));
  } catch (error) {
    viewer.fail(error);
  }
}
