import { useEffect, useRef } from "preact/hooks";
import type { LabDetail } from "../../../src/schema/lab";
import { formatScore, oneLine, type Speech } from "../../../src/words/format";
import { stateAlone } from "../../../src/words/states";
import { clearLabel, choosePair, giveLabel, labelTold } from "./labelling";
import type { DetailModel } from "./model";
import { useReturnFocus } from "../../shared/keepFocus";
import { pinRow } from "../select";
import { Visible } from "../../shared/visibleText";
import { Toolbar, type ToolbarItem } from "./toolbar";
import { signed } from "./words";

/** Which sample, what it got and how that adds up, and what can be done with it. */
export function Head({ model, detail }: { readonly model: DetailModel; readonly detail: LabDetail }) {
  const speech = model.lab.speech.value;
  const { t, language } = speech;
  const label = detail.label;
  const rank = detail.members.findIndex(({ row }) => row === detail.row);
  return (
    <header class="detail-head">
      <h2>
        <span>{t("Row {0}", detail.row + 1)}</span>
        <span>
          <Visible text={oneLine(detail.group, 60)} />
        </span>
        <span class={label === null ? "quiet" : ""}>
          {label === null ? t("no label") : labelTold(label, speech)}
        </span>
      </h2>
      <p class="sum">
        <strong data-total="">{formatScore(detail.total, language)}</strong>
        <Sum detail={detail} speech={speech} />
      </p>
      <p class="advantage">
        <span title={t("In its group, as the trainer computes it; the formula stands in Groups")}>
          {t("advantage")}
          <span class="said">
            {" "}
            ({t("In its group, as the trainer computes it; the formula stands in Groups")})
          </span>
        </span>{" "}
        <strong>{signed(detail.advantage, language)}</strong>
        {different(detail) && (
          <>
            {" "}
            <span title={t("Over the scored rows of the group alone")}>
              {t("({0} if fixed)", signed(detail.ifFixed, language))}
              <span class="said"> {t("Over the scored rows of the group alone")}</span>
            </span>
          </>
        )}
        {rank !== -1 && detail.members.length > 1 && (
          <span class="quiet" title={t("Place in its group, best first")}>
            {" "}
            {t("place {0} of {1}", rank + 1, detail.members.length)}
          </span>
        )}
      </p>
      <Toolbar label={t("Sample")} items={items(model, detail)} />
      <NumberField model={model} row={detail.row} />
      <PairQuestion model={model} />
    </header>
  );
}

/** ` = 1.0 × 0.2 correctness + 0.3 × 0.33 format`: weight times score; a state's word where there is no score. */
function Sum({ detail, speech }: { readonly detail: LabDetail; readonly speech: Speech }) {
  const { t, language } = speech;
  return (
    <>
      {detail.functions.map((fn, i) => (
        <span key={fn.name} class="part">
          {i === 0 ? " = " : " + "}
          <span title={t("weight of {0}", fn.name)}>{formatScore(fn.weight, language)}</span>
          {" × "}
          <span title={t("score of {0}", fn.name)}>{formatScore(fn.value, language)}</span>{" "}
          <span class="quiet">
            {fn.name}
            {fn.state !== "scored" &&
              ` ${fn.state === null ? t("not scored yet") : stateAlone(fn.state, speech)}`}
          </span>
        </span>
      ))}
    </>
  );
}

function different({ advantage, ifFixed }: LabDetail): boolean {
  return JSON.stringify(advantage) !== JSON.stringify(ifFixed);
}

