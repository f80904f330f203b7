import { useEffect, useMemo } from "preact/hooks";
import { Pages, type PagesOptions } from "./pages";

/** Pages for as long as the view is there. */
export function usePages<Ask, Answer, Item>(
  options: PagesOptions<Ask, Answer, Item>,
): Pages<Ask, Answer, Item> {
  // The options of the first call count: they read nothing that changes but what is asked.
  const pages = useMemo(() => new Pages(options), []);
  useEffect(() => () => pages.close(), [pages]);
  return pages;
}

/** One question whose answer is kept until the next one is there. */
export function useAnswer<Ask, Answer>(
  ask: Ask,
  fetch: (ask: Ask) => Promise<Answer>,
): {
  readonly answer: Answer | null;
  readonly stale: boolean;
  readonly error: string | null;
  readonly retry: () => void;
} {
  const pages = usePages<Ask, Answer, Answer>({ size: 1, keep: 1, fetch, items: (answer) => [answer] });
  const key = JSON.stringify(ask);
  useEffect(() => pages.want(ask, 0, 1), [pages, key]);
  return { answer: pages.head, stale: pages.stale, error: pages.error, retry: () => pages.retry() };
}
