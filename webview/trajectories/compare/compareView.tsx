import { useEffect } from "preact/hooks";
import { formatCount, formatNumber, formatScore } from "../../../src/words/format";
import { Icon, IconButton, Notice } from "../../shared/controls";
import { oneModel } from "../one/model";
import { Plain, TextBody } from "../one/text";
import { jsonText } from "../one/values";
import type { Viewer } from "../viewer";
import { roleIcon, roleWord } from "../words";
import { cellText, type Compared, compareModel } from "./model";
import { Grid, type PartProps } from "./grid";
import { WordDiff } from "./wordDiff";

/** Trajectories side by side: the best first, what they share folded, what parts them marked. */
export function CompareView({ viewer }: { readonly viewer: Viewer }) {
  const model = compareModel(viewer);
  const speech = viewer.speech.value;
  const { t } = speech;
  const answer = model.answer.value;
  const inViewer = viewer.greeting.value?.mode === "viewer";
  useEffect(() => {
    if (!inViewer) return undefined;
    // Wherever the focus is: it stays on the button that opened the comparison.
    const close = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && !event.defaultPrevented) model.close();
    };
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [inViewer, model]);
  return (
    <section class="compare" aria-label={t("Comparison")} aria-busy={model.busy.value}>
      <div class="tab-tools compare-tools">
        <strong>
          {answer?.group === null || answer === null ? (
            t("Comparison")
          ) : (
            <Plain text={t("group {0}", answer.group)} />
          )}
        </strong>
        {answer && (
          <span class="quiet">
            {t("{0} trajectories", answer.columns.length)}
            {answer.mean !== null &&
              ` · ${t("mean {0}", formatScore(answer.mean, speech.language))} · ${t("standard deviation {0}", formatNumber(answer.std, speech.language))}`}
          </span>
        )}
        {answer && <RuleChoice viewer={viewer} answer={answer} />}
        <span class="grow" />
        {answer && (
          <button
            type="button"
            class="verb"
            disabled={answer.columns.length < 2}
            title={t("The best and the worst in VS Code's own diff editor")}
            onClick={() => {
              const ends = [answer.columns[0], answer.columns.at(-1)];
              void viewer.act(
                "diff",
                ends.flatMap((one) => (one ? [one.row.index] : [])),
              );
            }}
          >
            <Icon name="diff" /> <span class="verb-text">{t("Diff Best and Worst")}</span>
          </button>
        )}
        {inViewer && answer && (
          <button
            type="button"
            class="verb"
            onClick={() =>
              void viewer.act(
                "compare",
                answer.columns.map(({ row }) => row.index),
              )
            }
          >
            <Icon name="link-external" /> <span class="verb-text">{t("Open in a Panel")}</span>
          </button>
        )}
        {inViewer && (
          <IconButton icon="close" label={t("Close the Comparison")} onClick={() => model.close()} />
        )}
      </div>
      {model.failure.value !== null && (
        <p class="bar" role="alert">
          <Icon name="error" /> {t("The trajectories could not be compared: {0}", model.failure.value)}{" "}
          <button type="button" class="link" onClick={() => void model.load()}>
            {t("Try Again")}
          </button>
        </p>
      )}
      {answer === null ? (
        model.failure.value === null && (
          <p class="notice quiet">
            {viewer.comparing.value === null
              ? t("Nothing to compare: choose a group in the trajectory viewer.")
              : t("Comparing…")}
          </p>
        )
      ) : answer.columns.length < 2 ? (
        <Notice icon="split-horizontal" title={t("Nothing to compare with")}>
          <p>{t("This trajectory is alone in its group. Mark others with x in the list to compare them.")}</p>
        </Notice>
      ) : (
        <>
          <Shared viewer={viewer} model={model} answer={answer} />
          <Grid viewer={viewer} model={model} answer={answer} />
          <Below viewer={viewer} model={model} answer={answer} />
        </>
      )}
    </section>
  );
}

