import { stringify } from "yaml";
import type { Json } from "../../../../schema/json";
import { escapeHidden, yamlEscape } from "./json";

/**
 * A value as YAML that reads back as the same in YAML 1.1 and 1.2: texts stand in double quotes, as `yes`, `1e-6` and
 * `0o7` are read differently without.
 */
export function yamlText(value: Json): string {
  const text = stringify(value, {
    version: "1.1",
    lineWidth: 0,
    aliasDuplicateObjects: false,
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
  return escapeHidden(text, yamlEscape);
}
