import {
  type Diagnostic,
  DiagnosticSeverity,
  EndOfLine,
  type TextDocument,
  type Uri,
  languages,
} from "vscode";
import type { z } from "zod";
import type { DocumentText, Marker } from "../../protocol/lab.contract";

const MOST_MARKERS = 1000;

export function textOf(document: TextDocument): Omit<z.infer<typeof DocumentText>, "session" | "lastEdit"> {
  return {
    version: document.version,
    text: document.getText(),
    eol: document.eol === EndOfLine.CRLF ? "\r\n" : "\n",
    dirty: document.isDirty,
  };
}

/** What stands in Problems for a file, whoever said it. */
export function markersOf(uri: Uri): Marker[] {
  return languages.getDiagnostics(uri).slice(0, MOST_MARKERS).map(markerOf);
}

function markerOf({ range, message, severity, source, code }: Diagnostic): Marker {
  const plain = typeof code === "object" ? code.value : code;
  return {
    range: {
      start: { line: range.start.line, character: range.start.character },
      end: { line: range.end.line, character: range.end.character },
    },
    message,
    severity: severityOf(severity),
    source: source ?? "",
    code: plain === undefined ? "" : String(plain),
  };
}

function severityOf(severity: DiagnosticSeverity): Marker["severity"] {
  switch (severity) {
    case DiagnosticSeverity.Error:
      return "error";
    case DiagnosticSeverity.Warning:
      return "warning";
    case DiagnosticSeverity.Information:
      return "info";
    case DiagnosticSeverity.Hint:
      return "hint";
  }
}
