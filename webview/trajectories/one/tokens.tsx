import { useState } from "preact/hooks";
import type { TokenData } from "../../../src/schema/trajectory";
import { formatCount, formatNumber, type Speech } from "../../../src/words/format";
import { signed } from "../words";
import { tokenBars, tokenStats } from "./tokenStats";

const BARS = 200;
const ROWS = 50;
const HEIGHT = 28;
/** A log probability at and below which a bar is as tall as it gets. */
const LOWEST = -6;

export interface TokensProps {
  readonly tokens: TokenData;
  readonly speech: Speech;
  readonly stop: number;
}

/** Tokens of a message: which are trained, how likely each was, which version of the policy sampled it. */
export function Tokens({ tokens, speech, stop }: TokensProps) {
  const { t, language } = speech;
  const [from, setFrom] = useState<number | null>(null);
  const stats = tokenStats(tokens);
  const bars = tokenBars(tokens, BARS);
  const here = Math.max(tokens.mask?.length ?? 0, tokens.logprobs?.length ?? 0, tokens.ids?.length ?? 0);
  const said = [t("{0} tokens", formatCount(stats.count, language))];
  if (stats.trained !== null) said.push(t("{0} trained", formatCount(stats.trained, language)));
  if (stats.meanLogprob !== null)
    said.push(t("mean log probability {0}", signed(stats.meanLogprob, language)));
  if (stats.least !== null)
    said.push(
      t(
        "least likely: token {0} ({1})",
        formatCount(stats.least.at + 1, language),
        signed(stats.least.logprob, language),
      ),
    );
  if (stats.versions !== null)
    said.push(
      stats.versions[0] === stats.versions[1]
        ? t("policy version {0}", stats.versions[0])
        : t("policy versions {0} to {1}", stats.versions[0], stats.versions[1]),
    );
  if (stats.advantages !== null)
    said.push(
      t(
        "advantages {0} to {1}",
        signed(stats.advantages[0], language),
        signed(stats.advantages[1], language),
      ),
    );
  return (
    <div class="tokens">
      <p class="quiet">{said.join(" · ")}</p>
      {bars.length > 0 && (
        <svg
          class="token-strip"
          viewBox={`0 0 ${bars.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={t("Tokens from left to right: the taller, the less likely; dim ones are not trained")}
        >
          {bars.map((bar, at) => {
            const height = bar.logprob === null ? 4 : 3 + Math.min(1, bar.logprob / LOWEST) * (HEIGHT - 3);
            return (
              <rect
                key={at}
                class={bar.trained === 0 ? "token masked" : "token"}
                x={at + 0.1}
                width={0.8}
                y={HEIGHT - height}
                height={height}
              />
            );
          })}
        </svg>
      )}
      {here > 0 && (
        <button
          type="button"
          class="link"
          tabIndex={stop}
          aria-expanded={from !== null}
          onClick={() => setFrom(from === null ? 0 : null)}
        >
          {t("As table")}
        </button>
      )}
      {from !== null && (
        <>
          <table class="facts">
            <thead>
              <tr>
                <th scope="col">#</th>
                {tokens.ids && <th scope="col">{t("id")}</th>}
                {tokens.mask && <th scope="col">{t("trained")}</th>}
                {tokens.logprobs && <th scope="col">{t("log probability")}</th>}
                {tokens.advantages && <th scope="col">{t("advantage")}</th>}
                {tokens.versions && <th scope="col">{t("version")}</th>}
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: Math.min(ROWS, here - from) }, (_, i) => from + i).map((at) => (
                <tr key={at}>
                  <td class="number">{formatCount(at + 1, language)}</td>
                  {tokens.ids && <td class="number">{tokens.ids[at] ?? "–"}</td>}
                  {tokens.mask && <td>{tokens.mask[at] ? t("yes") : t("no")}</td>}
                  {tokens.logprobs && <td class="number">{signed(tokens.logprobs[at] ?? null, language)}</td>}
                  {tokens.advantages && (
                    <td class="number">{signed(tokens.advantages[at] ?? null, language)}</td>
                  )}
                  {tokens.versions && (
                    <td class="number">{formatNumber(tokens.versions[at] ?? null, language)}</td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
          <p class="token-pages">
            <button
              type="button"
              class="link"
              tabIndex={stop}
              disabled={from === 0}
              onClick={() => setFrom(Math.max(0, from - ROWS))}
            >
              {t("Earlier")}
            </button>{" "}
            <button
              type="button"
              class="link"
              tabIndex={stop}
              disabled={from + ROWS >= here}
              onClick={() => setFrom(from + ROWS)}
            >
              {t("Later")}
            </button>
          </p>
        </>
      )}
    </div>
  );
}
