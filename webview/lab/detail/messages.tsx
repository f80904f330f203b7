import type { Speech } from "../../../src/words/format";
import { messagesOf, type Message, type ToolCall } from "./completion";
import { Block, Values } from "./text";
import { Visible } from "../../shared/visibleText";

/** A prompt or completion: text, a conversation, or any other value as JSON. */
export function Content({ value, speech }: { readonly value: unknown; readonly speech: Speech }) {
  const { t } = speech;
  if (value === null || value === undefined) return <p class="quiet">{t("There is none in the data.")}</p>;
  if (typeof value === "string")
    return value === "" ? <p class="quiet">{t("Empty text.")}</p> : <Block text={value} />;
  const messages = messagesOf(value);
  if (!messages) return <Json value={value} />;
  return (
    <>
      <ol class="messages">
        {messages.map((message, i) => (
          <OneMessage key={i} message={message} speech={speech} />
        ))}
      </ol>
      <Raw value={value} label={t("Raw JSON")} />
    </>
  );
}

function OneMessage({ message, speech }: { readonly message: Message; readonly speech: Speech }) {
  const { t } = speech;
  const { role, name, text, reasoning, calls, others } = message;
  return (
    <li class={`message role-${["user", "assistant", "system", "tool"].includes(role) ? role : "other"}`}>
      <div class="role">
        <Visible text={name === null ? role : `${role} · ${name}`} />
      </div>
      {reasoning !== null && (
        <details>
          <summary>{t("Reasoning")}</summary>
          <Block text={reasoning} />
        </details>
      )}
      {text !== "" && <Block text={text} />}
      {calls.map((call, i) => (
        <Call key={i} call={call} speech={speech} />
      ))}
      {others && <p class="quiet">{t("Parts that are not text are in the raw JSON.")}</p>}
    </li>
  );
}

function Call({ call, speech }: { readonly call: ToolCall; readonly speech: Speech }) {
  return (
    <div class="tool-call">
      <span class="codicon codicon-tools" aria-hidden="true" />
      <span class="said">{speech.t("Tool call:")} </span>
      <code>
        <Visible text={call.name} />
      </code>
      {call.arguments === null ? <Json value={call.raw} /> : <Values of={call.arguments} />}
    </div>
  );
}

export function Json({ value }: { readonly value: unknown }) {
  return (
    <pre class="json">
      <Visible text={JSON.stringify(value, null, 2)} />
    </pre>
  );
}

export function Raw({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <details class="raw">
      <summary>{label}</summary>
      <Json value={value} />
    </details>
  );
}
