import { type ComponentChildren } from "preact";
import type { TrajectoryHead } from "../../../src/schema/trajectoryView";
import { formatCount, formatDuration, formatNumber, formatScore } from "../../../src/words/format";
import { Icon, IconButton, Notice, Tabs } from "../../shared/controls";
import { copyOne } from "../list/menus";
import { listModel } from "../list/model";
import type { OneTab, Viewer } from "../viewer";
import { outcomeInWords } from "../../../src/words/trajectories";
import { arrow, groupName, labelWord, middleCut, onlyFile, outcomeIcon, signed } from "../words";
import { Conversation } from "./conversation";
import { Details } from "./details";
import { findModel } from "./find";
import { FindBar } from "./findBar";
import { oneModel } from "./model";
import { Outline } from "./outline";
import { Raw } from "./raw";
import { rewardLine } from "./rewardLine";
import { groupStep, jumpToError } from "./steps";
import { Plain } from "./text";

/** One trajectory: its head, its messages, and what else the record holds. */
export function OnePane({ viewer }: { readonly viewer: Viewer }) {
  const model = oneModel(viewer);
  const { t } = viewer.speech.value;
  const { index, outline } = viewer.state.value;
  const head = model.head.value;
  const failure = model.failure.value;
  if (index === null)
    return (
      <Notice icon="comment-discussion" title={t("No trajectory chosen")}>
        <p>{t("Choose one in the list: its messages, tool calls and rewards are shown here.")}</p>
        <Keys viewer={viewer} />
      </Notice>
    );
  const tab = viewer.oneTab.value;
  const panel = "one-panel";
  return (
    <>
      {failure !== null && (
        <p class="bar" role="alert">
          <Icon name="error" /> {t("The trajectory could not be read: {0}", failure)}{" "}
          <button
            type="button"
            class="link"
            onClick={() => {
              model.failure.value = null;
              model.pages.retry();
              model.reload();
            }}
          >
            {t("Try Again")}
          </button>{" "}
          <button type="button" class="link" onClick={() => void viewer.connection.host.showLogs({})}>
            {t("Show Logs")}
          </button>
        </p>
      )}
      {head ? (
        <HeadLine viewer={viewer} head={head} />
      ) : (
        failure === null && <p class="notice quiet">{t("Reading…")}</p>
      )}
      <div class="one-tabs">
        <Tabs
          label={t("Parts of the trajectory")}
          items={[
            { id: "conversation", text: t("Conversation"), panel },
            { id: "details", text: t("Details"), panel },
            { id: "raw", text: t("Raw"), panel },
          ]}
          chosen={tab}
          onChoose={(id) => {
            const chosen = (["conversation", "details", "raw"] satisfies OneTab[]).find((one) => one === id);
            if (chosen) viewer.oneTab.value = chosen;
          }}
        />
        <Tools viewer={viewer} />
      </div>
      <div class="one-panel" id={panel} role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === "conversation" && (
          <>
            {outline && <Outline viewer={viewer} />}
            <div class="conversation-side">
              <FindBar viewer={viewer} />
              {head && head.branches.length > 0 && model.total === 0 ? (
                <p class="notice">{t("The record has no messages. Details and Raw show what it has.")}</p>
              ) : (
                <Conversation viewer={viewer} />
              )}
            </div>
          </>
        )}
        {tab === "details" && head && <Details viewer={viewer} head={head} />}
        {tab === "raw" && head && <Raw viewer={viewer} head={head} />}
      </div>
    </>
  );
}

