import { stringify } from "yaml";
import type { Json } from "../../../../schema/json";

/** A value as YAML that reads back as the same in YAML 1.1 and 1.2 (`yes`, `1e-6` and `0o7` are read differently). */
export function yamlText(value: Json): string {
  return stringify(value, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false });
}
