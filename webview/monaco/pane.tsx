import { useEffect, useRef, useState } from "preact/hooks";
import type { Lab } from "../lab/lab";
import { keepFieldUndo } from "./focus";

/** Enough to fill a screen until Monaco is there. */
const FIRST_LINES = 120;

/** The document in the Lab's own editor: its text at once, Monaco as soon as it has loaded. */
export function EditorPane({ lab }: { readonly lab: Lab }) {
  const { t } = lab.speech.value;
  const room = useRef<HTMLDivElement>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [ready, setReady] = useState(false);
  const greeting = lab.greeting.value;

  useEffect(() => {
    const element = room.current;
    const { document } = greeting ?? {};
    if (!element || !greeting || !document) return;
    let running: { dispose(): void } | null = null;
    let over = false;
    const fields = keepFieldUndo();
    import("./editor").then(
      ({ startEditor }) => {
        if (over) return;
        running = startEditor(lab, element, { ...greeting, document }, setTrouble);
        setReady(true);
      },
      (error: unknown) => setFailed(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      over = true;
      fields.dispose();
      running?.dispose();
    };
  }, [lab, greeting]);

  const text = greeting?.document?.text ?? "";
  return (
    <div style={{ position: "relative", display: "flex", flexDirection: "column", height: "100%" }}>
      {trouble !== null && <p role="alert">{trouble}</p>}
      {failed !== null && (
        <p role="alert">{t("The editor could not start: {0} Open the file in VS Code's editor.", failed)}</p>
      )}
      {!ready && (
        <pre
          aria-hidden={failed === null}
          class="quiet"
          style={{
            position: "absolute",
            inset: 0,
            margin: 0,
            paddingInlineStart: "64px",
            overflow: "hidden",
            fontFamily: greeting?.options.fontFamily,
            fontSize: `${greeting?.options.fontSize ?? 14}px`,
          }}
        >
          {text.split("\n", FIRST_LINES).join("\n")}
        </pre>
      )}
      <div ref={room} style={{ flex: "1 1 0", minHeight: 0 }} />
    </div>
  );
}
