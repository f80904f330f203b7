import { useEffect } from "preact/hooks";
import { formatCount } from "../../../src/words/format";
import { Icon, IconButton } from "../../shared/controls";
import type { Viewer } from "../viewer";
import { findModel } from "./find";
import { oneModel } from "./model";

const MOST_RANGES = 1000;

/** Find within the trajectory. */
export function FindBar({ viewer }: { readonly viewer: Viewer }) {
  const model = findModel(viewer);
  const { t, language } = viewer.speech.value;
  useHighlights(viewer);
  if (!model.open.value) return null;
  const found = model.found.value;
  const searched = model.searched.value;
  const at = model.at.value;
  const said =
    model.text.value === ""
      ? ""
      : searched !== null && searched.done < searched.of
        ? t(
            "{0} messages, {1} of {2} searched",
            found.length,
            formatCount(searched.done, language),
            formatCount(searched.of, language),
          )
        : found.length === 0
          ? t("not found")
          : t("{0} of {1} messages", at + 1, formatCount(found.length, language));
  return (
    <div class="find-bar" role="search" aria-label={t("Find in this trajectory")}>
      <Icon name="search" />
      <input
        id="find"
        type="text"
        spellcheck={false}
        autocomplete="off"
        aria-label={t("Find in this trajectory")}
        placeholder={t("Find in this trajectory")}
        value={model.text.value}
        onInput={(event) => model.type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === "F3") void model.step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") model.close();
          else return;
          event.preventDefault();
        }}
      />
      <span class="quiet find-said">{said}</span>
      <IconButton icon="arrow-up" label={t("Previous")} onClick={() => void model.step(-1)} />
      <IconButton icon="arrow-down" label={t("Next")} onClick={() => void model.step(1)} />
      <IconButton icon="close" label={t("Close")} onClick={() => model.close()} />
    </div>
  );
}

/** Marks what is found in what is drawn, without an element more: the browser's own highlights. */
function useHighlights(viewer: Viewer): void {
  const model = findModel(viewer);
  const one = oneModel(viewer);
  const wanted = (model.open.value ? model.text.value : viewer.state.value.search).toLowerCase();
  const { pages } = one.shown.value;
  const { first, last } = one.onScreen.value;
  const folds = one.unfolded.value;
  const more = one.more.value;
  useEffect(() => {
    if (!("highlights" in CSS)) return;
    const frame = requestAnimationFrame(() => {
      const box = document.getElementById("conversation");
      if (!box || wanted === "") {
        CSS.highlights.delete("found");
        return;
      }
      const ranges: Range[] = [];
      const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      for (
        let node = walker.nextNode();
        node !== null && ranges.length < MOST_RANGES;
        node = walker.nextNode()
      ) {
        const text = node.textContent?.toLowerCase() ?? "";
        for (let at = text.indexOf(wanted); at !== -1 && ranges.length < MOST_RANGES;) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, Math.min(at + wanted.length, node.textContent?.length ?? 0));
          ranges.push(range);
          at = text.indexOf(wanted, at + wanted.length);
        }
      }
      CSS.highlights.set("found", new Highlight(...ranges));
    });
    return () => cancelAnimationFrame(frame);
  }, [wanted, pages, first, last, folds, more, model.at.value]);
}
