import { useMemo } from "preact/hooks";
import type { Credit } from "../../../src/schema/trajectory";
import type { PlacedMessage } from "../../../src/schema/trajectoryView";
import { formatCount, formatDuration, formatScore } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import type { Viewer } from "../viewer";
import { creditWords, roleIcon, roleWord, signed } from "../words";
import { Call } from "./call";
import { ImagePart } from "./image";
import { JsonTree } from "./jsonTree";
import { type OneModel } from "./model";
import { Plain, TextBody } from "./text";
import { Tokens } from "./tokens";
import { jsonText, wordsIn } from "./values";

export interface MessageProps {
  readonly viewer: Viewer;
  readonly model: OneModel;
  readonly message: PlacedMessage;
  readonly credit: Credit | null;
  /** Has the tab stop: its own controls can be reached. */
  readonly current: boolean;
  readonly markdown: boolean;
}

/** How a turn ends where nothing is the matter; what else the record says of a message has these too. */
const PLAIN_ENDS: ReadonlySet<string> = new Set([
  "stop",
  "tool_calls",
  "tool_use",
  "end_turn",
  "function_call",
  "eos",
]);

/** One message of a conversation. */
export function MessageView(props: MessageProps) {
  const { viewer, model, message, credit, current, markdown } = props;
  const folds = model.unfolded.value;
  const more = model.more.value;
  // Scrolling draws the conversation often: a message is drawn again when something in it is another.
  const own = [...folds].filter((key) => key.startsWith(`${message.position}:`)).join(" ");
  const lengths = message.cut.map(({ what }) => more.get(`${message.position}:${what}`)?.length ?? 0).join();
  return useMemo(
    () => <Body {...props} />,
    [viewer.speech.value, message, credit, current, markdown, own, lengths],
  );
}