function RuleChoice({ viewer, answer }: { readonly viewer: Viewer; readonly answer: Compared }) {
  const { t } = viewer.speech.value;
  const chosen = answer.rules.find(({ id }) => id === answer.rule);
  return (
    <label class="rule">
      {t("Advantage by")}{" "}
      <select
        value={answer.rule}
        title={chosen?.title ?? ""}
        onChange={(event) => viewer.set({ rule: event.currentTarget.value })}
      >
        {answer.rules.map(({ id, title, missing }) => (
          <option key={id} value={id} disabled={missing !== null} title={title}>
            {missing === null ? id : t("{0} (needs {1})", id, missing)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Shared({ viewer, model, answer }: PartProps) {
  const speech = viewer.speech.value;
  const { t } = speech;
  if (answer.shared === 0) return null;
  const shared = model.shared.value;
  return (
    <details
      class="shared-part"
      onToggle={(event) => {
        if (event.currentTarget.open && shared === null) void model.showShared();
      }}
    >
      <summary>{t("{0} messages in common", formatCount(answer.shared, speech.language))}</summary>
      <div class="shared-messages" tabIndex={0} role="region" aria-label={t("Messages in common")}>
        {shared === null && <p class="quiet">{t("Reading…")}</p>}
        {(shared ?? []).map((message) => (
          <div key={message.position} class={`shared-message role-${message.role}`}>
            <div class="message-role">
              <Icon name={roleIcon(message.role)} /> {roleWord(message.role, speech)}
            </div>
            {message.parts.map((part, at) => (
              <TextBody
                key={at}
                text={
                  part.type === "text"
                    ? part.text
                    : part.type === "image"
                      ? t("[image]")
                      : jsonText(part.value)
                }
                markdown={false}
              />
            ))}
            {message.calls.map((call, at) => (
              <pre key={at} class="call-raw">
                <Plain text={`${call.name}(${call.raw ?? jsonText(call.arguments)})`} />
              </pre>
            ))}
          </div>
        ))}
      </div>
    </details>
  );
}

/** What separates them, and the message or the pair that was asked for. */
function Below({ viewer, model, answer }: PartProps) {
  const speech = viewer.speech.value;
  const { t } = speech;
  const first = model.first.value ? model.cell(model.first.value) : null;
  const second = model.second.value ? model.cell(model.second.value) : null;
  const opened = model.opened.value;
  const inViewer = viewer.greeting.value?.mode === "viewer";
  const index = answer.columns[model.active.value.col]?.row.index;
  return (
    <div
      class="compare-below"
      tabIndex={0}
      role="region"
      aria-label={t("What separates them, and the chosen messages")}
    >
      <h2>{t("What separates them")}</h2>
      {answer.separatedBy.length === 0 ? (
        <p class="quiet">{t("No component differs between them, or the file has none.")}</p>
      ) : (
        <ul class="shares">
          {answer.separatedBy.map(({ component, share }) => (
            <li key={component}>
              <span class="bucket-name">
                <Plain text={component} />
              </span>
              <span class="bucket-bar" aria-hidden="true">
                <span class="bucket-sure" style={{ width: `${share * 100}%` }} />
              </span>
              <span class="bucket-count">{t("{0} %", Math.round(share * 100))}</span>
            </li>
          ))}
        </ul>
      )}
      {first && second ? (
        <>
          <h2>{t("Difference")}</h2>
          <WordDiff a={cellText(first)} b={cellText(second)} speech={speech} />
        </>
      ) : first ? (
        <p class="quiet">{t("One message is chosen. Press d on another to see what differs.")}</p>
      ) : null}
      {opened && (
        <>
          <h2>
            {t("Message {0}, {1}", opened.position + 1, roleWord(opened.role, speech))}{" "}
            {inViewer && index !== undefined && (
              <button
                type="button"
                class="link"
                onClick={() => {
                  const { position } = opened;
                  model.close();
                  viewer.oneTab.value = "conversation";
                  if (viewer.state.value.index === index) oneModel(viewer).goTo(position, true);
                  else viewer.open(index, 0, position);
                }}
              >
                {t("Open in the Conversation")}
              </button>
            )}
          </h2>
          {opened.reasoning !== null && (
            <TextBody text={opened.reasoning} markdown={false} label={t("reasoning")} />
          )}
          {opened.parts.map((part, at) => (
            <TextBody
              key={at}
              text={
                part.type === "text" ? part.text : part.type === "image" ? t("[image]") : jsonText(part.value)
              }
              markdown={false}
            />
          ))}
          {opened.calls.map((call, at) => (
            <pre key={at} class="call-raw">
              <Plain text={`${call.name}(${call.raw ?? jsonText(call.arguments)})`} />
            </pre>
          ))}
          {opened.error !== null && <TextBody text={opened.error} markdown={false} />}
          {opened.cut.length > 0 && (
            <p class="quiet">{t("The message is longer; the conversation has all of it.")}</p>
          )}
        </>
      )}
    </div>
  );
}
