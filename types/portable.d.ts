/**
 * The few globals that every environment we run in has (Node, browser, extension host).
 * The portable rooms compile against these alone, so that neither DOM nor Node leaks in.
 */
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
// eslint-disable-next-line no-var -- a global merges with its interface only as var
declare var AbortSignal: {
  any(signals: readonly AbortSignal[]): AbortSignal;
  timeout(ms: number): AbortSignal;
};
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string;
}
declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
interface TimerHandle {
  readonly portableTimer?: never;
}
declare function setTimeout(callback: () => void, ms?: number): TimerHandle;
declare function clearTimeout(handle: TimerHandle | undefined): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;
declare const performance: { now(): number };
