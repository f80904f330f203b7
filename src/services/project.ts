import {
  type Node,
  type ParseError,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type * as z from "zod";
import { RewardsmithError } from "../base/errors";
import type { FileStore } from "../core/ports";
import { Project, RewardRef, Suite, TrainerSettings } from "../schema/project";
import type { Range } from "../schema/reward";
import type { SampleMapping } from "../schema/sample";
import { dirName, resolvePath } from "./paths";

export const PROJECT_FILE = "rewardsmith.json";

export interface ProjectProblem {
  readonly message: string;
  readonly range: Range | null;
  readonly severity: "error" | "warning";
}

export interface LoadedProject {
  readonly path: string | null;
  /** Null where there is none, or where it has errors. */
  readonly project: Project | null;
  readonly problems: readonly ProjectProblem[];
}

/** One reward of a suite, found: paths are absolute. */
export interface SuiteReward {
  readonly path: string;
  readonly function: string;
  readonly contract: string | null;
  readonly weight: number;
}

export interface ResolvedSuite {
  readonly name: string;
  readonly rewards: readonly SuiteReward[];
  readonly samples: readonly string[];
  readonly mapping: Partial<SampleMapping>;
  readonly trainer: NonNullable<Suite["trainer"]>;
  readonly labels: string | null;
}

/** Nearest project file at or above a path. Folders that can't be read end the search; nothing is run. */
export class Projects {
  readonly #files: FileStore;
  /** Text of an unsaved editor, if there is one. */
  readonly #open: (path: string) => string | null;

  constructor(files: FileStore, open: (path: string) => string | null = () => null) {
    this.#files = files;
    this.#open = open;
  }

  async find(path: string): Promise<LoadedProject> {
    for (let folder = dirName(path); ;) {
      const candidate = resolvePath(folder, PROJECT_FILE);
      const text = this.#open(candidate) ?? (await this.#read(candidate));
      if (text !== null) return { path: candidate, ...parseProject(text) };
      const above = dirName(folder);
      if (above === folder || above === ".") return { path: null, project: null, problems: [] };
      folder = above;
    }
  }

  async #read(path: string): Promise<string | null> {
    try {
      return new TextDecoder().decode(await this.#files.read(path));
    } catch (error) {
      if (error instanceof RewardsmithError && error.code === "FileMissing") return null;
      throw error;
    }
  }
}

/** Comments and trailing commas are allowed; unknown keys are warnings; what doesn't fit is an error at its place. */
export function parseProject(text: string): Pick<LoadedProject, "project" | "problems"> {
  const lines = lineStarts(text);
  const syntax: ParseError[] = [];
  const tree = parseTree(text, syntax, { allowTrailingComma: true });
  const problems: ProjectProblem[] = syntax.map(({ error, offset, length }) => ({
    message: `${PROJECT_FILE} isn't valid JSON here: ${words(printParseErrorCode(error))}.`,
    range: rangeOf(lines, offset, length),
    severity: "error",
  }));
  if (!tree || problems.length > 0) {
    if (problems.length === 0)
      problems.push({ message: `${PROJECT_FILE} is empty.`, range: rangeOf(lines, 0, 0), severity: "error" });
    return { project: null, problems };
  }
  const value: unknown = getNodeValue(tree);
  problems.push(...unknownKeys(tree, lines));
  const version = findNodeAtLocation(tree, ["schema"]);
  const number: unknown = version ? getNodeValue(version) : undefined;
  if (typeof number === "number" && number > 1)
    return {
      project: null,
      problems: [
        ...problems,
        {
          message: `This file has form ${number}, which a newer Rewardsmith wrote; this one reads form 1.`,
          range: version ? rangeOf(lines, version.offset, version.length) : null,
          severity: "error",
        },
      ],
    };
  const parsed = Project.safeParse(value);
  if (parsed.success) return { project: parsed.data, problems };
  for (const issue of parsed.error.issues) {
    const node = nearestNode(tree, issue.path);
    problems.push({
      message: `${issue.path.length > 0 ? `${issue.path.map(String).join(".")}: ` : ""}${issue.message}`,
      range: rangeOf(lines, node.offset, node.length),
      severity: "error",
    });
  }
  return { project: null, problems };
}

/** The suites of a project, paths resolved against its file. */
export function resolveSuites(project: Project, projectPath: string): ResolvedSuite[] {
  const home = dirName(projectPath);
  return Object.entries(project.suites).map(([name, suite]) => ({
    name,
    rewards: suite.rewards.map((reward) => {
      const cut = reward.use.lastIndexOf(":");
      const file = cut > 1 ? reward.use.slice(0, cut) : reward.use;
      return {
        path: resolvePath(home, file),
        function: cut > 1 ? reward.use.slice(cut + 1) : "",
        contract: reward.contract ?? null,
        weight: reward.weight,
      };
    }),
    samples: suite.samples.map((file) => resolvePath(home, file)),
    mapping: suiteMapping(suite),
    trainer: suite.trainer ?? {},
    labels: suite.labels === undefined ? null : resolvePath(home, suite.labels),
  }));
}

/** The suite that holds rewards of a file: the one with most of them, else null. */
export function suiteFor(suites: readonly ResolvedSuite[], rewardPath: string): ResolvedSuite | null {
  const count = (suite: ResolvedSuite): number =>
    suite.rewards.filter((reward) => reward.path === rewardPath).length;
  return suites.reduce<ResolvedSuite | null>(
    (best, suite) => (count(suite) > (best ? count(best) : 0) ? suite : best),
    null,
  );
}

/** `columns` names parts (prompt, completion …) and reward parameters alike. */
function suiteMapping(suite: Suite): Partial<SampleMapping> {
  const { prompt, completion, id, label, completion_ids: completionIds, ...columns } = suite.columns;
  const group = suite.group;
  return {
    ...(prompt !== undefined && { prompt }),
    ...(completion !== undefined && { completion }),
    ...(id !== undefined && { id }),
    ...(label !== undefined && { label }),
    ...(completionIds !== undefined && { completionIds }),
    columns,
    ...(group?.by !== undefined
      ? { group: group.by === "prompt" ? { by: "prompt" } : { by: "column", column: group.by } }
      : group?.size !== undefined
        ? { group: { by: "size", size: group.size } }
        : {}),
  };
}

function unknownKeys(root: Node, lines: readonly number[]): ProjectProblem[] {
  const problems: ProjectProblem[] = [];
  const check = (node: Node | undefined, shape: z.ZodRawShape | readonly string[], where: string): void => {
    const known = Array.isArray(shape) ? shape.map(String) : Object.keys(shape);
    for (const property of node?.type === "object" ? (node.children ?? []) : []) {
      const key = property.children?.[0];
      if (!key || known.includes(String(key.value))) continue;
      const close = known.find((name) => isClose(name, String(key.value)));
      problems.push({
        message: `${where} has no ${JSON.stringify(String(key.value))}; it is ignored.${close === undefined ? ` It may have: ${known.join(", ")}.` : ` Is ${JSON.stringify(close)} meant?`}`,
        range: rangeOf(lines, key.offset, key.length),
        severity: "warning",
      });
    }
  };
  check(root, Project.shape, "The file");
  const suites = findNodeAtLocation(root, ["suites"]);
  for (const entry of suites?.type === "object" ? (suites.children ?? []) : []) {
    const suite = entry.children?.[1];
    if (suite?.type !== "object") continue;
    check(suite, Suite.shape, "A suite");
    for (const reward of findNodeAtLocation(suite, ["rewards"])?.children ?? [])
      check(reward, RewardRef.shape, "A reward");
    check(findNodeAtLocation(suite, ["group"]), ["by", "size"], "group");
    check(findNodeAtLocation(suite, ["trainer"]), TrainerSettings.shape, "trainer");
  }
  return problems;
}

/** Same letters but for case, order of two, or one more or less: a slip of the finger. */
function isClose(a: string, b: string): boolean {
  if (a.toLowerCase() === b.toLowerCase()) return true;
  if (Math.abs(a.length - b.length) > 1) return false;
  let head = 0;
  while (head < Math.min(a.length, b.length) && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail++;
  const left = a.slice(head, a.length - tail);
  const right = b.slice(head, b.length - tail);
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left[0] === right[1] && left[1] === right[0];
}

function nearestNode(root: Node, path: readonly PropertyKey[]): Node {
  const keys = path.filter((key) => typeof key !== "symbol");
  for (let length = keys.length; length > 0; length--) {
    const node = findNodeAtLocation(root, keys.slice(0, length));
    if (node) return node;
  }
  return root;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return starts;
}

function rangeOf(lines: readonly number[], offset: number, length: number): Range {
  const position = (at: number): Range["start"] => {
    const line = Math.max(
      0,
      lines.findLastIndex((start) => start <= at),
    );
    return { line, character: at - (lines[line] ?? 0) };
  };
  return { start: position(offset), end: position(offset + length) };
}

/** "PropertyNameExpected" → "property name expected". */
function words(code: string): string {
  return code.replace(/(?<!^)([A-Z])/g, " $1").toLowerCase();
}
