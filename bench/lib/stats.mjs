// @ts-check

/** Value below which the share `p` of the sample lies (nearest rank). @param {readonly number[]} values @param {number} p */
export function quantile(values, p) {
  if (values.length === 0) throw new Error("no values");
  const sorted = [...values].sort((a, b) => a - b);
  return /** @type {number} */ (
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(p * sorted.length) - 1))]
  );
}

/** @param {readonly number[]} values */
export const median = (values) => quantile(values, 0.5);
/** @param {readonly number[]} values */
export const p95 = (values) => quantile(values, 0.95);

/**
 * One row of the speed budget (DESIGN "Speed").
 * @typedef {object} Row
 * @property {string} what
 * @property {number | null} value Null: could not be measured here, `note` says why.
 * @property {string} unit
 * @property {number | null} limit Null: the budget names none; the number stands beside a peer's.
 * @property {boolean} [least] The limit is the least that is wanted, not the most.
 * @property {string} peer What stands beside it, from the same run.
 * @property {string} [note]
 */

/** @param {number} value */
const three = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** Null: there is nothing to miss. @param {Pick<Row, "value" | "limit" | "least">} row */
export function met({ value, limit, least = false }) {
  if (value === null || limit === null) return null;
  return least ? value >= limit : value <= limit;
}

/** @param {Row} row */
export function say(row) {
  const { what, value, unit, limit, least = false, peer, note } = row;
  const ok = met(row);
  const verdict = value === null ? "not measured" : ok === null ? "" : ok ? "met" : "MISSED";
  const number = value === null ? "–" : `${three(value)} ${unit}`;
  const bound =
    limit === null ? "no limit" : `${least ? "at least" : "at most"} ${three(limit)} ${unit}`.trim();
  console.log(`${what.padEnd(66)} ${number.padStart(10)}  ${bound}  ${verdict}`.trimEnd());
  if (peer) console.log(`    beside it: ${peer}`);
  if (note) console.log(`    ${note}`);
}
