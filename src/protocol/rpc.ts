import * as z from "zod";
import { RewardsmithError, ERROR_CODES, toRewardsmithError, type ErrorCode } from "../base/errors";
import type { Event } from "../base/event";
import { DisposableStore, type IDisposable } from "../base/lifecycle";

/**
 * One declaration gives types, validation and documentation of a bus. Requests end in a result, a typed
 * error, a cancel, a timeout or dispose: the pending map always has a way out.
 */
export interface Method<P extends z.ZodType, R extends z.ZodType> {
  readonly params: P;
  readonly result: R;
}
export function method<P extends z.ZodType, R extends z.ZodType>(params: P, result: R): Method<P, R> {
  return { params, result };
}

export type Methods = Readonly<Record<string, Method<z.ZodType, z.ZodType>>>;
export type Events = Readonly<Record<string, z.ZodType>>;

export interface Contract<M extends Methods, E extends Events> {
  readonly name: string;
  readonly version: number;
  readonly methods: M;
  readonly events: E;
}
export function contract<M extends Methods, E extends Events>(
  name: string,
  version: number,
  methods: M,
  events: E,
): Contract<M, E> {
  return { name, version, methods, events };
}

/** What both ends need from a transport; messages are JSON values. */
export interface Channel {
  post(message: unknown): void;
  readonly onMessage: Event<unknown>;
  readonly onClose: Event<void>;
}

const head = { c: z.string(), v: z.number() };
const Envelope = z.discriminatedUnion("k", [
  z.object({ ...head, k: z.literal("req"), id: z.number(), m: z.string(), p: z.unknown() }),
  z.object({ ...head, k: z.literal("res"), id: z.number(), r: z.unknown() }),
  z.object({
    ...head,
    k: z.literal("err"),
    id: z.number(),
    code: z.enum(ERROR_CODES),
    message: z.string(),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  }),
  z.object({ ...head, k: z.literal("evt"), m: z.string(), p: z.unknown() }),
  z.object({ ...head, k: z.literal("cancel"), id: z.number() }),
]);
type Envelope = z.infer<typeof Envelope>;

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export type Client<M extends Methods> = {
  readonly [K in keyof M]: (
    params: z.input<M[K]["params"]>,
    options?: CallOptions,
  ) => Promise<z.output<M[K]["result"]>>;
};
export type Handlers<M extends Methods> = {
  readonly [K in keyof M]: (
    params: z.output<M[K]["params"]>,
    signal: AbortSignal,
  ) => Promise<z.input<M[K]["result"]>>;
};
export type Listeners<E extends Events> = { readonly [K in keyof E]?: (payload: z.output<E[K]>) => void };

export type Report = (problem: string) => void;

/** The caller's end: `client.method(params)`, plus the other side's events. */
export function createClient<M extends Methods, E extends Events>(
  spec: Contract<M, E>,
  channel: Channel,
  listeners: Listeners<E>,
  report: Report,
): { readonly client: Client<M> } & IDisposable {
  const pending = new Map<
    number,
    { method: string; settle: (message: Extract<Envelope, { k: "res" | "err" }> | RewardsmithError) => void }
  >();
  const store = new DisposableStore();
  // A page that was loaded anew has the same channel: an answer to what the old one asked must not settle its calls.
  let next = 1 + Math.floor(Math.random() * 2 ** 40);
  let closed: RewardsmithError | undefined;
  const envelope = { c: spec.name, v: spec.version };

  const failAll = (code: ErrorCode, message: string): void => {
    closed = new RewardsmithError(code, message);
    for (const [, entry] of [...pending]) entry.settle(closed);
    pending.clear();
  };

  store.add(
    channel.onMessage((raw) => {
      const parsed = Envelope.safeParse(raw);
      if (!parsed.success) return report(`${spec.name}: dropped a message of unknown shape`);
      const message = parsed.data;
      if (message.c !== spec.name) return;
      if (message.k === "res" || message.k === "err") {
        pending.get(message.id)?.settle(message);
        pending.delete(message.id);
      } else if (message.k === "evt") {
        const schema = spec.events[message.m];
        const payload = schema?.safeParse(message.p);
        if (!payload?.success) return report(`${spec.name}.${message.m}: event doesn't fit its schema`);
        const listener: ((payload: never) => void) | undefined = listeners[message.m];
        listener?.(payload.data as never); // eslint-disable-line @typescript-eslint/consistent-type-assertions -- parsed by this event's own schema one line above
      }
    }),
  );
  store.add(channel.onClose(() => failAll("Disposed", `${spec.name}: the other side is gone`)));
  store.add({ dispose: () => failAll("Disposed", `${spec.name}: closed`) });

  const call = (
    name: string,
    spec_: Method<z.ZodType, z.ZodType>,
    params: unknown,
    options: CallOptions = {},
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(closed);
      if (options.signal?.aborted) return reject(new RewardsmithError("Cancelled", `${name}: cancelled`));
      const id = next++;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const giveUp = (code: ErrorCode, message: string): void => {
        pending.delete(id);
        channel.post({ ...envelope, k: "cancel", id });
        finish();
        reject(new RewardsmithError(code, message));
      };
      const onAbort = (): void => giveUp("Cancelled", `${name}: cancelled`);
      const finish = (): void => {
        clearTimeout(timer);
        options.signal?.removeEventListener("abort", onAbort);
      };
      options.signal?.addEventListener("abort", onAbort, { once: true });
      if (options.timeoutMs !== undefined)
        timer = setTimeout(
          () => giveUp("TimedOut", `${name}: no answer in ${options.timeoutMs ?? 0} ms`),
          options.timeoutMs,
        );
      pending.set(id, {
        method: name,
        settle: (message) => {
          finish();
          if (message instanceof RewardsmithError) return reject(message);
          if (message.k === "err")
            return reject(new RewardsmithError(message.code, message.message, message.detail));
          const result = spec_.result.safeParse(message.r);
          if (result.success) resolve(result.data);
          else
            reject(
              new RewardsmithError(
                "ProtocolMismatch",
                `${spec.name}.${name}: result doesn't fit: ${z.prettifyError(result.error)}`,
              ),
            );
        },
      });
      channel.post({ ...envelope, k: "req", id, m: name, p: params });
    });

  const methods = Object.fromEntries(
    Object.entries(spec.methods).map(([name, shape]) => [
      name,
      (params: unknown, options?: CallOptions) => call(name, shape, params, options),
    ]),
  );
  return { client: methods as Client<M>, dispose: () => store.dispose() }; // eslint-disable-line @typescript-eslint/consistent-type-assertions -- each entry is made from this contract's own method and parses by its schemas
}

