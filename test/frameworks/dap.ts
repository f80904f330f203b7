import { Buffer } from "node:buffer";
import type { Readable, Writable } from "node:stream";

/** Of the Debug Adapter Protocol: a JSON object behind a `Content-Length` header. */
export interface Message {
  readonly seq: number;
  readonly type: "request" | "response" | "event";
  readonly command?: string;
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  readonly arguments?: unknown;
  readonly body?: unknown;
}

const HEAD = "\r\n\r\n";

/** As much of a client as a test needs: requests with answers, events by name, the adapter's own requests. */
export class DapClient {
  readonly #out: Writable;
  readonly #pending = new Map<
    number,
    { readonly resolve: (body: unknown) => void; readonly reject: (error: Error) => void }
  >();
  readonly #events: Message[] = [];
  readonly #waiting: { readonly name: string; readonly resolve: (body: unknown) => void }[] = [];
  readonly #reverse: (command: string, args: unknown) => unknown;
  #seq = 0;
  #left = Buffer.alloc(0);

  constructor(
    from: Readable,
    to: Writable,
    reverse: (command: string, args: unknown) => unknown = () => ({}),
  ) {
    this.#out = to;
    this.#reverse = reverse;
    from.on("data", (chunk: Buffer) => this.#take(chunk));
    // What breaks shows as a request without an answer.
    to.on("error", () => undefined);
  }

  request(command: string, args: unknown = {}): Promise<unknown> {
    const seq = ++this.#seq;
    return new Promise((resolve, reject) => {
      this.#pending.set(seq, { resolve, reject });
      this.#send({ seq, type: "request", command, arguments: args });
    });
  }

  /** The body of the next event of a name that nobody has taken yet. */
  event(name: string, ms = 20_000): Promise<unknown> {
    const at = this.#events.findIndex(({ event }) => event === name);
    const [found] = at === -1 ? [] : this.#events.splice(at, 1);
    if (found) return Promise.resolve(found.body);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        const seen = this.#events.map(({ event }) => event).join(", ");
        reject(new Error(`no event ${name} in ${ms} ms; there were: ${seen}`));
      }, ms);
      this.#waiting.push({
        name,
        resolve: (body) => {
          clearTimeout(late);
          resolve(body);
        },
      });
    });
  }

  #send(message: Message): void {
    const text = JSON.stringify(message);
    this.#out.write(`Content-Length: ${Buffer.byteLength(text)}${HEAD}${text}`);
  }

  #take(chunk: Buffer): void {
    this.#left = Buffer.concat([this.#left, chunk]);
    for (;;) {
      const end = this.#left.indexOf(HEAD);
      const length = Number(/Content-Length: (\d+)/iu.exec(this.#left.subarray(0, end).toString())?.[1]);
      const from = end + HEAD.length;
      if (end === -1 || this.#left.length < from + length) return;
      const message = JSON.parse(this.#left.subarray(from, from + length).toString()) as Message;
      this.#left = this.#left.subarray(from + length);
      this.#hear(message);
    }
  }

  #hear(message: Message): void {
    if (message.type === "response") {
      const asked = this.#pending.get(message.request_seq ?? -1);
      this.#pending.delete(message.request_seq ?? -1);
      if (message.success === true) asked?.resolve(message.body);
      else asked?.reject(new Error(`${message.command}: ${message.message ?? "failed"}`));
    } else if (message.type === "request") {
      const body = this.#reverse(message.command ?? "", message.arguments);
      const { seq, command } = message;
      this.#send({
        seq: ++this.#seq,
        type: "response",
        request_seq: seq,
        success: true,
        body,
        ...(command === undefined ? {} : { command }),
      });
    } else {
      const at = this.#waiting.findIndex(({ name }) => name === message.event);
      const [waiter] = at === -1 ? [] : this.#waiting.splice(at, 1);
      if (waiter) waiter.resolve(message.body);
      else this.#events.push(message);
    }
  }
}
