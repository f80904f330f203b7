import { LineCounter, type Tags, YAMLParseError, parse } from "yaml";
import { RewardsmithError } from "../../../base/errors";
import type { Pace } from "./pace";
import { plain } from "./plain";

/** The parser reads about 1 MB a second: more would take longer than anyone waits. */
const YAML_BYTES = 32_000_000;
/** What is parsed at once, without a turn of the event loop. */
const PIECE_BYTES = 4_000_000;
/** What aliases may multiply a document by ("billion laughs"). */
const ALIASES = 10_000;

/**
 * One YAML document as PyYAML writes it (YAML 1.1). A list is read item by item, with turns of the event loop between
 * them. Throws RewardsmithError.
 */
export async function parseYaml(text: string, name: string, pace: Pace): Promise<unknown> {
  if (text.length > YAML_BYTES)
    throw new RewardsmithError(
      "TooLarge",
      `${name} is YAML of ${text.length} characters; up to ${YAML_BYTES} are read`,
      { path: name },
    );
  const items = itemsOf(text);
  const longest = items.reduce((most, item) => Math.max(most, item.length), 0);
  if ((items.length > 1 ? longest : text.length) > PIECE_BYTES)
    throw new RewardsmithError(
      "TooLarge",
      `${name} holds one YAML value of more than ${PIECE_BYTES} characters, which takes too long to read. Save it as JSON`,
      { path: name },
    );
  if (items.length > 1) {
    try {
      const values: unknown[] = [];
      for (const item of items) {
        const value = parsed(item);
        if (!Array.isArray(value)) throw new Error("not an item");
        values.push(...value.map(plain));
        await pace.turn();
      }
      return values;
    } catch {
      // An alias to something in another item: the document is one after all. Or it is wrong, and that is told below.
      pace.check();
      if (text.length > PIECE_BYTES)
        throw new RewardsmithError(
          "TooLarge",
          `${name} is YAML whose items can't be read one by one, and longer than the ${PIECE_BYTES} characters that are read at once. Save it as JSON`,
          { path: name },
        );
    }
  }
  try {
    return plain(parsed(text));
  } catch (error) {
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new RewardsmithError(
      "FormatUnknown",
      `${name} can't be read as YAML: ${message}`,
      { path: name, problem: "bad-yaml", line: line ?? null },
      { cause: error },
    );
  }
}

/** PyYAML knows no `y` and `n` as bools and writes them plain: a key or a text of that one letter is what it is. */
function pythonTags(tags: Tags): Tags {
  return tags.map((tag) =>
    typeof tag === "object" && tag.tag === "tag:yaml.org,2002:bool" && !tag.collection && tag.test
      ? {
          ...tag,
          test: tag.test.test("y")
            ? /^(?:[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)$/
            : /^(?:[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/,
        }
      : tag,
  );
}

function parsed(text: string): unknown {
  const value: unknown = parse(text, {
    version: "1.1",
    customTags: pythonTags,
    maxAliasCount: ALIASES,
    logLevel: "error",
    lineCounter: new LineCounter(),
  });
  return value;
}

/** A list in the first column, cut before each item. */
function itemsOf(text: string): readonly string[] {
  const begin = /^- /m.exec(text)?.index;
  if (
    begin === undefined ||
    text
      .slice(0, begin)
      .replace(/^(---|#.*|\s*)$/gm, "")
      .trim() !== ""
  )
    return [];
  return text.slice(begin).split(/^(?=- )/m);
}