/** The answering end: parses requests, runs handlers, cancels them, sends events. */
export function createServer<M extends Methods, E extends Events>(
  spec: Contract<M, E>,
  channel: Channel,
  handlers: Handlers<M>,
  report: Report,
): { emit<K extends keyof E & string>(event: K, payload: z.input<E[K]>): void } & IDisposable {
  const running = new Map<number, AbortController>();
  const store = new DisposableStore();
  const envelope = { c: spec.name, v: spec.version };
  const table = new Map<string, (params: unknown, signal: AbortSignal) => unknown>();
  for (const name of Object.keys(spec.methods)) {
    const handler = handlers[name];
    if (handler) table.set(name, (params, signal) => handler(params as never, signal)); // eslint-disable-line @typescript-eslint/consistent-type-assertions -- parsed by this method's own schema before the call
  }

  const answer = async (message: Extract<Envelope, { k: "req" }>): Promise<void> => {
    const shape = spec.methods[message.m];
    const handler = table.get(message.m);
    const controller = new AbortController();
    running.set(message.id, controller);
    try {
      if (!shape || !handler)
        throw new RewardsmithError("ProtocolMismatch", `${spec.name} has no method ${message.m}`);
      const params = shape.params.safeParse(message.p);
      if (!params.success)
        throw new RewardsmithError(
          "ProtocolMismatch",
          `${spec.name}.${message.m}: ${z.prettifyError(params.error)}`,
        );
      const result = await handler(params.data, controller.signal);
      if (!controller.signal.aborted) channel.post({ ...envelope, k: "res", id: message.id, r: result });
    } catch (error) {
      const known = toRewardsmithError(error);
      if (known.code === "Internal") report(`${spec.name}.${message.m}: ${known.stack ?? known.message}`);
      if (!controller.signal.aborted)
        channel.post({
          ...envelope,
          k: "err",
          id: message.id,
          code: known.code,
          message: known.message,
          detail: known.detail,
        });
    } finally {
      running.delete(message.id);
    }
  };

  store.add(
    channel.onMessage((raw) => {
      const parsed = Envelope.safeParse(raw);
      if (!parsed.success) return report(`${spec.name}: dropped a message of unknown shape`);
      const message = parsed.data;
      if (message.c !== spec.name) return;
      if (message.k === "req") void answer(message);
      else if (message.k === "cancel") running.get(message.id)?.abort();
    }),
  );
  const abortAll = (): void => {
    for (const controller of running.values()) controller.abort();
    running.clear();
  };
  store.add(channel.onClose(abortAll));
  store.add({ dispose: abortAll });

  return {
    emit: (event, payload) => channel.post({ ...envelope, k: "evt", m: event, p: payload }),
    dispose: () => store.dispose(),
  };
}
