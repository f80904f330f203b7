import { basename, relative } from "node:path";
import type { FunctionReport, GroupReport, ScoreReport } from "../schema/report";
import type { RowScore, ScoreState } from "../schema/score";
import { clusteredMean } from "./interval";
import { count, number, oneLine, table } from "./table";
import { type Terminal, type Tone, paint } from "./terminal";

const GROUPS_SHOWN = 12;
const ROWS_SHOWN = 8;

/** Words for the states, as the documentation has them. */
const STATE: Readonly<Record<ScoreState, string>> = {
  scored: "scored",
  "non-finite": "non-finite",
  "not-applicable": "not applicable",
  "invalid-return": "invalid return",
  raised: "raised",
  "timed-out": "timed out",
  crashed: "crashed",
  cancelled: "cancelled",
  unscored: "unscored",
  held: "held",
};

/** The report as tables for people: rewards, groups, rows that gave no score and why, findings. */
export function scoreText(report: ScoreReport, terminal: Terminal, cwd: string): string {
  const lines: string[] = [heading(report, terminal, cwd), ...leftOutLines(report, terminal), ""];
  if (report.error) lines.push(...failure(report.error, terminal, cwd), "");
  if (report.functions.length > 0) lines.push(...functionLines(report, terminal), "");
  if (report.baseline?.error)
    lines.push(
      paint(
        terminal,
        "warn",
        `The baseline ${report.baseline.ref} gives no scores: ${report.baseline.error}`,
      ),
      "",
    );
  for (const fn of report.functions) {
    const reasons = reasonLines(fn, report.findings, terminal);
    if (reasons.length > 0) lines.push(...reasons, "");
  }
  if (report.groups.length > 0 && report.functions.length > 0)
    lines.push(...groupLines(report, terminal), "");
  if (report.labels && report.labels.n > 0) lines.push(...labelLines(report.labels), "");
  if (report.samples.problems.length > 0) lines.push(...problemLines(report.samples.problems, terminal), "");
  if (report.findings.length > 0) lines.push(...findingLines(report, terminal), "");
  lines.push(
    paint(
      terminal,
      "quiet",
      `${number(report.timing.passMs)} ms in Python, ${number(report.timing.totalMs)} ms in all (${report.timing.mode})`,
    ),
  );
  return `${lines.join("\n")}\n`;
}

function heading(report: ScoreReport, terminal: Terminal, cwd: string): string {
  const { samples } = report;
  const file = report.functions[0]?.file;
  const left = samples.leftOut ?? 0;
  const rows =
    left === 0
      ? count(samples.rows, "row")
      : `${samples.rows} of ${count(samples.rows + left, "row")} (${left} left out)`;
  return [
    ...(file === undefined ? [] : [paint(terminal, "strong", relative(cwd, file) || file)]),
    `on ${samples.files.map((path) => basename(path)).join(", ")}: ${rows}, ${count(report.groups.length, "group")}, ${samples.shape};`,
    trainerWords(report),
  ].join(" ");
}

/** A file of plain functions has no trainer, whatever the setting's default says. */
function trainerWords({ trainer, functions }: ScoreReport): string {
  if (trainer.framework === "plain" || isPlain(functions)) return "no trainer";
  const version = trainer.version === null ? "not installed" : trainer.version;
  const checked = trainer.version !== null && !trainer.checked ? ", not checked for this version" : "";
  return `trainer ${trainer.framework} (${version}${checked})`;
}

function isPlain(functions: ScoreReport["functions"]): boolean {
  return functions.length > 0 && functions.every(({ contract }) => contract === "plain");
}

const LEAVES_OUT: ReadonlySet<string> = new Set(["missing-completion", "too-large"]);

/** Before any number: that they aren't of all rows, and why. */
function leftOutLines({ samples }: ScoreReport, terminal: Terminal): string[] {
  const left = samples.leftOut ?? 0;
  if (left === 0) return [];
  const problem = samples.problems.find(({ code }) => LEAVES_OUT.has(code));
  const why = problem ? `: e.g. line ${problem.line}: ${oneLine(problem.message, 200)}` : "";
  return [
    paint(
      terminal,
      "warn",
      `${count(left, "row")} of ${samples.rows + left} ${left === 1 ? "is" : "are"} left out${why}`,
    ),
  ];
}

function failure(error: NonNullable<ScoreReport["error"]>, terminal: Terminal, cwd: string): string[] {
  const where =
    error.path === null ? "" : `${relative(cwd, error.path)}${error.line === null ? "" : `:${error.line}`}: `;
  return [paint(terminal, "bad", `${where}${error.message}`)];
}

