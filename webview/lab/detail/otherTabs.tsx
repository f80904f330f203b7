import type { LabDetail } from "../../../src/schema/lab";
import { Content } from "./messages";
import type { DetailModel } from "./model";
import { parametersOf } from "./source";
import { Visible } from "../../shared/visibleText";

export function PromptTab({ model }: { readonly model: DetailModel }) {
  const detail = model.detail.value;
  return detail && <Content value={detail.prompt} speech={model.lab.speech.value} />;
}

export function ColumnsTab({ model }: { readonly model: DetailModel }) {
  const { t } = model.lab.speech.value;
  const detail = model.detail.value;
  if (!detail) return null;
  const columns = Object.entries(detail.columns);
  if (columns.length === 0) return <p class="quiet">{t("The sample has no further columns.")}</p>;
  const readers = readersOf(detail, model.source.value);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t("Column")}</th>
          <th scope="col">{t("Value")}</th>
          {readers && <th scope="col">{t("Read by")}</th>}
        </tr>
      </thead>
      <tbody>
        {columns.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">
              <Visible text={name} />
            </th>
            <td>
              <pre>
                <Visible text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} />
              </pre>
            </td>
            {readers && (
              <td>
                {readers(name).map(({ fn, parameter }) => (
                  <div key={fn}>
                    <code>{`${fn}(${parameter})`}</code>
                  </div>
                ))}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Which parameter takes a column, by function; null: the page doesn't have the text. */
function readersOf(
  detail: LabDetail,
  source: string | null,
): ((column: string) => { fn: string; parameter: string }[]) | null {
  if (source === null) return null;
  const functions = detail.functions.map(({ name, line }) => ({
    name,
    parameters: parametersOf(source, line) ?? [],
  }));
  return (column) =>
    functions.flatMap(({ name, parameters }) => {
      const rest = parameters.find((parameter) => parameter.startsWith("**"));
      if (parameters.includes(column)) return [{ fn: name, parameter: column }];
      return rest === undefined ? [] : [{ fn: name, parameter: rest }];
    });
}

export function OutputTab({ model }: { readonly model: DetailModel }) {
  const { lab } = model;
  const { t } = lab.speech.value;
  const functions = model.detail.value?.functions ?? [];
  const printed = functions.flatMap((fn) =>
    fn.output === null || fn.output === "" ? [] : [{ ...fn, output: fn.output }],
  );
  const byBatch = (name: string): boolean =>
    lab.scores.value.scores?.functions.find((fn) => fn.name === name)?.contract === "trl";
  if (printed.length === 0)
    return <p class="quiet">{t("Nothing was printed while this sample was scored.")}</p>;
  return (
    <>
      {printed.map((fn) => (
        <section key={fn.name} aria-label={fn.name}>
          <h3>{fn.name}</h3>
          {byBatch(fn.name) && !fn.recovered && (
            <p class="quiet">
              {t(
                "Printed while the sample's whole batch was scored: other samples of it may have printed this.",
              )}
            </p>
          )}
          <pre>
            <Visible text={fn.output} />
          </pre>
        </section>
      ))}
    </>
  );
}
