import { isAbsolute, relative } from "node:path";
import type { Recipe, RecipeInput } from "../../core/runs/recipe";
import { recipeOf, RECIPES } from "../../core/runs/recipes/registry";
import { findInterpreters } from "../../runtime/interpreters";
import type { RunId } from "../../schema/run";
import type { RunDetail } from "../../services/runs/runService";
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
  if (args.rest.length === 0)
    throw wrong("run start needs the command after --, e.g. rewardsmith run start -- python train.py.");
  const secrets = secretsOf(args);
  const created = await create(args, runs, { recipe, backend, secrets });
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
  if (recipe.id !== "custom")
    throw wrong(`The command line starts the recipe custom; ${recipe.title} is launched from the editor.`);
  return recipe;
}

async function create(
  args: Arguments,
  runs: Runs,
  {
    recipe,
    backend,
    secrets,
  }: {
    readonly recipe: Recipe;
    readonly backend: string;
    readonly secrets: Readonly<Record<string, string>>;
  },
): Promise<RunDetail> {
  const input: RecipeInput = {
    settings: {},
    smoke: false,
    version: null,
    reward: null,
    columns: {},
    python: await pythonOf(args, runs.project),
    backend: "local",
    command: args.rest,
    secrets: Object.keys(secrets),
    checkpoint: null,
  };
  const output = recipe.prepare(input);
  const problem = output.problems.find(({ severity }) => severity === "error");
  if (problem) throw wrong(problem.text);
  return runs.service.create({
    name: args.text("name") ?? nameOf(args.rest),
    backend: { name: backend, type: "local" },
    recipe: { id: recipe.id, check: recipe.check, framework: recipe.framework?.name ?? null, version: null },
    smoke: false,
    settings: {},
    output: {
      ...output,
      command: output.command && { ...output.command, env: { ...output.command.env, ...envOf(args) } },
    },
    reward: null,
    rewardFiles: [],
    suite: null,
    samples: [],
    resumes: null,
    override: null,
    secrets,
    input,
  });
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
