import { isAbsolute, relative } from "node:path";
import type { Recipe } from "../../core/runs/recipe";
import { recipeOf, RECIPES } from "../../core/runs/recipes/registry";
import { findInterpreters } from "../../runtime/interpreters";
import { frameworkVersion } from "../../runtime/runs/frameworkVersion";
import { Json, parseJson } from "../../schema/json";
import { type RunId, RunSettings } from "../../schema/run";
import { Documents } from "../../services/documents";
import { type ResolvedSuite, resolveSuites } from "../../services/project";
import { planLaunch } from "../../services/runs/launch";
import { type Arguments, wrong } from "../arguments";
import { EXIT, type Exit } from "../exit";
import type { Session } from "../session";
import { paint } from "../terminal";
import { follow } from "./runLogs";
import type { Runs } from "./runOpen";
import { show } from "./runText";

const LOCAL = "local";
/** So that what is said of the job is more than that it is being started. */
const BEGUN_WITHIN_MS = 3000;

/** `rewardsmith run start`: makes the run's folder, starts it, leaves it to its supervisor. */
export async function start(args: Arguments, session: Session, runs: Runs): Promise<Exit> {
  const recipe = chosen(args);
  const backend = args.text("backend") ?? LOCAL;
  if (backend !== LOCAL) throw wrong(`There is no backend ${JSON.stringify(backend)}. There is: ${LOCAL}.`);
  const custom = recipe.id === "custom";
  if (custom && args.rest.length === 0)
    throw wrong("run start needs the command after --, e.g. rewardsmith run start -- python train.py.");
  if (!custom && args.rest.length > 0)
    throw wrong(`The recipe ${recipe.id} makes its own command; a command after -- is for custom.`);
  const secrets = secretsOf(args);
  const suite = suiteOf(args, runs, custom);
  const { run, problems, unsupported } = await planLaunch(
    {
      name: args.text("name") ?? (custom ? nameOf(args.rest) : `${recipe.id}-${suite?.name ?? "run"}`),
      recipe,
      backend: { name: backend, type: "local" },
      project: runs.project,
      suite,
      settings: settingsOf(args),
      smoke: args.flag("smoke"),
      python: await pythonOf(args, runs.project),
      command: custom ? args.rest : null,
      secrets,
      override: null,
    },
    {
      documents: new Documents(session.files),
      files: session.files,
      hasher: session.hasher,
      version: frameworkVersion,
    },
  );
  for (const { severity, text } of problems)
    if (severity === "warning")
      session.terminal.err(`${paint(session.terminal, "warn", "warning")}: ${text}\n`);
  if (unsupported.length > 0)
    session.terminal.err(
      `${paint(session.terminal, "warn", "warning")}: ${recipe.title} has no way to follow ${unsupported.join(", ")}.\n`,
    );
  const stops = problems.filter(({ severity }) => severity === "error");
  if (stops.length > 0) throw wrong(stops.map(({ text }) => text).join("\n"));
  const { command } = run.output;
  const env = envOf(args);
  const created = await runs.service.create({
    ...run,
    output: { ...run.output, command: command && { ...command, env: { ...command.env, ...env } } },
  });
  if (command === null) {
    // A notebook to upload: the files are what was asked for.
    await show(args, session, runs, created.id);
    return EXIT.fine;
  }
  return begin(args, session, runs, created.id, secrets);
}

/** `rewardsmith run resume`: a new run that goes on from a checkpoint of another. */
export async function resume(args: Arguments, session: Session, runs: Runs, id: RunId): Promise<Exit> {
  const secrets = secretsOf(args);
  const made = await runs.service.resume(id, args.text("checkpoint"), secrets);
  return begin(args, session, runs, made.id, secrets);
}

async function begin(
  args: Arguments,
  session: Session,
  runs: Runs,
  id: RunId,
  secrets: Readonly<Record<string, string>>,
): Promise<Exit> {
  await runs.service.start(id, secrets);
  if (!args.json && args.flag("follow")) {
    session.terminal.err(`${paint(session.terminal, "quiet", `${id}  ${runs.service.folderOf(id)}`)}\n`);
    await follow(session, runs.service, id, 0);
    if (session.signal.aborted) {
      session.terminal.err(`${id} goes on. rewardsmith run stop ${id} ends it.\n`);
      return EXIT.interrupted;
    }
  }
  await runs.service.begun(id, BEGUN_WITHIN_MS, session.signal);
  const exit = await show(args, session, runs, id);
  return args.flag("follow") ? exit : EXIT.fine;
}

