/** Sends what is another than what was sent last; by its JSON, as the page gets it. */
export class Sender<T> {
  readonly #send: (value: T) => void;
  #last: string | null = null;

  constructor(send: (value: T) => void) {
    this.#send = send;
  }

  send(value: T): void {
    if (this.told(value)) this.#send(value);
  }

  /** The page has it by another way. True: it is another than the last. */
  told(value: T): boolean {
    const text = JSON.stringify(value);
    if (text === this.#last) return false;
    this.#last = text;
    return true;
  }
}
