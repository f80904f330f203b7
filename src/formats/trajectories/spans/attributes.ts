import type { Fields } from "../build";
import { isFields, textOr } from "../build";
import { parseValue } from "../jsonValue";

/** Values that instrumentations pack into text, since attributes hold no objects. Text that is no JSON stays text. */
export function unpack(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
  const parsed = parseValue(value);
  return parsed.ok ? parsed.value : value;
}

/** A flattened list (`llm.input_messages.0.message.role`) as a list of objects; null where there is no such key. */
export function unflatten(attributes: Fields, prefix: string): readonly unknown[] | null {
  const start = `${prefix}.`;
  const entries = Object.entries(attributes).filter(([key]) => key.startsWith(start));
  if (entries.length === 0) return null;
  const root = new Map<string, Tree>();
  for (const [key, value] of entries) place(root, key.slice(start.length).split("."), value);
  const list = toValue(root);
  return Array.isArray(list) ? list : null;
}

type Tree = Map<string, Tree> | { readonly leaf: unknown };

function place(into: Map<string, Tree>, path: readonly string[], value: unknown): void {
  const [first = "", ...rest] = path;
  if (rest.length === 0) {
    into.set(first, { leaf: value });
    return;
  }
  const known = into.get(first);
  const next = known instanceof Map ? known : new Map<string, Tree>();
  into.set(first, next);
  place(next, rest, value);
}

/** Keys that are all numbers make a list, in their order; gaps don't make holes. */
function toValue(tree: Tree): unknown {
  if (!(tree instanceof Map)) return tree.leaf;
  const keys = [...tree.keys()];
  if (keys.every((key) => /^\d+$/.test(key)))
    return [...tree].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => toValue(item));
  return Object.fromEntries([...tree].map(([key, item]) => [key, toValue(item)]));
}

/** The first of the named attributes that is there. */
export function firstOf(attributes: Fields, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = attributes[name];
    if (value !== undefined && value !== null && value !== "") return value;
  }
  return null;
}

export function textOf(attributes: Fields, ...names: readonly string[]): string | null {
  const value = firstOf(attributes, ...names);
  return textOr(Array.isArray(value) ? value[0] : value);
}

/** The object of a text or of itself. */
export function objectOf(value: unknown): Fields {
  const whole = unpack(value);
  return isFields(whole) ? whole : {};
}
