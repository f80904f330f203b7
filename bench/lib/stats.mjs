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
 * @property {number} limit
 * @property {string} peer What stands beside it, from the same run.
 * @property {string} [note]
 */

/** @param {number} value */
const three = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** @param {Row} row */
export function say({ what, value, unit, limit, peer, note }) {
  const verdict = value === null ? "not measured" : value <= limit ? "met" : "MISSED";
  const number = value === null ? "–" : `${three(value)} ${unit}`;
  console.log(`${what.padEnd(66)} ${number.padStart(10)}  at most ${three(limit)} ${unit}  ${verdict}`);
  if (peer) console.log(`    beside it: ${peer}`);
  if (note) console.log(`    ${note}`);
}
