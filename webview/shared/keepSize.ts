/** VS Code takes the size of a webview that is hidden and kept: its frame is as large as HTML makes one without. */
const NO_SIZE = { width: 300, height: 150 };

/**
 * Keeps the page as large as it was while it is hidden: nothing is laid out for a size that nobody sees, and when it is
 * shown again it is there as it was.
 */
export function keepSize(root: HTMLElement, onHidden: (hidden: boolean) => void): void {
  let last: { readonly width: number; readonly height: number } | null = null;
  const follow = (): void => {
    const { innerWidth: width, innerHeight: height } = window;
    const hidden = width === NO_SIZE.width && height === NO_SIZE.height;
    if (!hidden) last = { width, height };
    root.style.width = hidden && last ? `${last.width}px` : "";
    root.style.height = hidden && last ? `${last.height}px` : "";
    onHidden(hidden);
  };
  // Comes before the frame's layout, so that no observer sees the size in between.
  window.addEventListener("resize", follow);
  follow();
}