function items(model: DetailModel, detail: LabDetail): ToolbarItem[] {
  const { lab } = model;
  const { t } = lab.speech.value;
  const { host } = lab.connection;
  const { row, label } = detail;
  const mine = label?.source === "sidecar" ? label.value : null;
  const pinned = lab.scores.value.scores?.pinned === row;
  const fn = model.function.value?.name;
  const tell = (work: Promise<unknown>): void => void work.catch((error: unknown) => lab.fail(error));
  return [
    {
      id: "good",
      label: t("Good"),
      icon: "thumbsup",
      title: t("Label as good (g in the table)"),
      pressed: mine === "good",
      run: () => void giveLabel(lab, row, "good"),
    },
    {
      id: "bad",
      label: t("Bad"),
      icon: "thumbsdown",
      title: t("Label as bad (b in the table)"),
      pressed: mine === "bad",
      run: () => void giveLabel(lab, row, "bad"),
    },
    {
      id: "number",
      label: t("Number…"),
      title: t("Label with a number on your own scale (# in the table)"),
      pressed: typeof mine === "number",
      run: () => (model.numbering.value = true),
    },
    {
      id: "clear",
      label: t("Clear"),
      title: t("Take the label back (u in the table)"),
      disabled: mine === null,
      run: () => void clearLabel(lab, row),
    },
    {
      id: "pin",
      label: pinned ? t("Unpin") : t("Pin"),
      icon: pinned ? "pinned" : "pin",
      title: t("Show this sample's values beside the lines"),
      pressed: pinned,
      run: () => void pinRow(lab, row),
    },
    {
      id: "debug",
      label: t("Debug This Sample"),
      icon: "debug-alt",
      ...(fn === undefined ? {} : { title: t("Run {0} on this sample alone under the debugger", fn) }),
      disabled: fn === undefined || !lab.trusted.value,
      run: () => {
        if (fn !== undefined) tell(host.debugSample({ row, function: fn }));
      },
    },
    {
      id: "data",
      label: t("Open Data Line"),
      icon: "go-to-file",
      title: t("{0}, line {1}", detail.file, detail.line),
      run: () => tell(host.revealSample({ row })),
    },
  ];
}

/** A label on the labeller's own scale: a number, then Enter. */
function NumberField({ model, row }: { readonly model: DetailModel; readonly row: number }) {
  const field = useRef<HTMLInputElement>(null);
  const open = model.numbering.value;
  useReturnFocus(open);
  useEffect(() => {
    if (open) field.current?.focus();
  }, [open]);
  if (!open) return null;
  const { t } = model.lab.speech.value;
  const give = (event: Event): void => {
    event.preventDefault();
    const value = field.current?.valueAsNumber;
    if (value === undefined || !Number.isFinite(value)) return;
    model.numbering.value = false;
    void giveLabel(model.lab, row, value);
  };
  return (
    <form class="number-label" onSubmit={give}>
      <label>
        {t("Label as a number")}{" "}
        <input
          ref={field}
          type="number"
          step="any"
          onKeyDown={(event) => {
            if (event.key === "Escape") model.numbering.value = false;
          }}
        />
      </label>
      <button type="submit">{t("Label")}</button>
    </form>
  );
}

/** Two rows of a group were marked: which is better? */
function PairQuestion({ model }: { readonly model: DetailModel }) {
  const box = useRef<HTMLDivElement>(null);
  const pair = model.pair.value;
  useReturnFocus(pair !== null);
  useEffect(() => {
    if (pair) box.current?.querySelector<HTMLButtonElement>("button")?.focus();
  }, [pair]);
  const { t } = model.lab.speech.value;
  const first = model.first.value;
  if (!pair)
    return first === null ? null : (
      <p class="quiet">{t("Row {0} is marked; press x on another row of its group.", first.row + 1)}</p>
    );
  const { a, b } = pair;
  const close = (): void => {
    model.pair.value = null;
    model.first.value = null;
  };
  return (
    <div
      ref={box}
      class="pair"
      role="dialog"
      aria-label={t("Which is better?")}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
      }}
    >
      <p>{t("Which is better?")}</p>
      <div class="sides">
        {[[a, b] as const, [b, a] as const].map(([better, worse]) => (
          <div key={better.row}>
            <button type="button" onClick={() => void choosePair(model.lab, better.row, worse.row)}>
              {t("Row {0}", better.row + 1)}
            </button>
            <div class="text-block">
              <Visible text={better.text} />
            </div>
          </div>
        ))}
      </div>
      <button type="button" class="link" onClick={close}>
        {t("Cancel")}
      </button>
    </div>
  );
}
