// @ts-check
// How the tiers of `npm test` are counted. A tier is believed only by its own machine-readable report: one that
// reports no test, or that ends badly without a failed test in its report, counts as a failure.

/**
 * @typedef {object} Failure
 * @property {string} name
 * @property {string} text
 *
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {Failure[]} failures One for each failed test that the report names.
 * @property {string} [reason] Why what was skipped was skipped.
 * @property {string[]} [notes] Numbers that are printed, never asserted.
 */

/** @returns {Counts} */
export function none() {
  return { passed: 0, failed: 0, skipped: 0, failures: [] };
}

/** A check without tests of its own (the type checker, lint). @param {boolean} ok @param {string} name @param {string} text @returns {Counts} */
export function one(ok, name, text) {
  return ok ? { ...none(), passed: 1 } : { ...none(), failed: 1, failures: [{ name, text }] };
}

/** A tier that can't run here. @param {string} reason @returns {Counts} */
export function skippedTier(reason) {
  return { ...none(), skipped: 1, reason };
}

/** @param {Counts} a @param {Counts} b @returns {Counts} */
export function plus(a, b) {
  const reason = [a.reason, b.reason].filter(Boolean).join("; ");
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...a.failures, ...b.failures],
    ...(reason ? { reason } : {}),
    ...(a.notes || b.notes ? { notes: [...(a.notes ?? []), ...(b.notes ?? [])] } : {}),
  };
}

/**
 * What a tier counts for, given its report and how its process ended.
 * @param {Counts | undefined} report Undefined: no report, or one that can't be read.
 * @param {{ code: number | null, timedOut?: boolean, tail?: string }} end
 * @returns {Counts}
 */
export function judge(report, end) {
  const counts = report ?? none();
  const failure = (/** @type {string} */ why) => ({
    ...counts,
    failed: counts.failed + 1,
    failures: [...counts.failures, { name: why, text: (end.tail ?? "").trim().slice(-3000) }],
  });
  if (end.timedOut) return failure("over its time limit");
  if (!report) return failure(`ended with ${end.code ?? "a signal"} and left no report`);
  if (counts.passed + counts.failed + counts.skipped === 0) return failure("reported no test");
  if (end.code !== 0 && counts.failed === 0)
    return failure(`ended with ${end.code ?? "a signal"} though no test failed`);
  return counts;
}

/**
 * vitest's JSON reporter. A file that doesn't load has no tests in it and counts as one failure.
 * @param {unknown} json @returns {Counts}
 */
export function fromVitest(json) {
  const report =
    /** @type {{ testResults: { name: string, status: string, message?: string, assertionResults: { fullName: string, status: string, failureMessages?: string[] }[] }[] }} */ (
      json
    );
  const counts = none();
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === "passed") counts.passed++;
      else if (test.status === "failed") {
        counts.failed++;
        counts.failures.push({ name: test.fullName, text: test.failureMessages?.join("\n") ?? "" });
      } else counts.skipped++;
    }
    if (file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed")) {
      counts.failed++;
      counts.failures.push({ name: `${file.name} did not load`, text: file.message ?? "" });
    }
  }
  return counts;
}

/**
 * One test a line: the in-host suites' report and the Python runner's. `end` says that the run came to its end;
 * without it the process died on the way.
 * @param {string} lines @returns {Counts}
 */
export function fromRows(lines) {
  const counts = none();
  let ended = false;
  let last = "before the first test";
  for (const line of lines.split("\n")) {
    if (line.trim() === "") continue;
    const row =
      /** @type {{ end: true } | { note: string } | { name: string, state: "passed" | "failed" | "skipped", text?: string }} */ (
        JSON.parse(line)
      );
    if ("end" in row) {
      ended = true;
      continue;
    }
    if ("note" in row) {
      counts.notes = [...(counts.notes ?? []), row.note];
      continue;
    }
    counts[row.state]++;
    last = `after: ${row.name}`;
    if (row.state === "failed") counts.failures.push({ name: row.name, text: row.text ?? "" });
    if (row.state === "skipped" && row.text && !counts.reason?.includes(row.text))
      counts.reason = counts.reason ? `${counts.reason}; ${row.text}` : row.text;
  }
  if (!ended) {
    counts.failed++;
    counts.failures.push({ name: "the run did not come to its end", text: last });
  }
  return counts;
}

/** The one line that closes everything. @param {Counts} total */
export function closingLine(total) {
  return `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`;
}

/** Zero only where something ran and nothing failed. @param {Counts} total */
export function exitCode(total) {
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}
