import { OWN_FIELDS, type OwnField } from "../../src/core/query/fields";
import { fieldName } from "../../src/core/query/suggest";
import type { Speech } from "../../src/words/format";
import { type FilterExample, FilterExamples } from "../shared/filterBox";

export interface FilterHelpProps {
  readonly functions: readonly string[];
  readonly columns: readonly string[];
  readonly speech: Speech;
  readonly onTake: (example: string) => void;
}

function fieldMeans(name: OwnField, { t }: Speech): string {
  switch (name) {
    case "state":
      return t("state, or several of them");
    case "total":
      return t("sum of weight × score");
    case "advantage":
      return t("as the trainer computes it");
    case "ifFixed":
      return t("advantage over scored rows alone");
    case "change":
      return t("total now minus under the baseline");
    case "ms":
      return t("milliseconds in your functions");
    case "length":
      return t("characters of the completion");
    case "label":
      return t("good, bad, any, none, or a number");
    case "flip":
      return t("up, down, any: changed against the baseline");
    case "group":
      return t("rows of one group");
    case "id":
      return t("the sample of that identity");
    case "row":
      return t("rows by number, from 1");
    case "prompt":
      return t("the prompt contains it");
    case "completion":
      return t("the completion contains it");
    case "reason":
      return t("why a row has no score");
  }
}

/** Fields of the filter with an example of each; an example can be taken. */
export function FilterHelp({ functions, columns, speech, onTake }: FilterHelpProps) {
  const { t } = speech;
  const fn = fieldName(functions[0] ?? "correctness");
  const rows: FilterExample[] = [
    { example: "four", means: t("any other word: the completion or the prompt contains it") },
    ...OWN_FIELDS.map(({ name, example }) => ({ example, means: fieldMeans(name, speech) })),
    { example: `${fn}>=1`, means: t("score by one function") },
    { example: `${fn}:raised`, means: t("state of one function") },
    ...columns.slice(0, 1).map((column) => ({
      example: `${fieldName(column)}:4`,
      means: t("a column of the data"),
    })),
    { example: "tied", means: t("also: filtered, nogradient, crumb, pinned, recovered, unscored") },
    { example: "state:raised or flip", means: t("either; with nothing between them both must hold") },
    { example: "-flip", means: t("all others") },
  ];
  return (
    <FilterExamples rows={rows} speech={speech} onTake={onTake}>
      {t("A row without a score matches no comparison. There are no regular expressions.")}
      {columns.length > 0 && <> {t("Columns: {0}", columns.join(", "))}</>}
    </FilterExamples>
  );
}
