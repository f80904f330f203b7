import { resolve } from "node:path";
import { READ_SCHEMA, type ReadReport } from "../../schema/readReport";
import type { SampleMapping, SampleRow, SampleSetInfo } from "../../schema/sample";
import { SampleSets } from "../../services/sampleSets";
import { textOf } from "../../services/sampleTable";
import { type Arguments, readMapping, readRows, wrong } from "../arguments";
import { EXIT, type Exit } from "../exit";
import { problemLines } from "../scoreText";
import type { Session } from "../session";
import { count, oneLine, table } from "../table";
import { type Terminal, paint } from "../terminal";

const SHOWN = 10;

/** `rewardsmith read`: samples or trajectories as they are understood. Runs nothing. */
export async function read(args: Arguments, session: Session): Promise<Exit> {
  if (args.positionals.length === 0) throw wrong("read needs at least one file.");
  const rows = args.text("rows");
  const { from, count: wanted } =
    rows === null ? { from: 0, count: args.json ? Infinity : SHOWN } : readRows(rows);
  const as = args.text("as");
  if (as !== null && as !== "samples" && as !== "trajectories")
    throw wrong(`--as: ${JSON.stringify(as)} is neither samples nor trajectories.`);
  const paths = args.positionals.map((path) => resolve(session.cwd, path));
  // Who says what the columns are means samples.
  const samples = as === "samples" || args.text("columns") !== null || args.text("group-by") !== null;
  if (!samples) {
    const trajectories = await import("./readTrajectories");
    const part = { from, count: wanted };
    const done = await trajectories.readTrajectories(paths, part, {
      session,
      json: args.json,
      forced: as !== null,
    });
    if (done) return EXIT.fine;
  }
  const sets = new SampleSets(session.files, session.hasher);
  const hints = readMapping(args);
  const { info } = await sets.open(paths, null, {
    ...(Object.keys(hints).length > 0 && { hints }),
    signal: session.signal,
  });
  const part = sets.rows(info.set, from, Math.min(wanted, info.rows), args.json ? Infinity : 2000);
  session.terminal.out(
    args.json
      ? `${JSON.stringify(report(info, part.rows, session.version))}\n`
      : text(info, part.rows, session.terminal),
  );
  return EXIT.fine;
}

function report(info: SampleSetInfo, rows: SampleRow[], version: string): ReadReport {
  return {
    schema: READ_SCHEMA,
    product: { name: "rewardsmith", version },
    files: info.files,
    reader: info.reader,
    count: info.rows,
    groups: info.groups,
    shape: info.shape,
    mapping: info.mapping,
    mappingSource: info.mappingSource === "guessed" ? "guessed" : "user",
    columns: info.columns,
    rows,
    problems: info.problems,
    problemCount: info.problemCount,
    hash: info.hash,
  };
}

function text(info: SampleSetInfo, rows: readonly SampleRow[], terminal: Terminal): string {
  const room = Math.max(20, Math.floor((terminal.width - 40) / 2));
  const lines = [
    `${count(info.rows, "row")} in ${count(info.groups, "group")} (${info.reader}, ${info.shape} completions)`,
    "",
    ...table([{ head: "part" }, { head: "column" }], [...parts(info.mapping)]),
    "",
    ...table(
      [{ head: "column" }, { head: "kind" }, { head: "in rows", align: "right" }, { head: "e.g." }],
      info.columns.map((column) => [
        oneLine(column.name, 30),
        column.kinds.join(", "),
        String(column.present),
        oneLine(column.examples[0] ?? "", 50),
      ]),
    ),
    "",
    ...table(
      [
        { head: "row", align: "right" },
        { head: "id" },
        { head: "group" },
        { head: "prompt" },
        { head: "completion" },
      ],
      rows.map((row) => [
        String(row.row + 1),
        oneLine(row.id, 14),
        oneLine(row.group, 14),
        oneLine(said(row.prompt), room),
        oneLine(said(row.completion), room),
      ]),
    ),
    ...(rows.length < info.rows
      ? [paint(terminal, "quiet", `${rows.length} of ${info.rows} rows; --rows A:B for others`)]
      : []),
    ...(info.problemCount > 0 ? ["", ...problemLines(info.problems, terminal, info.problemCount)] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function* parts(mapping: SampleMapping): Generator<[string, string], void, undefined> {
  yield ["completion", mapping.completion];
  yield ["prompt", mapping.prompt ?? "–"];
  yield ["id", mapping.id ?? "– (a hash of the row)"];
  yield [
    "group",
    mapping.group.by === "column"
      ? mapping.group.column
      : mapping.group.by === "prompt"
        ? "– (equal prompts)"
        : `– (${mapping.group.size} in a row)`,
  ];
  yield ["label", mapping.label ?? "–"];
  yield ["completion_ids", mapping.completionIds ?? "–"];
  for (const [parameter, column] of Object.entries(mapping.columns)) yield [parameter, column];
}

/** What was said, of a text or a conversation: its last message with content. */
function said(value: unknown): string {
  if (!Array.isArray(value)) return value === null ? "" : textOf(value);
  const last: unknown = value.findLast(
    (message: unknown) =>
      typeof message === "object" && message !== null && "content" in message && Boolean(message.content),
  );
  return typeof last === "object" && last !== null && "content" in last
    ? textOf(last.content)
    : textOf(value);
}