function Body({ viewer, model, message, credit, current, markdown }: MessageProps) {
  const speech = viewer.speech.value;
  const { t, language } = speech;
  const { position } = message;
  const stop = current ? 0 : -1;
  const unfolded = (what: string): boolean => model.isUnfolded(`${position}:${what}`);
  const toggle = (what: string): void => model.toggle(`${position}:${what}`);
  const textOf = (what: string, text: string): string =>
    text + (model.more.value.get(`${position}:${what}`) ?? "");
  const cutOf = (what: string): number | null => message.cut.find((one) => one.what === what)?.length ?? null;
  // A tool answers in its own form: its lines stay as they are.
  const rich = message.role !== "tool" && markdown !== unfolded("markdown");
  const canMark =
    message.role !== "tool" && message.parts.some((part) => part.type === "text" && part.text !== "");
  // Where the error is what the tool answered, it isn't said twice.
  const { error } = message;
  const repeated =
    error !== null && message.parts.some((part) => part.type === "text" && part.text.includes(error));
  const known = [
    ...(message.finish === null ? [] : [{ name: t("finish"), value: message.finish }]),
    ...(message.sampled === true ? [{ name: t("sampled"), value: t("by the policy") }] : []),
  ];
  const extras = Object.keys(message.extra).length > 0;
  const rest = (what: string, shown: number) => {
    const length = cutOf(what);
    return length === null || shown >= length ? null : (
      <CutNote
        viewer={viewer}
        model={model}
        position={position}
        what={what}
        shown={shown}
        length={length}
        stop={stop}
      />
    );
  };
  const reasoning = message.reasoning === null ? null : textOf("reasoning", message.reasoning);
  return (
    <>
      <header class="message-head">
        <div class="message-facts">
          <span class="message-role">
            <Icon name={roleIcon(message.role)} /> {roleWord(message.role, speech)}
          </span>
          {message.roleInFile !== null && (
            <span class="quiet" title={t("The role as the file has it")}>
              <Plain text={message.roleInFile} />
            </span>
          )}
          {message.name !== null && (
            <span class="message-name">
              <Plain text={message.name} />
            </span>
          )}
          <span class="quiet">{formatCount(position + 1, language)}</span>
          {message.shared && <span class="tag">{t("shared")}</span>}
          {message.sampled === false && message.role === "assistant" && (
            <span class="tag" title={t("Not of the policy: it was given")}>
              {t("not sampled")}
            </span>
          )}
          {message.model !== null && (
            <span class="quiet">
              <Plain text={message.model} />
            </span>
          )}
          {message.ms !== null && <span class="quiet">{formatDuration(message.ms, speech)}</span>}
          {message.tokens !== null && (
            <span class="quiet">{t("{0} tokens", formatCount(message.tokens.count, language))}</span>
          )}
          {message.finish !== null && !PLAIN_ENDS.has(message.finish) && (
            <span class="tag">
              <Plain text={message.finish} />
            </span>
          )}
          {repeated && (
            <span class="tag failed">
              <span class="cross">✗</span>{" "}
              {message.errorGuessed ? t("error, by its first words") : t("error")}
            </span>
          )}
          <TurnReward message={message} credit={credit} viewer={viewer} />
        </div>
        {message.answersTo !== null && (
          <button
            type="button"
            class="link"
            tabIndex={stop}
            onClick={() => model.goTo(message.answersTo?.message ?? 0, true)}
          >
            {t("to its call")}
          </button>
        )}
        {canMark && (
          <button
            type="button"
            class="icon-button small"
            tabIndex={stop}
            aria-pressed={rich}
            aria-label={t("As Markdown")}
            title={t("As Markdown")}
            onClick={() => toggle("markdown")}
          >
            <Icon name="markdown" />
          </button>
        )}
        {(extras || known.length > 0 || message.tokens !== null) && (
          <button
            type="button"
            class="icon-button small"
            tabIndex={stop}
            aria-expanded={unfolded("more")}
            aria-label={t("What else the record says of it")}
            title={t("What else the record says of it")}
            onClick={() => toggle("more")}
          >
            <Icon name="ellipsis" />
          </button>
        )}
      </header>
      {reasoning !== null && (
        <div class="reasoning">
          <button
            type="button"
            class="fold"
            tabIndex={stop}
            aria-expanded={unfolded("reasoning")}
            onClick={() => toggle("reasoning")}
          >
            <Icon name={unfolded("reasoning") ? "chevron-down" : "chevron-right"} />{" "}
            {cutOf("reasoning") === null
              ? t("reasoning ({0} words)", formatCount(wordsIn(reasoning), language))
              : t("reasoning ({0} characters)", formatCount(cutOf("reasoning") ?? 0, language))}
          </button>
          {unfolded("reasoning") && (
            <>
              <TextBody text={reasoning} markdown={rich} label={t("reasoning")} />
              {rest("reasoning", reasoning.length)}
            </>
          )}
        </div>
      )}
      {message.parts.map((part, at) => {
        const what = `part:${at}`;
        if (part.type === "text") {
          const text = textOf(what, part.text);
          return (
            <div key={what}>
              {text !== "" && <TextBody text={text} markdown={rich} />}
              {rest(what, text.length)}
            </div>
          );
        }
        if (part.type === "image")
          return <ImagePart key={what} viewer={viewer} part={part} position={position} at={at} />;
        const text = textOf(what, jsonText(part.value));
        return (
          <div key={what} class="other-part">
            <span class="tag">
              <Plain text={part.kind} />
            </span>
            <TextBody text={text} markdown={false} />
            {rest(what, text.length)}
          </div>
        );
      })}
      {message.calls.map((call, at) => (
        <Call
          key={at}
          viewer={viewer}
          call={call}
          cut={cutOf(`call:${at}`)}
          raw={textOf(`call:${at}`, call.raw ?? jsonText(call.arguments))}
          open={unfolded(`call:${at}`)}
          showsRaw={unfolded(`raw:${at}`)}
          stop={stop}
          onOpen={() => toggle(`call:${at}`)}
          onRaw={() => toggle(`raw:${at}`)}
          onAnswer={(position) => model.goTo(position, true)}
          rest={(shown) => rest(`call:${at}`, shown)}
        />
      ))}
      {message.error !== null && !repeated && (
        <div class="message-error">
          <span class="cross">✗</span>{" "}
          <span class="said">{message.errorGuessed ? t("error, by its first words:") : t("error:")} </span>
          <TextBody text={textOf("error", message.error)} markdown={false} />
          {rest("error", textOf("error", message.error).length)}
        </div>
      )}
      {unfolded("more") && (
        <div class="message-more">
          {message.tokens !== null && <Tokens tokens={message.tokens} speech={speech} stop={stop} />}
          {known.length > 0 && (
            <dl class="facts">
              {known.map(({ name, value }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <Plain text={value} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
          {extras && <JsonTree value={message.extra} speech={speech} stop={stop} />}
        </div>
      )}
    </>
  );
}

interface CutProps {
  readonly viewer: Viewer;
  readonly model: OneModel;
  readonly position: number;
  readonly what: string;
  readonly shown: number;
  readonly length: number;
  readonly stop: number;
}

function CutNote({ viewer, model, position, what, shown, length, stop }: CutProps) {
  const { t, language } = viewer.speech.value;
  return (
    <p class="cut quiet">
      {t("{0} of {1} characters", formatCount(shown, language), formatCount(length, language))} ·{" "}
      <button
        type="button"
        class="link"
        tabIndex={stop}
        onClick={() => void model.showMore(position, what, shown)}
      >
        {t("Show More")}
      </button>{" "}
      ·{" "}
      <button
        type="button"
        class="link"
        tabIndex={stop}
        onClick={() => {
          const { index } = viewer.state.value;
          if (index !== null) void viewer.act("openSource", [index]);
        }}
      >
        {t("Open Raw")}
      </button>
    </p>
  );
}

interface RewardProps {
  readonly message: PlacedMessage;
  readonly credit: Credit | null;
  readonly viewer: Viewer;
}

function TurnReward({ message, credit, viewer }: RewardProps) {
  const speech = viewer.speech.value;
  const parts = Object.entries(message.rewards);
  if (message.reward === null && parts.length === 0) return null;
  const components = parts
    .map(([name, value]) => `${name} ${formatScore(value, speech.language)}`)
    .join(", ");
  return (
    <span class="turn-reward" title={components}>
      <span class="said">{speech.t("reward of this turn:")} </span>
      {message.reward === null ? <Plain text={components} /> : signed(message.reward, speech.language)}
      {credit !== null && <span class="quiet"> {creditWords(credit, speech)}</span>}
    </span>
  );
}
