import type { Message, ToolCall } from "../../schema/trajectory";
import { isFields, message, nameOf, textMessage, toolCall } from "./build";
import { ROLES } from "./chat";

/** A turn of a templated text, in UTF-16 positions of the whole. */
interface Turn {
  readonly role: string;
  readonly from: number;
  readonly to: number;
  /** Its end marker is there; null: the template has none that would survive. */
  readonly ended: boolean | null;
}

interface Template {
  /** A text with no such start isn't in this template: models write markers of other templates too. */
  readonly start: RegExp;
  readonly header: RegExp;
  readonly end: RegExp;
}

/** Templates whose markers are special tokens: nothing else writes them. */
const TEMPLATES: readonly Template[] = [
  {
    start: /^\s*<\|im_start\|>/,
    header: /<\|im_start\|>([a-z_]+)[^\n<]*\n/g,
    end: /<\|im_end\|>|<\|endoftext\|>/,
  },
  {
    start: /^\s*(?:<\|begin_of_text\|>)*<\|start_header_id\|>/,
    header: /<\|start_header_id\|>([a-z_]+)<\|end_header_id\|>\s?\n?/g,
    end: /<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>/,
  },
  {
    start: /^\s*(?:<bos>)?<start_of_turn>/,
    header: /<start_of_turn>([a-z_]+)\n/g,
    end: /<end_of_turn>|<eos>/,
  },
];

/**
 * Messages of a prompt and the answer to it, as decoded with a chat template's markers (ChatML, Llama 3, Gemma), or
 * with the markers skipped as verl writes it (`user\n…\nassistant\n`). Null where the turns can't be told beyond doubt:
 * then the texts are shown as they are. What stands in the answer is `sampled` where the model wrote it.
 */
export function templatedMessages(prompt: string, answer: string): Message[] | null {
  const marked = markedTurns(prompt + answer);
  if (marked) return marked.flatMap((turn) => turnMessages(prompt + answer, turn, prompt.length));
  const plain = plainTurns(prompt);
  if (!plain) return null;
  const asked = plain.map((turn) =>
    textMessage(ROLES.get(turn.role) ?? "event", prompt.slice(turn.from, turn.to), { sampled: false }),
  );
  return [...asked, ...plainAnswer(answer)];
}

/** Messages of the texts, by their template where that is beyond doubt, else one of the user and one of the model. */
export function promptAndAnswer(
  prompt: string,
  answer: string,
): { readonly messages: Message[]; readonly split: boolean } {
  const split = templatedMessages(prompt, answer);
  if (split) return { messages: split, split: true };
  return {
    messages: [
      ...(prompt === "" ? [] : [textMessage("user", prompt, { sampled: false })]),
      textMessage("assistant", answer, { sampled: true }),
    ],
    split: false,
  };
}

function markedTurns(text: string): Turn[] | null {
  const template = TEMPLATES.find(({ start }) => start.test(text));
  if (!template) return null;
  const headers = [...text.matchAll(template.header)];
  if (headers.length === 0) return null;
  return headers.map((header, at): Turn => {
    const from = header.index + header[0].length;
    const stop = headers[at + 1]?.index ?? text.length;
    const found = template.end.exec(text.slice(from, stop));
    return {
      role: header[1] ?? "",
      from,
      to: found ? from + found.index : stop,
      ended: found !== null,
    };
  });
}

function turnMessages(text: string, { role, from, to, ended }: Turn, cut: number): Message[] {
  const body = text.slice(from, to);
  const known = ROLES.get(role) ?? "event";
  // The header that asks the model to go on stands at the prompt's end: what follows it is the model's.
  if (known === "assistant") {
    if (body === "" && ended === false && from > cut) return [];
    return [assistant(body, from >= cut, ended === false && from >= cut ? "unfinished" : null)];
  }
  const results = known === "user" ? toolResults(body) : null;
  if (results) return results;
  return [textMessage(known, body.trimEnd(), { sampled: false, roleInFile: role === known ? null : role })];
}

const CALL = /<tool_call>\s*(\{[\s\S]*?\})\s*<\/tool_call>\s*/g;

/** A model's turn; calls in Hermes' blocks are taken out of the text where each is whole and names its tool. */
function assistant(body: string, sampled: boolean, finish: string | null): Message {
  const blocks = [...body.matchAll(CALL)];
  const calls = blocks.map((block) => hermesCall(block[1] ?? ""));
  const whole = calls.filter((call): call is ToolCall => call !== null);
  const taken = blocks.length > 0 && whole.length === blocks.length;
  const text = taken ? body.replace(CALL, "").trimEnd() : body;
  return message({
    role: "assistant",
    parts: text === "" ? [] : [{ type: "text", text }],
    calls: taken ? whole : [],
    sampled,
    finish,
  });
}

function hermesCall(text: string): ToolCall | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isFields(parsed)) return null;
    const name = nameOf(parsed["name"]);
    return name === null ? null : { ...toolCall(name, parsed["arguments"], null), raw: text };
  } catch {
    return null;
  }
}

const RESULT = /<tool_response>\n?([\s\S]*?)\n?<\/tool_response>/g;

/** Answers of tools, which Qwen's template gives as a user's turn; null where there is other text. */
function toolResults(body: string): Message[] | null {
  const found = [...body.matchAll(RESULT)];
  if (found.length === 0 || body.replace(RESULT, "").trim() !== "") return null;
  return found.map((result) => textMessage("tool", result[1] ?? "", { roleInFile: "user", sampled: false }));
}

const ROLE_LINE = /^(system|user|assistant)\n/gm;
const ROLE_ORDER = /^(?:system )?(?:user assistant )+$/;

/** Turns of a prompt without markers: lines that are roles, in the only order that they can have. */
function plainTurns(prompt: string): Turn[] | null {
  if (!/^(?:system|user)\n/.test(prompt) || !/(?:^|\n)assistant\n$/.test(prompt)) return null;
  const lines = [...prompt.matchAll(ROLE_LINE)];
  if (!ROLE_ORDER.test(lines.map((line) => `${line[1] ?? ""} `).join(""))) return null;
  return lines.slice(0, -1).map((line, at): Turn => {
    const from = line.index + line[0].length;
    const stop = lines[at + 1]?.index ?? prompt.length;
    // The line end before the next role is the template's.
    return { role: line[1] ?? "", from, to: Math.max(from, stop - 1), ended: null };
  });
}

const RESULTS = /\nuser\n((?:<tool_response>[\s\S]*?<\/tool_response>\s*)+)\nassistant\n/g;

/** The answer without markers: only tools' answers tell a turn that the model didn't write itself. */
function plainAnswer(answer: string): Message[] {
  const found: Message[] = [];
  let from = 0;
  for (const match of answer.matchAll(RESULTS)) {
    found.push(assistant(answer.slice(from, match.index), true, null));
    found.push(...(toolResults(match[1] ?? "") ?? [textMessage("user", match[1] ?? "")]));
    from = match.index + match[0].length;
  }
  return [...found, assistant(answer.slice(from), true, null)];
}