function functionLines(report: ScoreReport, terminal: Terminal): string[] {
  const total = totalRow(report);
  return table(
    [
      { head: "reward" },
      { head: "contract" },
      { head: "weight", align: "number" },
      { head: "n of N", align: "right" },
      { head: "mean", align: "number" },
      { head: "± 95 %", align: "number" },
      ...(report.baseline ? [{ head: "against baseline" }] : []),
      { head: "not scored" },
    ],
    [
      ...report.functions.map((fn) => [
        fn.name,
        fn.contract,
        number(fn.weight),
        `${fn.n} of ${report.samples.rows}`,
        number(fn.mean),
        interval(
          fn.rows.map((row) => ({ group: row.group, value: row.state === "scored" ? row.value : null })),
        ),
        ...(report.baseline ? [fn.flips ? `↑${fn.flips.up} ↓${fn.flips.down}` : "–"] : []),
        states(fn, terminal),
      ]),
      ...(total ? [total] : []),
    ],
  );
}

function totalRow(report: ScoreReport): string[] | null {
  const [first] = report.functions;
  if (!first || report.functions.length < 2) return null;
  const values = report.totals.flatMap((value) => (typeof value === "number" ? [value] : []));
  const mean = values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;
  return [
    "total",
    "",
    "",
    `${values.length} of ${report.samples.rows}`,
    number(mean),
    interval(report.totals.map((value, row) => ({ group: first.rows[row]?.group ?? "", value }))),
    "",
  ];
}

function interval(values: Parameters<typeof clusteredMean>[0]): string {
  const half = clusteredMean(values)?.halfWidth ?? null;
  return half === null ? "–" : number(half);
}

function states(fn: FunctionReport, terminal: Terminal): string {
  const parts = Object.entries(fn.states)
    .filter(([state, n]) => state !== "scored" && n > 0)
    .map(([state, n]) => `${n} ${stateWord(state)}`);
  const recovered = fn.rows.filter((row) => row.recovered).length;
  // These have a score all the same: their batch failed, and each was called alone.
  const alone = recovered > 0 ? `; ${recovered} recovered` : "";
  return paint(terminal, "warn", parts.join(", ") + alone);
}

function stateWord(state: string): string {
  return Object.entries(STATE).find(([key]) => key === state)?.[1] ?? state;
}

/** Rows without a score, those with one cause together; then what the trainer would make of them. */
function reasonLines(fn: FunctionReport, findings: ScoreReport["findings"], terminal: Terminal): string[] {
  const causes = new Map<string, { row: RowScore; rows: number[] }>();
  for (const row of fn.rows) {
    if (row.state === "scored" || isTold(row, fn, findings)) continue;
    const key = JSON.stringify([
      row.state,
      row.reason?.code,
      row.reason?.type,
      row.reason?.line,
      row.reason?.text,
    ]);
    const cause = causes.get(key);
    if (cause) cause.rows.push(row.row + 1);
    else causes.set(key, { row, rows: [row.row + 1] });
  }
  const sorted = [...causes.values()].sort((a, b) => b.rows.length - a.rows.length);
  const lines = sorted.slice(0, ROWS_SHOWN).map(({ row, rows }) => {
    const { reason } = row;
    const said = reason?.text ?? reason?.type ?? reason?.code ?? "";
    const line = reason?.line === undefined ? "" : `line ${reason.line}: `;
    return [
      paint(terminal, tone(row.state), `${fn.name} ${STATE[row.state]}`),
      ` ${count(rows.length, "row")} (${someRows(rows)}): ${line}${oneLine(said, 160)}`,
      paint(terminal, "quiet", fateWords(fn, row)),
    ].join("");
  });
  if (sorted.length > ROWS_SHOWN)
    lines.push(`… and ${sorted.length - ROWS_SHOWN} further causes; --json has all`);
  return lines;
}

const UNCALLABLE: ReadonlySet<string> = new Set(["trl-missing-kwargs", "missing-column", "signature"]);

/** An error below says of this row what failed and what comes of it: once is enough. */
function isTold(
  { row, reason }: RowScore,
  { name }: FunctionReport,
  findings: ScoreReport["findings"],
): boolean {
  return findings.some(
    (finding) =>
      finding.severity === "error" &&
      finding.function === name &&
      (finding.rows.includes(row) || (reason?.code === "signature" && UNCALLABLE.has(finding.code))),
  );
}

/** What becomes of the rows, where that is more than the number that is shown. */
function fateWords(fn: FunctionReport, { state, reason }: RowScore): string {
  const fate = fn.fates[state];
  if (!fate || fate.word === "value") return "";
  if (fate.word === "unknown") return ` · ${FATE.unknown}`;
  // Rows of this state may fare differently; a None depends on what the other functions said of its row.
  const none = state === "not-applicable" && (fate.word === "zero" || fate.word === "ignored");
  const words = none && reason?.code !== "no-tokens" ? NONE : FATE[fate.word];
  return fn.contract === "plain" && fate.word === "stops"
    ? " · whatever calls it stops"
    : ` · the trainer: ${words}`;
}

