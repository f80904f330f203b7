// @ts-check
// Files of rollouts as large as wanted, in a second a gigabyte or so: blocks of built lines, in which only numbers of
// groups are written anew.
import { mkdir, open, writeFile } from "node:fs/promises";
import path from "node:path";

/** Rollouts of one prompt, as in training. */
export const GROUP = 8;
/** In a few rollouts only, for searches: see `RARE_AT`. */
export const RARE = "quagga";
/** Where in a file the rollouts with the rare word are, as shares of its length. */
export const RARE_AT = [0.1, 0.5, 0.99];

const COMMON = "marmot";
const BLOCK_GROUPS = 64;
/** Stands for the group's number in built lines; as many digits as `numberOf` gives. */
const MARK = "987654321";
const WORDS =
  "order ship refund customer total check parts lookup because stock report first bicycle chain wheel before after policy amount person answer tool result verify again state delivered price euro store".split(
    " ",
  );

/** A generator of numbers in [0, 1), the same each time. @param {number} seed */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @param {() => number} next @param {number} count */
const prose = (next, count) =>
  Array.from({ length: count }, () => WORDS[Math.floor(next() * WORDS.length)]).join(" ");

/** @param {number} group */
const numberOf = (group) => String(100_000_000 + group);

/**
 * One rollout of verifiers' `results.jsonl`: a prompt, turns with tool calls and their results, rewards.
 * @param {() => number} next @param {string | number} group @param {number} turns @param {number} words Of each message.
 * @param {string} [rare]
 */
export function rollout(next, group, turns, words, rare = COMMON) {
  const solved = next() < 0.4 ? 1 : 0;
  const brief = Math.round(next() * 100) / 100;
  /** @type {object[]} */
  const completion = [];
  for (let turn = 0; turn < turns; turn++) {
    const id = `call_${group}_${turn}`;
    completion.push(
      {
        role: "assistant",
        content: prose(next, words),
        tool_calls: [
          {
            id,
            type: "function",
            function: {
              name: turn % 2 ? "get_order" : "find_order",
              arguments: JSON.stringify({ query: prose(next, 6), limit: turn + 1, exact: false }),
            },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: id,
        content: JSON.stringify({ rows: [prose(next, words), prose(next, words)], total: words }),
      },
    );
  }
  completion.push({ role: "assistant", content: `${prose(next, words)} ${rare}.\nAnswer: ${solved}` });
  return {
    example_id: Number(group),
    prompt: [
      {
        role: "system",
        content: "You are the help desk of a shop. Look an order up before you promise anything.",
      },
      { role: "user", content: `Case ${group}: ${prose(next, words)}?` },
    ],
    completion,
    answer: "1",
    info: { level: turns },
    reward: solved + 0.1 * brief,
    error: null,
    is_completed: true,
    is_truncated: next() < 0.05,
    stop_condition: "no_tools_called",
    metrics: { correct: solved, brief, num_turns: turns + 1 },
  };
}

/** Built lines and the places in them that change. */
function block() {
  const next = random(7);
  /** @type {string[]} */
  const lines = [];
  for (let group = 0; group < BLOCK_GROUPS; group++)
    for (let member = 0; member < GROUP; member++)
      lines.push(
        `${JSON.stringify(rollout(next, MARK, 2 + Math.floor(next() * 5), 20 + Math.floor(next() * 40)))}\n`,
      );
  const bytes = Buffer.from(lines.join(""));
  /** @type {{ at: number, group: number }[]} */
  const marks = [];
  let line = 0;
  let end = Buffer.byteLength(lines[0] ?? "");
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    while (at >= end) end += Buffer.byteLength(lines[++line] ?? "");
    marks.push({ at, group: Math.floor(line / GROUP) });
  }
  return { bytes, marks, rows: lines.length, rareAt: bytes.indexOf(`${COMMON}.`) };
}

/**
 * Writes whole groups until the file has at least so many bytes.
 * @param {string} file @param {number} bytes
 * @returns {Promise<{ bytes: number, rows: number }>}
 */
export async function writeRollouts(file, bytes) {
  const built = block();
  const blocks = Math.max(1, Math.ceil(bytes / built.bytes.length));
  const rare = new Set(RARE_AT.map((share) => Math.min(blocks - 1, Math.floor(share * blocks))));
  const handle = await open(file, "w");
  try {
    for (let nth = 0; nth < blocks; nth++) {
      for (const { at, group } of built.marks)
        built.bytes.write(numberOf(nth * BLOCK_GROUPS + group), at, "latin1");
      built.bytes.write(rare.has(nth) ? RARE : COMMON, built.rareAt, "latin1");
      await handle.write(built.bytes);
    }
    // What is still being written to the disk isn't the reader's time.
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes: blocks * built.bytes.length, rows: blocks * built.rows };
}

/**
 * A folder of small files, whole groups after one another through all files.
 * @param {string} folder @param {number} files @param {number} each Rollouts in a file.
 */
export async function writeFolder(folder, files, each) {
  await mkdir(folder, { recursive: true });
  const next = random(11);
  for (let file = 0, row = 0; file < files; file++) {
    let text = "";
    for (let nth = 0; nth < each; nth++, row++)
      text += `${JSON.stringify(rollout(next, numberOf(Math.floor(row / GROUP)), 1, 10))}\n`;
    await writeFile(path.join(folder, `${file}.jsonl`), text);
  }
}

/** Groups of long rollouts, to be compared. @param {string} file @param {number} members @param {number} messages */
export async function writeLong(file, members, messages) {
  const next = random(13);
  const turns = Math.floor((messages - 3) / 2);
  // All begin alike; some go another way after a while.
  const start = rollout(next, numberOf(0), turns, 30);
  const lines = Array.from({ length: members }, (_, member) => {
    const own = rollout(next, numberOf(0), turns, 30);
    const shared = member % 2 ? 20 : Math.floor(turns / 2);
    return JSON.stringify({
      ...own,
      prompt: start.prompt,
      completion: [...start.completion.slice(0, shared), ...own.completion.slice(shared)],
    });
  });
  await writeFile(file, `${lines.join("\n")}\n`);
}
