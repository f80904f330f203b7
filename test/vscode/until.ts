type Falsy = false | null | undefined | 0 | "";
type Awaitable<T> = T | Promise<T>;

/** Asks again every 20 ms until there is an answer that isn't falsy; a time-out says what was waited for. */
export async function until<T>(
  probe: () => Awaitable<T | Falsy>,
  { ms = 15_000, what, last }: { ms?: number; what: string; last?: () => unknown },
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await probe();
    if (answer) return answer;
    if (Date.now() > end) {
      const seen = last ? ` Last seen: ${JSON.stringify(last() ?? null).slice(0, 1500)}` : "";
      throw new Error(`Waited ${ms} ms for ${what}.${seen}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
