import { encodeValue } from "../../../core/scoring/encode";
import type { Branch, Message } from "../../../schema/trajectory";
import { message, toolCall } from "../build";
import { partsOf } from "../chat";
import { sameMessage } from "../same";
import { elapsed } from "../time";
import type { Span } from "./span";

export interface Line {
  readonly name: string | null;
  readonly owner: string | null;
  from: { branch: number; message: number } | null;
  readonly messages: Message[];
}

/**
 * Conversations of a trace's model calls, in order of time. A call whose input goes on from a known conversation is
 * appended to it; one that leaves it somewhere begins a branch there; one that shares nothing begins its own.
 */
export class Conversations {
  readonly lines: Line[] = [];

  /** A model call. `owner`: the agent's span around it. */
  model(one: Span, owner: string | null, agent: string | null): void {
    const answers = one.output.map((answer) => answered(answer, one));
    if (one.input === null || one.input.length === 0) {
      this.#ownLine(owner, agent).messages.push(...answers);
      return;
    }
    const { at, shared } = this.#longest(one.input);
    const line = this.lines[at];
    if (line && shared === this.#length(at)) {
      line.messages.push(...one.input.slice(shared), ...answers);
      return;
    }
    const from = line && shared > 0 ? this.#placeIn(at, shared - 1) : null;
    this.lines.push({
      name: agent,
      owner,
      from,
      messages: [...one.input.slice(from ? shared : 0), ...answers],
    });
  }

  /** A tool's run: times and fault of the message that answers its call; where nobody was told the answer yet, the answer. */
  tool(one: Span, owner: string | null, agent: string | null): void {
    const { tool } = one;
    if (!tool) return;
    const known = this.#answerOf(one);
    if (known) {
      timed(known, one);
      return;
    }
    const line = this.#callerOf(one) ?? this.#ownLine(owner, agent);
    const caller = line.messages.findLast((item) => item.role === "assistant");
    const isCalled = line.messages.some((item) =>
      item.calls.some((call) => isCallOf(one, call.id, call.name)),
    );
    if (caller && !isCalled) caller.calls.push(toolCall(tool.name, tool.args, tool.callId));
    const answer = message({
      role: "tool",
      name: tool.name,
      callId: tool.callId ?? null,
      parts: partsOf(
        typeof tool.result === "object" && tool.result !== null && !Array.isArray(tool.result)
          ? encodeValue(tool.result)
          : tool.result,
      ),
    });
    timed(answer, one);
    line.messages.push(answer);
  }

  /** Something a person did, between the messages before and after it. */
  person(text: string, at: number | null, word: string): void {
    const line = this.lines[0] ?? this.#ownLine(null, null);
    const before =
      at === null ? -1 : line.messages.findLastIndex((item) => item.at !== null && item.at <= at);
    const place =
      at === null || before < 0 ? (at === null ? line.messages.length : openingOf(line)) : before + 1;
    line.messages.splice(place, 0, message({ role: "event", roleInFile: word, parts: partsOf(text), at }));
    for (const other of this.lines)
      if (other.from?.branch === 0 && other.from.message >= place) other.from.message++;
  }

  branches(): Branch[] {
    return this.lines.map(({ name, from, messages }, at) => ({
      id: at === 0 ? "main" : `branch-${at + 1}`,
      name,
      from,
      messages,
    }));
  }

  #ownLine(owner: string | null, agent: string | null): Line {
    const known = this.lines.find((line) => line.owner === owner);
    if (known) return known;
    const made: Line = { name: agent, owner, from: null, messages: [] };
    this.lines.push(made);
    return made;
  }

  /** All messages of a line, those that it shares with another first. */
  #whole(at: number): readonly Message[] {
    const line = this.lines[at];
    if (!line) return [];
    return line.from
      ? [...this.#whole(line.from.branch).slice(0, this.#sharedLength(line.from)), ...line.messages]
      : line.messages;
  }

  /** `from` counts within its own branch's messages. */
  #sharedLength(from: { readonly branch: number; readonly message: number }): number {
    return this.#length(from.branch) - (this.lines[from.branch]?.messages.length ?? 0) + from.message + 1;
  }

  #length(at: number): number {
    const line = this.lines[at];
    if (!line) return 0;
    return (line.from ? this.#sharedLength(line.from) : 0) + line.messages.length;
  }

  /** The branch and position within it of a line's message, which may be one it shares. */
  #placeIn(at: number, position: number): { branch: number; message: number } {
    const line = this.lines[at];
    const before = line?.from ? this.#sharedLength(line.from) : 0;
    if (line?.from && position < before) return this.#placeIn(line.from.branch, position);
    return { branch: at, message: position - before };
  }

  #longest(input: readonly Message[]): { readonly at: number; readonly shared: number } {
    let best = { at: -1, shared: 0, isWhole: false };
    this.lines.forEach((_line, at) => {
      const known = this.#whole(at);
      let shared = 0;
      while (shared < known.length && shared < input.length && isSame(known[shared], input[shared])) shared++;
      const isWhole = shared === known.length;
      if (shared > best.shared || (shared === best.shared && isWhole && !best.isWhole))
        best = { at, shared, isWhole };
    });
    return best;
  }

  /** By the call's id; spans that don't say it take the next untimed answer of a call of that name. */
  #answerOf(one: Span): Message | null {
    for (const line of this.lines)
      for (const item of line.messages)
        if (item.role === "tool" && item.ms === null && answersCall(item, one, line)) return item;
    return null;
  }

  #callerOf(one: Span): Line | undefined {
    return this.lines.findLast((line) =>
      line.messages.some((item) => item.calls.some((call) => isCallOf(one, call.id, call.name))),
    );
  }
}

function openingOf(line: Line): number {
  const first = line.messages.findIndex((item) => item.role === "assistant");
  return first < 0 ? line.messages.length : first;
}

function answersCall(item: Message, one: Span, line: Line): boolean {
  if (!one.tool) return false;
  if (one.tool.callId !== null) return item.callId === one.tool.callId;
  if (item.name !== null) return item.name === one.tool.name;
  const calls = line.messages.flatMap((other) => other.calls);
  return calls.some(
    (call) => call.name === one.tool?.name && (item.callId === null || call.id === item.callId),
  );
}

function isCallOf(one: Span, id: string | null, name: string): boolean {
  const wanted = one.tool?.callId ?? null;
  return wanted !== null && id !== null ? wanted === id : one.tool?.name === name;
}

function isSame(a: Message | undefined, b: Message | undefined): boolean {
  return a !== undefined && sameMessage(a, b);
}

function answered(answer: Message, one: Span): Message {
  return {
    ...answer,
    sampled: true,
    at: one.end,
    ms: elapsed(one.start, one.end),
    model: one.model,
    finish: answer.finish ?? one.finish,
    error: answer.error ?? one.error?.message ?? null,
    tokens:
      answer.tokens ??
      (one.usage.output === null || one.usage.output < 0
        ? null
        : {
            count: Math.round(one.usage.output),
            ids: null,
            mask: null,
            logprobs: null,
            advantages: null,
            versions: null,
          }),
  };
}

function timed(answer: Message, one: Span): void {
  answer.at = one.end;
  answer.ms = elapsed(one.start, one.end);
  answer.error ??= one.error?.message ?? null;
}
