/** Whoever creates, disposes; whoever receives, does not. */
export interface IDisposable {
  dispose(): void;
}

export function toDisposable(run: () => void): IDisposable {
  let done = false;
  return {
    dispose() {
      if (done) return;
      done = true;
      run();
    },
  };
}

/** Disposes in reverse order, once; a late `add` disposes at once. Errors of one don't stop the others. */
export class DisposableStore implements IDisposable {
  readonly #items: IDisposable[] = [];
  #disposed = false;

  get isDisposed(): boolean {
    return this.#disposed;
  }

  add<T extends IDisposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const errors: unknown[] = [];
    for (const item of this.#items.reverse()) {
      try {
        item.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    this.#items.length = 0;
    if (errors.length > 0) throw new AggregateError(errors, "dispose failed");
  }
}

/** Holds at most one; setting a new value disposes the old one. */
export class MutableDisposable<T extends IDisposable> implements IDisposable {
  #value: T | undefined;
  #disposed = false;

  get value(): T | undefined {
    return this.#value;
  }

  set value(next: T | undefined) {
    if (next === this.#value) return;
    this.#value?.dispose();
    if (this.#disposed) next?.dispose();
    else this.#value = next;
  }

  dispose(): void {
    this.#disposed = true;
    this.#value?.dispose();
    this.#value = undefined;
  }
}
