import { render } from "preact";
import { keepFocus, keepHandledKeys, keepOwnKeys } from "../shared/keepFocus";
import { openSeam } from "../shared/seam";
import { App } from "./app";
import { keepSize } from "../shared/keepSize";
import { Lab } from "./lab";
import "@vscode/codicons/dist/codicon.css";
import "../shared/controls.css";
import "../shared/filterBox.css";
import "./lab.css";

const root = document.getElementById("root");
if (root) {
  // Monaco is large: it starts to load beside the greeting, not after it. Where it fails its pane says so.
  if (root.dataset["mode"] === "editor") void import("../monaco/editor").catch(() => undefined);
  const lab = new Lab(openSeam());
  render(<App lab={lab} />, root);
  keepSize(root, (hidden) => (lab.pace.hidden = hidden));
  keepFocus(root);
  keepHandledKeys();
  keepOwnKeys();
  void lab.start();
}
