import { RewardsmithError } from "../../base/errors";
import { SHORTEST_SECRET, hideConfig, type Hide, secretPlaces } from "../../core/runs/secrets";
import { Json } from "../../schema/json";
import type { NewRun } from "./runService";

type Variables = Readonly<Record<string, string>>;

/** Plain variables that are secrets by their names or forms become secrets: they are handed on, and not written. */
export function withoutSecrets(
  plain: Variables,
  given: Variables,
): { readonly env: Record<string, string>; readonly secrets: Record<string, string> } {
  const env: Record<string, string> = {};
  const secrets: Record<string, string> = { ...given };
  for (const [name, value] of Object.entries(plain)) {
    if (name in given) continue;
    const hides = JSON.stringify(hideConfig({ [name]: value })) !== JSON.stringify({ [name]: value });
    (hides ? secrets : env)[name] = value;
  }
  return { env, secrets };
}

/** Throws BadArguments. */
export function refuseShort(secrets: Variables): void {
  for (const [name, value] of Object.entries(secrets))
    if (value.length < SHORTEST_SECRET)
      throw new RewardsmithError(
        "BadArguments",
        `The secret ${name} has fewer than ${SHORTEST_SECRET} characters: hiding it would hide half of the log. Choose a longer one.`,
        { name },
      );
}

/** Throws BadArguments where a secret would be written: it says where it stands, never what it is. */
export function refuseWritten(run: NewRun, env: Variables, hide: Hide): void {
  const { command, files } = run.output;
  const words = command === null ? [] : [command.program, ...command.args];
  // A recipe may wrap the user's own command into a file.
  const typed = [...(run.input?.command ?? [])];
  const looked = Json.parse({ settings: run.settings, command: words, words: typed });
  const places = [...secretPlaces(looked)];
  if ([...words, ...typed, command?.cwd ?? ""].some((text) => hide(text) !== text))
    places.push("the command");
  if (hide(JSON.stringify(run.settings)) !== JSON.stringify(run.settings)) places.push("the settings");
  for (const [name, value] of Object.entries(env)) if (hide(value) !== value) places.push(name);
  for (const { path, text } of files) if (hide(text) !== text) places.push(`job/${path}`);
  if (places.length === 0) return;
  throw new RewardsmithError(
    "BadArguments",
    `There is a secret in what would be written to the run's record and seen in the process list: ${[...new Set(places)].join(", ")}. Put it into an environment variable, name the variable as a secret of the run, and have the program read it from there.`,
    { places: places.join(", ") },
  );
}