function chosen(args: Arguments): Recipe {
  const id = args.text("recipe") ?? "custom";
  const recipe = recipeOf(id);
  if (!recipe)
    throw wrong(
      `There is no recipe ${JSON.stringify(id)}. There are: ${RECIPES.map((one) => one.id).join(", ")}.`,
    );
  return recipe;
}

/** Named, or the project's only one. A command of one's own needs none. */
function suiteOf(args: Arguments, runs: Runs, custom: boolean): ResolvedSuite | null {
  const name = args.text("suite");
  const { path, project } = runs.loaded;
  const suites = path !== null && project ? resolveSuites(project, path) : [];
  const names = suites.map((suite) => suite.name).join(", ");
  if (name !== null) {
    const found = suites.find((suite) => suite.name === name);
    if (!found) throw wrong(`--suite: there is no ${JSON.stringify(name)}. There are: ${names || "none"}.`);
    return found;
  }
  if (custom) return null;
  const [only, ...more] = suites;
  if (!only)
    throw wrong("There is no suite to train on: rewardsmith init writes a rewardsmith.json with one.");
  if (more.length > 0) throw wrong(`There are several suites: choose one of ${names} with --suite.`);
  return only;
}

/** `--set a.b=VALUE`: a value that reads as JSON is one, anything else is text. */
function settingsOf(args: Arguments): RunSettings {
  const settings: { [key: string]: Json } = {};
  for (const text of args.texts("set")) {
    const cut = text.indexOf("=");
    if (cut < 1) throw wrong(`--set: ${JSON.stringify(text)} isn't NAME=VALUE.`);
    const [first = "", ...rest] = text.slice(0, cut).split(".");
    if (!Object.hasOwn(RunSettings.shape, first))
      throw wrong(
        `--set: there is no setting ${first}. There are: ${Object.keys(RunSettings.shape).join(", ")}; a framework's own goes as extra.${first}.`,
      );
    const read = Json.safeParse(jsonOrText(text.slice(cut + 1))).data ?? null;
    // The framework's own keys have dots themselves: what follows `extra.` is one key.
    const keys = first === "extra" && rest.length > 0 ? [rest.join(".")] : rest;
    if (keys.length === 0) settings[first] = read;
    else {
      const before = settings[first];
      const inner = typeof before === "object" && before !== null && !Array.isArray(before) ? before : {};
      settings[first] = { ...inner, [keys.join(".")]: read };
    }
  }
  const parsed = RunSettings.safeParse(settings);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrong(`--set ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "can't be read"}.`);
}

function jsonOrText(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}

/** The interpreter that the recipe's own launcher runs in. */
async function pythonOf(args: Arguments, project: string): Promise<string> {
  const found = await findInterpreters({
    setting: args.text("python"),
    env: process.env,
    folders: [project],
    platform: process.platform,
  });
  const first = found[0]?.path;
  if (first === undefined) throw wrong("No Python was found. Name one with --python.");
  return first;
}

/** The program's name without folder and ending: `train` of `python train.py`. */
function nameOf(command: readonly string[]): string {
  const script = command.find((word) => /\.(py|sh)$/.test(word)) ?? command[0] ?? "run";
  const name = isAbsolute(script) ? relative("/", script) : script;
  return (name.split(/[\\/]/).at(-1) ?? name).replace(/\.\w+$/, "");
}

function envOf(args: Arguments): Record<string, string> {
  return Object.fromEntries(
    args.texts("env").map((text) => {
      const cut = text.indexOf("=");
      if (cut < 1) throw wrong(`--env: ${JSON.stringify(text)} isn't NAME=VALUE.`);
      return [text.slice(0, cut), text.slice(cut + 1)];
    }),
  );
}

/** By name only: a value on the command line would be in the process list and the shell's history. */
function secretsOf(args: Arguments): Record<string, string> {
  return Object.fromEntries(
    args.texts("secret").map((name) => {
      if (name.includes("="))
        throw wrong(
          "--secret takes the name of a variable, not its value: a value here would be seen in the process list.",
        );
      const value = process.env[name];
      if (value === undefined || value === "")
        throw wrong(
          `--secret ${name}: there is no such variable in this environment. Set it, then start again.`,
        );
      return [name, value];
    }),
  );
}
