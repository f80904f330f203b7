const PAUSE_MS = 150;

/**
 * Texts for a live region: of several in a short time the last, and the same text twice is two different strings, for a
 * region that doesn't change isn't read.
 */
export class AnnouncerQueue {
  readonly #show: (text: string) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shown = "";

  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  say(text: string): void {
    clearTimeout(this.#timer);
    if (text === "") return;
    this.#timer = setTimeout(() => {
      this.#shown = this.#shown === text ? `${text}\u00a0` : text;
      this.#show(this.#shown);
    }, PAUSE_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
