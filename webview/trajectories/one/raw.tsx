import { useEffect, useState } from "preact/hooks";
import type { TrajectoryHead } from "../../../src/schema/trajectoryView";
import { formatCount } from "../../../src/words/format";
import type { Viewer } from "../viewer";
import { oneModel } from "./model";
import { Plain } from "./text";

/** Enough for a reader; what is longer is for an editor. */
const MOST = 400_000;

/** The record as the file has it, in slices. */
export function Raw({ viewer, head }: { readonly viewer: Viewer; readonly head: TrajectoryHead }) {
  const { t, language } = viewer.speech.value;
  const model = oneModel(viewer);
  const { index } = head.row;
  const [text, setText] = useState("");
  const [total, setTotal] = useState(head.rawLength);
  const [failed, setFailed] = useState<string | null>(null);
  const read = async (from: number): Promise<void> => {
    try {
      const answer = await model.readOn(null, "raw", from);
      if (!answer) return;
      setText((known) => (from === 0 ? answer.text : known + answer.text));
      setTotal(answer.total);
      setFailed(null);
    } catch (error) {
      setFailed(viewer.sentence(error));
    }
  };
  useEffect(() => {
    setText("");
    void read(0);
  }, [index]);
  return (
    <div class="raw" tabIndex={0} role="region" aria-label={t("The record as the file has it")}>
      <p class="cut quiet">
        {t("{0} of {1} characters", formatCount(text.length, language), formatCount(total, language))}
        {text.length < total && text.length < MOST && (
          <>
            {" "}
            ·{" "}
            <button type="button" class="link" onClick={() => void read(text.length)}>
              {t("Show More")}
            </button>
          </>
        )}{" "}
        ·{" "}
        <button type="button" class="link" onClick={() => void viewer.act("openSource", [index])}>
          {t("Open in the Text Editor")}
        </button>
      </p>
      {failed !== null && <p role="alert">{failed}</p>}
      <pre class="call-raw">
        <Plain text={text} />
      </pre>
    </div>
  );
}
