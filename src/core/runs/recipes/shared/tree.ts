import type { Json } from "../../../../schema/json";

type Tree = { [key: string]: Json };

function isTree(value: Json | undefined): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Dotted keys as nested mappings, in the order in which they come. A later key goes into an earlier one's mapping. */
export function nest(flat: Iterable<readonly [key: string, value: Json]>): Tree {
  const root: Tree = {};
  for (const [key, value] of flat) {
    const parts = key.split(".");
    const last = parts.pop() ?? key;
    let at = root;
    for (const part of parts) {
      const next = Object.hasOwn(at, part) ? at[part] : undefined;
      const inner: Tree = isTree(next) ? next : {};
      if (next !== inner) put(at, part, inner);
      at = inner;
    }
    put(at, last, value);
  }
  return root;
}

/** `__proto__` is a name like any other. */
function put(tree: Tree, key: string, value: Json): void {
  Object.defineProperty(tree, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Text that OmegaConf (2.3) reads as it is: `${` would be an interpolation. */
export function omegaText(text: string): string {
  return text.replace(/(\\*)\$\{/gu, (_, slashes: string) => `${slashes}${slashes}\\\${`);
}

/** Every text in a value through `omegaText`. */
export function omegaValue(value: Json): Json {
  if (typeof value === "string") return omegaText(value);
  if (Array.isArray(value)) return value.map(omegaValue);
  if (isTree(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, omegaValue(one)]));
  return value;
}
