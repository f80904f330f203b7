import type { FilterProblem } from "../schema/filter";
import type { Speech } from "./format";

/** What is wrong with a filter, and what to write instead. */
export function filterErrorInWords(
  { code, subject, near }: Pick<FilterProblem, "code" | "subject" | "near">,
  { t }: Speech,
): string {
  switch (code) {
    case "unknown-field":
      return near === null
        ? t(
            'There is no field {0}. To search for this text, put it in quotes: "{1}".',
            subject,
            `${subject}:…`,
          )
        : t("There is no field {0}. Did you mean {1}?", subject, near);
    case "unknown-value":
      return near === null
        ? t("{0} is none of the words that may stand here.", subject)
        : t("{0} is none of the words that may stand here. Did you mean {1}?", subject, near);
    case "not-a-number":
      return t("{0} is not a number.", subject);
    case "not-a-row":
      return t("{0} is no row. Rows count from 1: row:17, row:10..20.", subject);
    case "not-ordered":
      return t("{0} has no order: only : may stand behind it.", subject);
    case "no-value":
      return t("A value is missing behind {0}", subject);
    case "no-field":
      return t("A field is missing before {0}", subject);
    case "no-term":
      return t("Something is missing beside {0}", subject);
    case "open-quote":
      return t("The end quote is missing.");
    case "open-parenthesis":
      return t("The closing parenthesis is missing.");
    case "stray-parenthesis":
      return t("This parenthesis closes nothing.");
    case "regex":
      return t("Patterns are not supported. To search for this text, put it in quotes.");
    case "too-deep":
      return t("The parentheses are nested too deep.");
  }
}
