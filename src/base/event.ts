import { type IDisposable, toDisposable } from "./lifecycle";

export type Listener<T> = (value: T) => void;
export type Event<T> = (listener: Listener<T>) => IDisposable;

/** A typed event source. A throwing listener doesn't keep the others from hearing; its error is rethrown last. */
export class Emitter<T> implements IDisposable {
  readonly #listeners = new Set<Listener<T>>();

  readonly event: Event<T> = (listener) => {
    this.#listeners.add(listener);
    return toDisposable(() => this.#listeners.delete(listener));
  };

  fire(value: T): void {
    let failure: { error: unknown } | undefined;
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure) throw failure.error;
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
