import { effect, signal, untracked } from "@preact/signals";
import type { z } from "zod";
import type { BucketCount } from "../../../src/schema/trajectoryView";
import { formatCount } from "../../../src/words/format";
import { openOne } from "../list/table";
import { modelOf } from "../models";
import { OptionList } from "../optionList";
import { TIMEOUT_MS, type Viewer } from "../viewer";
import { bucketWord } from "../words";
import { bucketFilter } from "./bucketFilter";

type Bucket = z.output<typeof BucketCount>;

class BucketsModel {
  readonly answer = signal<{ readonly buckets: readonly Bucket[]; readonly of: number } | null>(null);
  readonly failure = signal<string | null>(null);
  readonly active = signal(0);
  /** Which example of a bucket comes next. */
  readonly examples = new Map<string, number>();

  constructor(viewer: Viewer) {
    let asked = "";
    effect(() => {
      const { tab, query } = viewer.state.value;
      const complete = viewer.progress.value?.complete ?? false;
      const key = JSON.stringify([query.filter, viewer.resetSeq.value, complete]);
      if (tab !== "buckets" || key === asked) return;
      asked = key;
      untracked(() => {
        this.failure.value = null;
        viewer.connection.data.buckets({ filter: query.filter }, { timeoutMs: TIMEOUT_MS }).then(
          (answer) => {
            if (key === asked) this.answer.value = answer;
          },
          (error: unknown) => (this.failure.value = viewer.sentence(error)),
        );
      });
    });
  }
}

const bucketsModel = modelOf((viewer) => new BucketsModel(viewer));

/** Failures told from the record alone: how many of each. */
export function BucketsTab({ viewer }: { readonly viewer: Viewer }) {
  const model = bucketsModel(viewer);
  const speech = viewer.speech.value;
  const { t, language } = speech;
  const answer = model.answer.value;
  if (answer === null)
    return (
      <div class="tab-view">
        <p class="notice quiet">{model.failure.value ?? t("Looking at the trajectories…")}</p>
      </div>
    );
  const buckets = answer.buckets
    .filter(({ n, unsure }) => n + unsure > 0)
    .sort((a, b) => b.n - a.n || b.unsure - a.unsure);
  const most = Math.max(1, ...buckets.map(({ n, unsure }) => n + unsure));
  const open = (at: number): void => {
    const bucket = buckets[at];
    if (!bucket) return;
    const filter = bucketFilter(bucket.bucket);
    if (filter !== null) {
      viewer.set({ tab: "list", query: { ...viewer.state.value.query, filter } });
      viewer.say(t("Filtered by {0}", filter));
      return;
    }
    const next = model.examples.get(bucket.bucket) ?? 0;
    const index = bucket.examples[next % Math.max(1, bucket.examples.length)];
    model.examples.set(bucket.bucket, next + 1);
    if (index !== undefined) openOne(viewer, index);
  };
  return (
    <div class="tab-view">
      <p class="tab-tools quiet">
        {t(
          "{0} trajectories looked at; one may be in several, and none is not yet good. Told from the record alone; paler: unsure.",
          formatCount(answer.of, language),
        )}
      </p>
      {buckets.length === 0 ? (
        <p class="notice quiet">{t("No failure can be told from the records.")}</p>
      ) : (
        <OptionList
          id="bucket"
          class="buckets"
          count={buckets.length}
          rowHeight={30}
          label={t("Buckets of failures. Enter filters by one, or shows its next example.")}
          active={model.active.value}
          onActive={(at) => (model.active.value = at)}
          onOpen={open}
          row={(at) => {
            const bucket = buckets[at];
            if (!bucket) return null;
            return (
              <>
                <span class="bucket-name">{bucketWord(bucket.bucket, speech)}</span>
                <span class="bucket-bar" aria-hidden="true">
                  <span class="bucket-sure" style={{ width: `${(bucket.n / most) * 100}%` }} />
                  <span class="bucket-unsure" style={{ width: `${(bucket.unsure / most) * 100}%` }} />
                </span>
                <span class="bucket-count">
                  <span class="bucket-n">{formatCount(bucket.n, language)}</span>{" "}
                  <span class="bucket-share quiet">{t("{0} %", share(bucket.n, answer.of))}</span>
                  {bucket.unsure > 0 && (
                    <span class="quiet"> {t("+ {0} unsure", formatCount(bucket.unsure, language))}</span>
                  )}
                </span>
              </>
            );
          }}
        />
      )}
    </div>
  );
}

/** Whole per cent, with one decimal where it is little. */
function share(n: number, of: number): string {
  const percent = of === 0 ? 0 : (n / of) * 100;
  return percent > 0 && percent < 1 ? percent.toFixed(1) : String(Math.round(percent));
}
