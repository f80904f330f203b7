import { useEffect, useRef } from "preact/hooks";
import type { DetailFunction, LabTry } from "../../../src/schema/lab";
import { errorSentence } from "../../../src/words/errors";
import { formatScore } from "../../../src/words/format";
import { Content } from "./messages";
import type { DetailModel } from "./model";
import { Stale } from "./text";
import { Visible } from "../../shared/visibleText";
import { Toolbar, type ToolbarItem } from "./toolbar";
import { reasonInWords, scoreOrState, signed } from "./words";

/** The completion to read, and to edit: another text is scored in its place while it is typed. */
export function CompletionTab({ model }: { readonly model: DetailModel }) {
  const { lab } = model;
  const { t } = lab.speech.value;
  const detail = model.detail.value;
  if (!detail) return null;
  const text = model.attempted.value;
  const editing = model.editing.value || text !== null;
  return (
    <div class={editing ? "trying" : ""}>
      <div class="completion">
        <Toolbar label={t("Completion")} items={items(model, editing)} />
        {editing ? <Editor model={model} /> : <Content value={detail.completion} speech={lab.speech.value} />}
        {detail.cut && (
          <p class="quiet">{t("The text is longer than what is shown; trying it tries the shown part.")}</p>
        )}
      </div>
      {editing && <Results model={model} />}
    </div>
  );
}

function items(model: DetailModel, editing: boolean): ToolbarItem[] {
  const { lab } = model;
  const { t } = lab.speech.value;
  const host = lab.connection.host;
  const tried = model.attempted.value !== null;
  const fail = (error: unknown): void => lab.fail(error);
  const paste = async (): Promise<void> => {
    model.editing.value = true;
    try {
      model.type(await navigator.clipboard.readText());
    } catch {
      lab.say(t("The clipboard can't be read from here; paste into the text with the keyboard."));
    }
  };
  const keep = async (): Promise<void> => {
    const detail = model.detail.value;
    const completion = model.completion();
    if (!detail || completion === undefined) return;
    const { kept } = await host.keepSample({ row: detail.row, completion });
    if (kept) lab.say(t("Kept as a sample."));
  };
  const revert = (): void => {
    model.revert();
    lab.say(t("The sample's own completion again."));
  };
  const diff = async (): Promise<void> => {
    const detail = model.detail.value;
    if (!detail) return;
    await host.diffTexts({
      title: t("Row {0}: completion, and as tried", detail.row + 1),
      left: model.editable.value?.text ?? "",
      right: model.attempted.value ?? "",
    });
  };
  return [
    ...(editing
      ? []
      : [{ id: "edit", label: t("Edit to Try"), icon: "edit", run: () => (model.editing.value = true) }]),
    {
      id: "paste",
      label: t("Paste"),
      icon: "clippy",
      title: t("Try the clipboard's text"),
      run: () => void paste(),
    },
    ...(editing
      ? [
          { id: "revert", label: t("Revert"), icon: "discard", run: () => revert() },
          {
            id: "keep",
            label: t("Keep as Sample…"),
            icon: "save-as",
            disabled: !tried,
            run: () => void keep().catch(fail),
          },
          {
            id: "diff",
            label: t("Show Difference"),
            icon: "diff",
            disabled: !tried,
            run: () => void diff().catch(fail),
          },
        ]
      : []),
  ];
}

function Editor({ model }: { readonly model: DetailModel }) {
  const { t } = model.lab.speech.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const own = model.editable.value?.text ?? "";
  const text = model.attempted.value;
  // Only where the user just asked for it: a sample that has a tried text doesn't take the focus when it is selected.
  const asked = model.editing.value;
  useEffect(() => {
    if (asked) field.current?.focus();
  }, [asked]);
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || model.attempted.value !== null) return;
    event.preventDefault();
    model.editing.value = false;
  };
  return (
    <>
      <textarea
        ref={field}
        class="attempt"
        spellcheck={false}
        dir="auto"
        aria-label={t("Completion to try")}
        value={text ?? own}
        onInput={(event) => model.type(event.currentTarget.value)}
        onKeyDown={keys}
      />
      {own.includes("\r") && (
        <p class="quiet">
          {t("The sample has carriage returns; a text that is edited here has line feeds alone.")}
        </p>
      )}
    </>
  );
}

function Results({ model }: { readonly model: DetailModel }) {
  const { lab } = model;
  const { t } = lab.speech.value;
  const detail = model.detail.value;
  const failure = model.attempt.failure.value;
  const result = model.attempt.value.value;
  const text = model.attempted.value;
  useEffect(() => {
    if (!result || result.error !== null) return;
    const { language } = lab.speech.value;
    const total = formatScore(result.total, language);
    lab.say(t("As tried: total {0}, advantage {1}.", total, signed(result.advantage, language)));
  }, [result]);
  if (!detail) return null;
  if (text !== null && model.editable.value?.put(text) === null)
    return <p role="alert">{t("This is not valid JSON yet.")}</p>;
  return (
    <section class="results" aria-label={t("Scores of this text")}>
      {!lab.trusted.value && (
        <p role="note">{t("This folder is not trusted, so nothing runs. Trust it to try a text.")}</p>
      )}
      {failure !== null && <p role="alert">{errorSentence(failure, lab.speech.value)}</p>}
      {text === null && <p class="quiet">{t("Type: each change is scored as this sample's completion.")}</p>}
      {text !== null && !result && !failure && <p class="quiet">{t("Scoring…")}</p>}
      {result && (
        <Stale old={model.attempt.old}>
          {result.error !== null && <p role="alert">{result.error.message}</p>}
          <Scores model={model} result={result} />
        </Stale>
      )}
    </section>
  );
}

function Scores({ model, result }: { readonly model: DetailModel; readonly result: LabTry }) {
  const { lab } = model;
  const speech = lab.speech.value;
  const { t, language } = speech;
  const detail = model.detail.value;
  const before = (name: string): DetailFunction | undefined =>
    detail?.functions.find((fn) => fn.name === name);
  return (
    <table data-attempt="">
      <thead>
        <tr>
          <th scope="col">{t("Function")}</th>
          <th scope="col" class="number">
            {t("This text")}
          </th>
          <th scope="col" class="number">
            {t("The sample")}
          </th>
        </tr>
      </thead>
      <tbody>
        {result.functions.map((fn) => (
          <tr key={fn.name} data-function={fn.name}>
            <th scope="row">
              {fn.name}
              {fn.reason !== null && (
                <div class="quiet">
                  <Visible text={reasonInWords(fn.reason, speech)} />
                </div>
              )}
              {fn.output !== null && fn.output !== "" && (
                <details>
                  <summary>{t("Output")}</summary>
                  <pre>
                    <Visible text={fn.output} />
                  </pre>
                </details>
              )}
            </th>
            <td class="number">{scoreOrState(fn, speech)}</td>
            <td class="number">{scoreOrState(before(fn.name) ?? { state: null, value: null }, speech)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">{t("total")}</th>
          <td class="number" data-total="">
            {scoreOrState({ state: "scored", value: result.total }, speech)}
          </td>
          <td class="number">{scoreOrState({ state: "scored", value: detail?.total ?? null }, speech)}</td>
        </tr>
        <tr>
          <th scope="row" title={t("What it would get in its group, in this sample's place")}>
            {t("advantage")}
          </th>
          <td class="number" data-advantage="">
            {signed(result.advantage, language)}
          </td>
          <td class="number">{signed(detail?.advantage ?? null, language)}</td>
        </tr>
      </tbody>
    </table>
  );
}
