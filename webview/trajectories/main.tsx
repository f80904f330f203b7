import { render } from "preact";
import { keepFocus, keepHandledKeys, keepOwnKeys } from "../shared/keepFocus";
import { openSeam } from "../shared/seam";
import { keepSize } from "../shared/keepSize";
import { App } from "./app";
import { Viewer } from "./viewer";
import "@vscode/codicons/dist/codicon.css";
import "../shared/controls.css";
import "../shared/filterBox.css";
import "./trajectories.css";

const root = document.getElementById("root");
if (root) {
  const viewer = new Viewer(openSeam());
  render(<App viewer={viewer} />, root);
  keepSize(root, () => undefined);
  keepFocus(root);
  keepHandledKeys();
  keepOwnKeys();
  void viewer.start();
}
