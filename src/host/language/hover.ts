import {
  type CancellationToken,
  ColorThemeKind,
  Hover,
  type HoverProvider,
  MarkdownString,
  type Position,
  Range,
  type TextDocument,
  window,
} from "vscode";
import type { FunctionScores } from "../../schema/live";
import type { Range as PlainRange, RewardFunction } from "../../schema/reward";
import { SCORE_STATES } from "../../schema/score";
import type { Source } from "../documents";
import type { Host } from "../host";
import { COMMANDS } from "../ids";
import { toAbortSignal } from "../signal";
import { lastText } from "../../words/completionText";
import { columnHover, functionHover, patternHover, type UnscoredRow } from "../../words/hover";
import { plain } from "../../words/markdown";

const LINKS = {
  read: `command:${COMMANDS.readPreviews}`,
  pin: `command:${COMMANDS.pinSample}`,
  exportScores: `command:${COMMANDS.exportScores}`,
};

const MOST_UNSCORED = 20;
const UNSCORED_WITH_TEXT = 3;

/** On a reward's name: its distribution. On a parameter: its column. On a pattern: what it matches. */
export class RewardHover implements HoverProvider {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async provideHover(
    document: TextDocument,
    position: Position,
    token: CancellationToken,
  ): Promise<Hover | null> {
    const source = this.#host.documents.sourceOf(document);
    const model = source && this.#host.models.get(source.path);
    if (!source || !model) return null;
    const { path, first } = source;
    const at = position.translate(first);
    const onName = model.functions.find((fn) => toRange(fn.nameRange).contains(at));
    if (onName) return this.#onFunction(source, onName, token);
    const set = this.#host.live.setOf(path);
    if (!set) return null;
    const within = model.functions.find((fn) => toRange(fn.range).contains(at));
    const word = document.getWordRangeAtPosition(position, /[A-Za-z_]\w*/u);
    const parameter = word && within?.parameters.find((one) => one.name === document.getText(word));
    if (word && parameter) {
      const found = await this.#onParameter(path, set, parameter, word, token);
      if (found) return found;
    }
    const client = this.#host.engine.running;
    if (!client) return null;
    const matches = await client.patternAt(
      { path, line: at.line, character: at.character },
      { signal: toAbortSignal(token) },
    );
    return matches
      ? new Hover(markdown(patternHover(matches, this.#host.speech)), toRange(matches.range, first))
      : null;
  }

  async #onFunction(
    { path, version, first }: Source,
    fn: RewardFunction,
    token: CancellationToken,
  ): Promise<Hover | null> {
    const { live, documents, speech } = this.#host;
    const known = live.scoresOf(path);
    const scores = known && documents.asRead(known, speech);
    const own = scores?.functions.find((one) => one.name === fn.name);
    if (!scores || !own) return null;
    const kind = window.activeColorTheme.kind;
    const theme = kind === ColorThemeKind.Dark || kind === ColorThemeKind.HighContrast ? "dark" : "light";
    const moved = scores.docVersion !== -1 && scores.docVersion !== version;
    const unscored = await this.#unscored(path, own, token);
    return new Hover(
      markdown(functionHover(own, scores, moved, theme, LINKS, speech, unscored)),
      toRange(fn.nameRange, first),
    );
  }

  /** First rows without a score, the first few with their completions. The hover stands without them too. */
  async #unscored(path: string, own: FunctionScores, token: CancellationToken): Promise<UnscoredRow[]> {
    const states = SCORE_STATES.filter((state) => state !== "scored" && (own.states[state] ?? 0) > 0);
    const client = this.#host.engine.running;
    const set = this.#host.live.setOf(path);
    if (states.length === 0 || !client || !set) return [];
    const options = { signal: toAbortSignal(token) };
    try {
      const { rows } = await client.rows(
        { path, function: own.name, from: 0, count: MOST_UNSCORED, states },
        options,
      );
      return await Promise.all(
        rows.map(async ({ row, state, reason }, index) => {
          const line = reason?.line ?? null;
          const sample =
            index < UNSCORED_WITH_TEXT
              ? (await client.readSamples({ set: set.set, from: row, count: 1, maxText: 200 }, options))
                  .rows[0]
              : undefined;
          return {
            row,
            state,
            reason: reason?.text ?? null,
            line: line === null ? null : this.#host.documents.lineAsRead(path, line),
            text: sample ? lastText(sample.completion) : null,
          };
        }),
      );
    } catch (error) {
      this.#host.log.debug(`hover on ${own.name}: ${String(error)}`);
      return [];
    }
  }

  async #onParameter(
    path: string,
    set: NonNullable<ReturnType<Host["live"]["setOf"]>>,
    parameter: RewardFunction["parameters"][number],
    word: Range,
    token: CancellationToken,
  ): Promise<Hover | null> {
    const client = this.#host.engine.running;
    if (!client) return null;
    const { speech } = this.#host;
    const column = columnFor(parameter.name, set.mapping.columns);
    if (!set.columns.some((one) => one.name === column || one.name === parameter.name)) {
      const known = ROLES[parameter.name];
      return known ? new Hover(markdown(plain(known(set.rows, set.shape, speech))), word) : null;
    }
    const values = await client.columnValues(
      { set: set.set, column: parameter.name, limit: 8 },
      { signal: toAbortSignal(token) },
    );
    this.#host.log.trace(`hover on ${parameter.name} in ${path}`);
    return new Hover(markdown(columnHover(column, set.rows, values, speech)), word);
  }
}

function columnFor(parameter: string, renames: Record<string, string>): string {
  return renames[parameter] ?? parameter;
}

type Role = (rows: number, shape: "text" | "chat" | "mixed", speech: Host["speech"]) => string;
const completions: Role = (rows, shape, { t }) => {
  switch (shape) {
    case "text":
      return t("Completions of the samples: {0} texts.", rows);
    case "chat":
      return t("Completions of the samples: {0} lists of chat messages.", rows);
    case "mixed":
      return t("Completions of the samples: {0}, some texts and some lists of chat messages.", rows);
  }
};
const prompts: Role = (rows, _shape, { t }) =>
  t("Prompts of the samples: {0}, one for each completion.", rows);
const ROLES: Record<string, Role | undefined> = {
  completions,
  completion: completions,
  prompts,
  prompt: prompts,
};

function markdown(text: string): MarkdownString {
  const value = new MarkdownString(text, true);
  // Links in our text are the constants above; data in it is escaped.
  value.isTrusted = { enabledCommands: [COMMANDS.readPreviews, COMMANDS.pinSample, COMMANDS.exportScores] };
  return value;
}

/** @param first module line of the document's first line */
export function toRange({ start, end }: PlainRange, first = 0): Range {
  return new Range(start.line - first, start.character, end.line - first, end.character);
}