const NONE =
  "adds nothing to the total (0) where another function scored; the row is left out where none did";

const FATE = {
  value: "uses it",
  zero: "trains on 0",
  ignored: "leaves it out",
  stops: "stops the run",
  poisons: "spoils the rest of the group",
  unknown: "not known until it runs",
} as const;

function tone(state: ScoreState): Tone {
  return state === "not-applicable" || state === "held" || state === "cancelled" ? "warn" : "bad";
}

function someRows(rows: readonly number[]): string {
  const shown = rows.slice(0, ROWS_SHOWN).join(", ");
  return `${rows.length === 1 ? "row" : "rows"} ${shown}${rows.length > ROWS_SHOWN ? ", …" : ""}`;
}

function groupLines(report: ScoreReport, terminal: Terminal): string[] {
  const { groups, trainer } = report;
  const tied = groups.filter((group) => group.tied).length;
  const flat = groups.filter((group) => group.noGradient).length;
  // Those without a gradient come first: they are what a run would waste.
  const order = [...groups].sort((a, b) => Number(b.noGradient) - Number(a.noGradient));
  const shown = order.slice(0, GROUPS_SHOWN);
  const lines = [
    `${count(groups.length, "group")}: ${tied} tied, ${flat} without a gradient. ${isPlain(report.functions) ? "Advantages as TRL would compute them" : "Advantages"}: ${trainer.formula}${report.hypothetical ? " (hypothetical: the run would have stopped)" : ""}`,
    ...table(
      [
        { head: "group" },
        { head: "n", align: "right" },
        { head: "mean", align: "number" },
        { head: "std", align: "number" },
        { head: "advantages, lowest to highest" },
        { head: "" },
      ],
      shown.map((group) => [
        oneLine(group.id, 24),
        String(group.n),
        number(group.mean),
        number(group.mean === null ? null : group.std),
        spread(group),
        paint(terminal, "warn", flags(group)),
      ]),
    ),
  ];
  if (groups.length > shown.length) lines.push(`… and ${groups.length - shown.length} more; --json has all`);
  return lines;
}

function spread(group: GroupReport): string {
  const finite = group.advantages.filter((value) => typeof value === "number");
  // The trainer's arithmetic makes 0 of what was never scored.
  if (finite.length === 0 || group.cause === "nothing-scored") return "–";
  return `${number(Math.min(...finite))} … ${number(Math.max(...finite))}`;
}

function flags(group: GroupReport): string {
  const words = [
    ...(group.tied ? ["tied"] : []),
    ...(group.filtered ? ["filtered"] : []),
    ...(group.noGradient && !group.tied ? ["no gradient"] : []),
  ];
  return words.join(", ") + (group.cause === null ? "" : ` (${group.cause.replaceAll("-", " ")})`);
}

function labelLines(labels: NonNullable<ScoreReport["labels"]>): string[] {
  const rows = labels.disagreeRows.map((row) => row + 1);
  return [
    `labels: ${labels.agree} of ${labels.n} agree with the total${rows.length === 0 ? "" : `; not ${someRows(rows)}`}`,
  ];
}

export function problemLines(
  problems: ScoreReport["samples"]["problems"],
  terminal: Terminal,
  total = problems.length,
): string[] {
  const lines = problems
    .slice(0, ROWS_SHOWN)
    .map((problem) => `${paint(terminal, "warn", `line ${problem.line}`)}: ${oneLine(problem.message, 200)}`);
  return [
    `${count(total, "problem")} in the samples`,
    ...lines,
    ...(total > lines.length ? [`… and ${total - lines.length} more`] : []),
  ];
}

/** Where the message doesn't say it itself. */
function lineOf({ range, message }: ScoreReport["findings"][number]): string {
  if (!range) return "";
  const line = `line ${range.start.line + 1}`;
  return new RegExp(`\\b${line}\\b`).test(message) ? "" : ` (${line})`;
}

/** One fault once: what is told of a function at a place, in the same words. */
function uniqueFindings(findings: ScoreReport["findings"]): ScoreReport["findings"] {
  const seen = new Set<string>();
  return findings.filter(({ code, function: fn, message }) => {
    const key = JSON.stringify([code, fn, message]);
    return !seen.has(key) && seen.add(key);
  });
}

function findingLines(report: ScoreReport, terminal: Terminal): string[] {
  return uniqueFindings(report.findings).flatMap((finding) => [
    `${paint(terminal, finding.severity === "error" ? "bad" : finding.severity === "warning" ? "warn" : "quiet", finding.severity)} ${finding.function === null ? "" : `${finding.function}: `}${finding.message}${lineOf(finding)} ${paint(terminal, "quiet", `[${finding.code}]`)}`,
    ...(finding.cure === null ? [] : [`  → ${finding.cure}`]),
  ]);
}
