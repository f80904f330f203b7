import { Json } from "../../../schema/json";
import type { ResolvedKey } from "../../../schema/run";
import { nearestName } from "../../query/fields";
import type { RecipeProblem } from "../recipe";

type Source = ResolvedKey["source"];

/** Same JSON value, whatever the order of its keys. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  const right = new Map(Object.entries(b));
  return left.length === right.size && left.every(([key, one]) => sameJson(one, right.get(key) ?? null));
}

/**
 * The keys of a framework's configuration as they come together: what the recipe needs, what the settings say, and what
 * the user gave under the framework's own names.
 */
export class Keys {
  readonly #set = new Map<string, { value: Json; source: Source; fixed: boolean }>();
  readonly #defaults: ReadonlyMap<string, Json> | null;
  readonly #framework: string;
  /** Of a key that isn't known: an error, or only a word of warning where the table may not be complete. */
  readonly #unknown: RecipeProblem["severity"];
  readonly problems: RecipeProblem[] = [];

  /** @param defaults null where the framework's keys aren't known: then none is refused. */
  constructor(
    framework: string,
    defaults: ReadonlyMap<string, Json> | null,
    unknown: RecipeProblem["severity"] = "error",
  ) {
    this.#framework = framework;
    this.#defaults = defaults;
    this.#unknown = unknown;
  }

  get(key: string): Json | undefined {
    return this.#set.get(key)?.value ?? this.#defaults?.get(key);
  }

  has(key: string): boolean {
    return this.#set.has(key);
  }

  /** Whether this version of the framework has the key; true where its keys aren't known. */
  knows(key: string): boolean {
    return this.#defaults?.has(key) ?? true;
  }

  /** What the framework wouldn't run or couldn't be watched without: nothing else may be said for it. */
  fix(key: string, value: Json): void {
    this.#set.set(key, { value, source: "needed", fixed: true });
  }

  /** What is better so, unless the user says otherwise. */
  need(key: string, value: Json): void {
    if (!this.#set.has(key)) this.#set.set(key, { value, source: "needed", fixed: false });
  }

  set(key: string, value: Json | undefined, source: Source = "settings"): void {
    if (value !== undefined) this.#set.set(key, { value, source, fixed: false });
  }

  /** The user's own keys, as they are. What isn't the framework's, or says another thing than a setting, is a problem. */
  extra(given: Readonly<Record<string, Json>>): void {
    for (const [key, value] of Object.entries(given)) {
      const secret = secretKey(key, value);
      if (secret !== null) {
        this.refuse("conflict", key, secretText(secret));
        continue;
      }
      const there = this.#set.get(key);
      if (there && !sameJson(there.value, value)) {
        if (there.fixed) {
          const why = `\`${key}\` is set by the recipe (${JSON.stringify(there.value)}), as the run couldn't be followed otherwise.`;
          this.refuse("conflict", key, `${why} Take it out of \`extra\`.`);
          continue;
        }
        if (there.source === "settings" || there.source === "suite") {
          const both = `\`${key}\` is ${JSON.stringify(there.value)} by the ${there.source} and ${JSON.stringify(value)} in \`extra\`.`;
          this.refuse("conflict", key, `${both} Keep one of them.`);
          continue;
        }
      }
      if (!this.knows(key)) {
        const near = nearestName(key, this.#defaults?.keys() ?? []);
        const hint = near === null ? "Take it out of `extra`." : `Did you mean \`${near}\`?`;
        const text = `${this.#framework} has no key \`${key}\`. ${hint}`;
        this.problems.push({ code: "conflict", key, text, severity: this.#unknown });
        if (this.#unknown === "error") continue;
      }
      this.#set.set(key, { value, source: "extra", fixed: false });
    }
  }

  refuse(code: RecipeProblem["code"], key: string, text: string): void {
    this.problems.push({ code, key, text, severity: "error" });
  }

  warn(code: RecipeProblem["code"], key: string, text: string): void {
    this.problems.push({ code, key, text, severity: "warning" });
  }

  /** In the order in which they were set. */
  values(): Record<string, Json> {
    return Object.fromEntries([...this.#set].map(([key, { value }]) => [key, value]));
  }

  resolved(): ResolvedKey[] {
    return [...this.#set].map(([key, { value, source }]) =>
      resolvedKey(key, value, this.#default(key), source),
    );
  }

  #default(key: string): Json {
    return this.#defaults?.get(key) ?? null;
  }
}

export function resolvedKey(key: string, value: Json, usual: Json, source: Source): ResolvedKey {
  return { key, value, default: usual, differs: !sameJson(value, usual), source };
}

/** Settings that were given and that the framework has no way to follow. */
export function given<T extends object>(settings: T, names: readonly (keyof T)[]): (keyof T)[] {
  return names.filter((name) => settings[name] !== undefined);
}

const SECRET = /(?:^token|hub_token|auth_token|access_token|api_?key|password|secret)$/iu;

/** The name under which a value looks like a key of the user's, itself or inside; null: there is none. */
export function secretKey(key: string, value: Json): string | null {
  if (typeof value === "string") return SECRET.test(key) && value !== "" ? key : null;
  if (Array.isArray(value))
    return value.map((one) => secretKey(key, one)).find((one) => one !== null) ?? null;
  if (value === null || typeof value !== "object") return null;
  return (
    Object.entries(value)
      .map(([name, one]) => secretKey(name, one))
      .find((one) => one !== null) ?? null
  );
}

/** Why such a value isn't taken. It is never repeated. */
export function secretText(name: string): string {
  return `\`${name}\` would be written into the run's files, where anybody can read it. Store the key as a secret and pass it to the job as a variable.`;
}

/** Any plain data as a JSON value; what is undefined is left out. */
export function plainJson(value: unknown): Json {
  return Json.parse(JSON.parse(JSON.stringify(value)));
}
