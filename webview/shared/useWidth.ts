import type { Ref } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";

/** Width of an element in CSS pixels, followed. */
export function useWidth<E extends HTMLElement>(first: number): readonly [Ref<E>, number] {
  const [width, setWidth] = useState(first);
  const observer = useRef<ResizeObserver | null>(null);
  const ref = useCallback((element: E | null) => {
    observer.current?.disconnect();
    observer.current = null;
    if (!element) return;
    setWidth(element.clientWidth);
    observer.current = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.current.observe(element);
  }, []);
  return [ref, width];
}
