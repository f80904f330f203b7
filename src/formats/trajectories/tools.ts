import type { Tool } from "../../schema/trajectory";
import { fieldsOf, isFields, nameOf, textOr } from "./build";

/** A tool's definition: OpenAI's `{type, function}`, flat (Responses, Inspect), or Anthropic's `input_schema`. */
export function toolOf(definition: unknown): Tool {
  const whole = fieldsOf(definition);
  const inner = isFields(whole["function"]) ? whole["function"] : whole;
  return {
    name: nameOf(inner["name"]) ?? "",
    description: textOr(inner["description"]),
    schema: inner["parameters"] ?? inner["input_schema"] ?? inner["inputSchema"] ?? null,
  };
}
