import { batch, signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { SearchHit } from "../../../src/schema/trajectoryView";
import { formatCount } from "../../../src/words/format";
import { Icon, IconButton } from "../../shared/controls";
import { modelOf } from "../models";
import { oneModel } from "../one/model";
import { Plain } from "../one/text";
import { OptionList } from "../optionList";
import type { Viewer } from "../viewer";

const AT_ONCE = 200;
/** Then the user says whether to go on. */
const PAUSE_AT = 1000;
const MOST = 10_000;

/** Search over every text of the source: goes on by itself until there is enough to look at, stops when told. */
export class SearchModel {
  readonly hits = signal<readonly SearchHit[]>([]);
  readonly running = signal(false);
  /** Null: all is searched, or nothing was asked for. */
  readonly cursor = signal<string | null>(null);
  readonly share = signal<number | null>(null);
  readonly matchCase = signal(false);
  readonly failure = signal<string | null>(null);
  readonly active = signal(0);
  readonly asked = signal("");
  readonly #viewer: Viewer;
  #abort = new AbortController();

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
  }

  start(text: string): void {
    this.stop();
    batch(() => {
      this.asked.value = text;
      this.hits.value = [];
      this.cursor.value = null;
      this.share.value = null;
      this.failure.value = null;
      this.active.value = 0;
      this.#viewer.set({ search: text, ...(text === "" ? {} : { tab: "search" as const }) });
    });
    if (text !== "") void this.go(PAUSE_AT);
  }

  stop(): void {
    this.#abort.abort();
    this.running.value = false;
  }

  async go(until: number): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.running.value = true;
    const { t, language } = this.#viewer.speech.value;
    try {
      do {
        const answer = await this.#viewer.connection.data.search(
          {
            text: this.asked.value,
            matchCase: this.matchCase.value,
            cursor: this.cursor.value,
            limit: AT_ONCE,
          },
          { signal: abort.signal, timeoutMs: 60_000 },
        );
        if (abort.signal.aborted) return;
        batch(() => {
          this.hits.value = [...this.hits.value, ...answer.hits].slice(0, MOST);
          this.cursor.value = answer.cursor;
          this.share.value = answer.bytes > 0 ? Math.min(1, answer.bytesDone / answer.bytes) : null;
        });
      } while (this.cursor.value !== null && this.hits.value.length < until && this.hits.value.length < MOST);
      this.#viewer.say(t("{0} hits", formatCount(this.hits.value.length, language)));
    } catch (error) {
      if (abort.signal.aborted) return;
      this.failure.value = this.#viewer.sentence(error);
    } finally {
      if (this.#abort === abort) this.running.value = false;
    }
  }
}

export const searchModel = modelOf((viewer) => new SearchModel(viewer));

export function SearchTab({ viewer }: { readonly viewer: Viewer }) {
  const model = searchModel(viewer);
  const { t, language } = viewer.speech.value;
  const hits = model.hits.value;
  const running = model.running.value;
  const share = model.share.value;
  const asked = model.asked.value;
  const kept = viewer.state.value.search;
  // After a reload what was searched for is still there: one press searches it again.
  const [matchCase, setMatchCase] = useState(model.matchCase.value);
  if (asked === "")
    return (
      <div class="tab-view">
        <p class="notice">
          {t("Search finds a text in every message of every trajectory. Type it into the search box above.")}{" "}
          {kept !== "" && (
            <button type="button" class="link" onClick={() => model.start(kept)}>
              {t("Search “{0}” again", kept.slice(0, 60))}
            </button>
          )}
        </p>
      </div>
    );
  return (
    <div class="tab-view">
      <div class="tab-tools">
        <span role="status">
          {t("{0} hits", formatCount(hits.length, language))}
          {share !== null && model.cursor.value !== null && (
            <span class="quiet"> · {t("{0} % searched", Math.floor(share * 100))}</span>
          )}
          {model.cursor.value === null && !running && <span class="quiet"> · {t("all searched")}</span>}
        </span>
        <span class="grow" />
        <IconButton
          icon="case-sensitive"
          label={t("Match Case")}
          pressed={matchCase}
          onClick={() => {
            model.matchCase.value = !matchCase;
            setMatchCase(!matchCase);
            model.start(asked);
          }}
        />
        {running ? (
          <button type="button" class="verb" onClick={() => model.stop()}>
            <Icon name="debug-stop" /> {t("Stop")}
          </button>
        ) : (
          model.cursor.value !== null &&
          hits.length < MOST && (
            <button type="button" class="verb" onClick={() => void model.go(hits.length + PAUSE_AT)}>
              <Icon name="debug-continue" /> {t("Continue")}
            </button>
          )
        )}
      </div>
      {model.failure.value !== null && (
        <p role="alert" class="bar">
          {model.failure.value}
        </p>
      )}
      {hits.length === 0 ? (
        <p class="notice quiet">{running ? t("Searching…") : t("Nothing found.")}</p>
      ) : (
        <OptionList
          id="hit"
          class="hits"
          count={hits.length}
          rowHeight={44}
          label={t("Hits. Enter shows one.")}
          active={model.active.value}
          onActive={(at) => (model.active.value = at)}
          onOpen={(at) => {
            const hit = hits[at];
            if (!hit) return;
            viewer.oneTab.value = "conversation";
            if (viewer.state.value.index === hit.index && viewer.state.value.branch === hit.branch)
              oneModel(viewer).goTo(hit.message ?? 0, true);
            else {
              viewer.open(hit.index, hit.branch, hit.message ?? 0);
              requestAnimationFrame(() => document.getElementById("conversation")?.focus());
            }
          }}
          row={(at) => {
            const hit = hits[at];
            if (!hit) return null;
            return (
              <>
                <div class="quiet">
                  {t("trajectory {0}", formatCount(hit.index + 1, language))}
                  {hit.message !== null && <> · {t("message {0}", formatCount(hit.message + 1, language))}</>}
                  {hit.branch > 0 && <> · {t("branch {0}", hit.branch + 1)}</>}
                </div>
                <div class="hit-text">
                  <Plain text={oneLineOf(hit.excerpt.slice(0, hit.from))} />
                  <mark>
                    <Plain text={oneLineOf(hit.excerpt.slice(hit.from, hit.to))} />
                  </mark>
                  <Plain text={oneLineOf(hit.excerpt.slice(hit.to))} />
                </div>
              </>
            );
          }}
        />
      )}
    </div>
  );
}

function oneLineOf(text: string): string {
  return text.replace(/\s+/gu, " ");
}
