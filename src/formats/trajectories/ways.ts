import type { Branch, Message } from "../../schema/trajectory";

/** One message on a way: equal keys at equal places are the same message. */
export interface Step {
  readonly key: string;
  readonly make: () => Message;
}

interface Place {
  readonly branch: number;
  /** Position on the way of its branch. */
  readonly position: number;
  readonly next: Map<string, Place>;
}

/**
 * Ways through one trajectory as branches: what a way shares with an earlier one stands only there. A way that begins
 * with a whole branch goes on with that branch; `Branch.from` names the branch that holds the message itself.
 */
export class Ways {
  readonly branches: { id: string; name: string | null; from: Branch["from"]; messages: Message[] }[] = [];
  readonly #roots = new Map<string, Place>();

  /**
   * Adds a way; `answers` are its last steps, which are new even where another way has equal ones there. Returns the
   * place of its last step, from which `after` goes on.
   */
  add(
    steps: readonly Step[],
    named: { readonly id: string; readonly name: string | null },
    {
      answers = [],
      after = null,
    }: { readonly answers?: readonly Step[]; readonly after?: Place | null } = {},
  ): Place | null {
    let at = after;
    let matched = 0;
    for (const { key } of steps) {
      const next = (at === null ? this.#roots : at.next).get(key);
      if (!next) break;
      at = next;
      matched++;
    }
    const rest = [...steps.slice(matched), ...answers];
    if (rest.length === 0) return at;
    let branch = at === null ? -1 : at.branch;
    const held = this.branches[branch];
    if (!held || at === null || at.position !== end(held)) {
      branch = this.branches.length;
      this.branches.push({
        ...named,
        from: at === null ? null : { branch: at.branch, message: at.position },
        messages: [],
      });
    }
    for (const { key, make } of rest) at = this.#grow(branch, at, key, make());
    return at;
  }

  #grow(branch: number, at: Place | null, key: string, made: Message): Place {
    this.branches[branch]?.messages.push(made);
    const place: Place = { branch, position: at === null ? 0 : at.position + 1, next: new Map() };
    const siblings = at === null ? this.#roots : at.next;
    // The first of two equal answers is the one that later requests go on from.
    if (!siblings.has(key)) siblings.set(key, place);
    return place;
  }
}

export type WayPlace = Place;

function end(branch: Pick<Branch, "from" | "messages">): number {
  return (branch.from === null ? 0 : branch.from.message + 1) + branch.messages.length - 1;
}

/**
 * What makes two messages of a conversation the same, whichever client wrote them down: role, content, calls and what
 * is answered; not reasoning, which clients leave out when they send a conversation again.
 */
export function keyOf(message: Message): string {
  return JSON.stringify(
    [
      message.role,
      message.parts,
      message.calls.map((call) => [call.id, call.name, call.problem === null ? call.arguments : call.raw]),
      message.callId,
    ],
    (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );
}
