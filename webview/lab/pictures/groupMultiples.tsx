import { formatCount, formatNumber, formatScore, type Speech } from "../../../src/words/format";
import { useRoving } from "../../shared/roving";
import { Strip, stripAxis, stripLayout } from "../groups/strip";
import { useAnswer } from "../groups/usePages";
import { groupFilter, membersInWords } from "../groups/words";
import type { Lab } from "../lab";

const MOST = 48;
const WIDTH = 150;
const HEIGHT = 34;
const RADIUS = 3;
const GUTTER = 10;

/** The first groups as small strips on one axis; the Groups tab has them all. */
export function GroupMultiples({ lab, speech }: { readonly lab: Lab; readonly speech: Speech }) {
  const { t, language } = speech;
  const { weights } = lab.state.value;
  const roving = useRoving();
  const { answer, stale } = useAnswer({ seq: lab.seq.value, weights }, (ask) =>
    lab.connection.data.groups(
      { filter: "", weights: ask.weights, sort: "file", descending: false, from: 0, count: MOST },
      { timeoutMs: 60_000 },
    ),
  );
  if (!answer?.range || answer.groups.length === 0) return null;
  const axis = stripAxis(answer.range, WIDTH, GUTTER);
  const [low, high] = answer.range;
  return (
    <figure class={`p-figure ${stale ? "stale" : ""}`}>
      <figcaption>
        <strong>{t("scores per group")}</strong>{" "}
        <span class="quiet">
          {t(
            "{0} of {1} groups, totals from {2} to {3}, line = mean, band = ± std (n − 1)",
            formatCount(answer.groups.length, language),
            formatCount(answer.total, language),
            formatScore(low, language),
            formatScore(high, language),
          )}
        </span>{" "}
        <button type="button" class="link" onClick={() => lab.set({ tab: "groups" })}>
          {t("Show in Groups")}
        </button>
      </figcaption>
      <div
        class="p-multiples"
        role="group"
        aria-label={t("Scores per group; Enter filters the samples")}
        onKeyDown={roving.onKeyDown}
      >
        {answer.groups.map((group, i) => (
          <button
            type="button"
            key={group.index}
            class="icon p-multiple"
            title={group.prompt}
            {...roving.stop(i)}
            onClick={() => lab.set({ tab: "samples", filter: groupFilter(group.id), scroll: 0 })}
          >
            {/* What is read begins with what is seen; the strip says its members itself. */}
            <span class="p-multiple-name">{group.id}</span>{" "}
            <span class="quiet">{formatScore(group.mean, language)}</span>
            <span class="said"> {t("mean of the group")}</span>
            <Strip
              group={group}
              axis={axis}
              layout={stripLayout(group, axis, HEIGHT, RADIUS, GUTTER)}
              width={WIDTH}
              height={HEIGHT}
              radius={RADIUS}
              speech={speech}
              selected={null}
            />
          </button>
        ))}
      </div>
      <details>
        <summary>{t("As table")}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("Group")}</th>
              <th scope="col">{t("mean")}</th>
              <th scope="col">{t("std")}</th>
              <th scope="col">{t("n")}</th>
              <th scope="col">{t("Totals of its rows")}</th>
            </tr>
          </thead>
          <tbody>
            {answer.groups.map((group) => (
              <tr key={group.index}>
                <th scope="row">{group.id}</th>
                <td>{formatScore(group.mean, language)}</td>
                <td>{formatNumber(group.std, language)}</td>
                <td>{formatCount(group.n, language)}</td>
                <td>{membersInWords(group.members, speech)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