/** What the keys do: where nothing is shown there is room to say it. */
function Keys({ viewer }: { readonly viewer: Viewer }) {
  const { t } = viewer.speech.value;
  const keys: readonly (readonly [keys: readonly string[], does: string])[] = [
    [["↑", "↓"], t("another trajectory")],
    [["Enter"], t("into its messages")],
    [["n", "N"], t("the next or previous that fails")],
    [["g", "b", "u"], t("label it good or bad, or take the label back")],
    [["x"], t("mark it to be compared")],
    [["/"], t("to the filter")],
    [["c"], t("copy the rows")],
  ];
  return (
    <dl class="keys">
      {keys.map(([names, does]) => (
        <div key={does}>
          <dt>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}

function Tools({ viewer }: { readonly viewer: Viewer }) {
  const { t } = viewer.speech.value;
  const { outline, markdown } = viewer.state.value;
  return (
    <div class="one-tools">
      <IconButton
        icon="list-tree"
        label={t("Outline")}
        pressed={outline}
        onClick={() => viewer.set({ outline: !outline })}
      />
      <IconButton
        icon="markdown"
        label={t("As Markdown")}
        pressed={markdown}
        onClick={() => viewer.set({ markdown: !markdown })}
      />
      <IconButton
        icon="search"
        label={t("Find in this trajectory")}
        onClick={() => findModel(viewer).show()}
      />
      <IconButton icon="error" label={t("Next Error")} onClick={() => jumpToError(viewer, 1)} />
      <IconButton icon="copy" label={t("Copy as Markdown")} onClick={() => void copyOne(viewer)} />
    </div>
  );
}

function HeadLine({ viewer, head }: { readonly viewer: Viewer; readonly head: TrajectoryHead }) {
  const speech = viewer.speech.value;
  const { t, language } = speech;
  const { row } = head;
  const { branch } = viewer.state.value;
  const list = listModel(viewer);
  const n = (value: number): string => formatCount(value, language);
  const { at, of } = head.place;
  return (
    <header class="one-head" aria-label={t("Trajectory {0}", n(row.index + 1))}>
      <div class="one-facts">
        <span class="fact">
          <IconButton
            icon="chevron-left"
            label={t("Previous Trajectory")}
            onClick={() => void list.step(-1)}
          />
          <strong>{t("trajectory {0}", n(row.index + 1))}</strong>
          <IconButton icon="chevron-right" label={t("Next Trajectory")} onClick={() => void list.step(1)} />
          <IconButton
            icon="arrow-circle-up"
            label={t("Previous Failing")}
            onClick={() => void list.failing(false)}
          />
          <IconButton
            icon="arrow-circle-down"
            label={t("Next Failing")}
            onClick={() => void list.failing(true)}
          />
        </span>
        {head.step !== null && <Fact>{t("step {0}", formatNumber(head.step, language))}</Fact>}
        <span class="fact">
          {t("group")}{" "}
          <span class="fact-name" title={row.group.slice(0, 500)}>
            <Plain text={middleCut(groupName(row.group, onlyFile(viewer.info.value)), 40)} />
          </span>{" "}
          {of > 1 && (
            <>
              ({t("{0} of {1}", at + 1, of)})
              <IconButton
                icon="chevron-left"
                label={t("Previous in the Group")}
                onClick={() => void groupStep(viewer, -1)}
              />
              <IconButton
                icon="chevron-right"
                label={t("Next in the Group")}
                onClick={() => void groupStep(viewer, 1)}
              />
            </>
          )}
        </span>
        <Fact>
          {head.reward === null ? (
            t("no reward")
          ) : (
            <>
              {t("reward")}{" "}
              <strong>
                <Plain text={rewardLine(head, speech)} />
              </strong>
            </>
          )}
        </Fact>
        {head.advantage !== null && (
          <Fact title={t("As the trainer wrote it")}>
            {t("advantage {0}", signed(head.advantage, language))}
          </Fact>
        )}
        {head.ruleAdvantage !== null && (
          <Fact title={t("By the framework's rule over the group as it is here")}>
            {t("by rule {0}", signed(head.ruleAdvantage, language))}
          </Fact>
        )}
        {(row.now !== null || row.nowState !== null) && (
          <Fact title={t("By the open reward")}>
            {t(
              "now {0}",
              row.now === null
                ? (row.nowState ?? "–")
                : `${formatScore(row.now, language)}${arrow(row.now, row.reward)}`,
            )}
          </Fact>
        )}
        <Fact>
          <Icon name={outcomeIcon(head.outcome.kind)} /> {outcomeInWords(head.outcome.kind, speech)}
        </Fact>
        <Fact>{t("{0} turns", n(row.turns))}</Fact>
        {row.tokens !== null && (
          <Fact
            {...(head.usage
              ? {
                  title: t(
                    "{0} in, {1} out",
                    formatNumber(head.usage.input, language),
                    formatNumber(head.usage.output, language),
                  ),
                }
              : {})}
          >
            {t("{0} tokens", n(row.tokens))}
          </Fact>
        )}
        {head.cost !== null && <Fact>{t("cost {0}", formatNumber(head.cost, language))}</Fact>}
        {head.ms !== null && <Fact>{formatDuration(head.ms, speech)}</Fact>}
        {head.model !== null && (
          <Fact>
            <Plain text={head.model} />
          </Fact>
        )}
        {head.policy !== null && (
          <Fact>
            {head.policy.from === head.policy.to
              ? t("policy {0}", head.policy.from)
              : t("policy {0} to {1}", head.policy.from, head.policy.to)}
          </Fact>
        )}
        {head.errors.length > 0 && (
          <Fact>
            <span class="cross">✗</span> {t("errors: {0}", head.errors.length)}
          </Fact>
        )}
        {head.excluded !== null && (
          <Fact>
            <Icon name="circle-slash" /> {t("left out: {0}", head.excluded)}
          </Fact>
        )}
        {row.label !== null && <Fact>{t("label {0}", labelWord(row.label, speech))}</Fact>}
        {viewer.marked.value.includes(row.index) && <Fact>{t("marked")}</Fact>}
      </div>
      {head.branches.length > 1 && (
        <label class="branches">
          <Icon name="git-branch" /> {t("branch")}{" "}
          <select
            value={branch}
            onChange={(event) => viewer.set({ branch: Number(event.currentTarget.value), message: 0 })}
          >
            {head.branches.map((one, i) => (
              <option key={i} value={i}>
                {one.from === null
                  ? t("{0}: {1} ({2} messages)", i + 1, (one.name ?? one.id).slice(0, 80), one.messages)
                  : t(
                      "{0}: {1} ({2} messages, from message {3} of branch {4})",
                      i + 1,
                      (one.name ?? one.id).slice(0, 80),
                      one.messages,
                      one.from.message + 1,
                      one.from.branch + 1,
                    )}
              </option>
            ))}
          </select>
        </label>
      )}
    </header>
  );
}

function Fact({ title, children }: { readonly title?: string; readonly children: ComponentChildren }) {
  return (
    <span class="fact" {...(title === undefined ? {} : { title })}>
      {children}
    </span>
  );
}
