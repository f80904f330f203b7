import { render } from "preact";
import { openSeam } from "../shared/seam";
import { App } from "./app";
import { Lab } from "./lab";
import "@vscode/codicons/dist/codicon.css";
import "../shared/controls.css";
import "./lab.css";

const root = document.getElementById("root");
if (root) {
  const lab = new Lab(openSeam());
  render(<App lab={lab} />, root);
  void lab.start();
}
