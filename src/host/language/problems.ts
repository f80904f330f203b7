import {
  Diagnostic,
  type DiagnosticCollection,
  DiagnosticSeverity,
  languages,
  Position,
  Range,
  type TextDocument,
  Uri,
} from "vscode";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import type { ReadProblem, SampleSetInfo } from "../../schema/sample";
import type { Host } from "../host";
import { type Problem, problemsOf } from "../model/problems";

const SOURCE = "Rewardsmith";
const DOCS = "https://github.com/rewardsmith/rewardsmith/blob/main/docs/findings/";
const MOST_SAMPLE_PROBLEMS = 100;

/** Problems view: what raised, what doesn't load, findings, and what is wrong in the sample files. */
export class Problems implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #host: Host;
  readonly #collection: DiagnosticCollection;
  /** Reward file → the diagnostics it put into each document (by URI), so that they can be taken back. */
  readonly #byReward = new Map<string, Map<string, Diagnostic[]>>();

  constructor(host: Host) {
    this.#host = host;
    this.#collection = this.#store.add(languages.createDiagnosticCollection("rewardsmith"));
    this.#store.add(host.live.onDidChange((path) => this.#refresh(path)));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #refresh(path: string): void {
    const { live, models, documents, speech } = this.#host;
    const scores = live.scoresOf(path);
    const own = new Map<string, Diagnostic[]>();
    const add = (uri: Uri, diagnostic: Diagnostic): void => {
      const key = uri.toString();
      own.set(key, [...(own.get(key) ?? []), diagnostic]);
    };
    // While a pass runs the last problems stay: they would only flicker.
    if (scores?.status === "running" && scores.error === null) return;
    if (scores) {
      const edits = scores.docVersion === -1 ? [] : documents.editsSince(path, scores.docVersion);
      const model = models.get(path);
      const problems = problemsOf(scores, model, edits, speech);
      // The same ones in the words of who reads cells.
      const read = problemsOf(documents.asRead(scores, speech), model, edits, speech);
      problems.forEach((problem, index) => {
        const file = problem.path ?? path;
        const place = documents.placeOf(file, problem.range.start.line);
        const first = place ? problem.range.start.line - place.line : 0;
        const message = read[index]?.message ?? problem.message;
        add(
          place?.document.uri ?? Uri.file(file),
          toDiagnostic({ ...problem, message }, first, place?.document),
        );
      });
    }
    const set = live.setOf(path);
    if (set)
      for (const [file, diagnostics] of sampleProblems(set, speech.t))
        for (const one of diagnostics) add(Uri.file(file), one);
    const touched = new Set([...(this.#byReward.get(path)?.keys() ?? []), ...own.keys()]);
    this.#byReward.set(path, own);
    for (const key of touched)
      this.#collection.set(
        Uri.parse(key, true),
        [...this.#byReward.values()].flatMap((byUri) => byUri.get(key) ?? []),
      );
  }
}

/** @param first module line of the document's first line */
function toDiagnostic(problem: Problem, first: number, document: TextDocument | undefined): Diagnostic {
  const { start, end } = problem.range;
  const wide = new Range(
    start.line - first,
    start.character,
    end.line - first,
    Math.min(end.character, 1000),
  );
  const range = document === undefined ? wide : withoutIndent(document, document.validateRange(wide));
  const severity = {
    error: DiagnosticSeverity.Error,
    warning: DiagnosticSeverity.Warning,
    info: DiagnosticSeverity.Information,
  }[problem.severity];
  const diagnostic = new Diagnostic(range, problem.message, severity);
  diagnostic.source = SOURCE;
  diagnostic.code = problem.documented
    ? { value: problem.code, target: Uri.parse(`${DOCS}${problem.code}.md`) }
    : problem.code;
  return diagnostic;
}

function withoutIndent(document: TextDocument, range: Range): Range {
  const first = document.lineAt(range.start.line).firstNonWhitespaceCharacterIndex;
  return range.start.character < first && !range.isEmpty
    ? range.with(new Position(range.start.line, first))
    : range;
}

function sampleProblems(set: SampleSetInfo, t: Host["speech"]["t"]): [string, Diagnostic[]][] {
  // Lines are counted in one file; with several there is no saying which.
  const [file, ...others] = set.files;
  if (file === undefined || others.length > 0 || set.problemCount === 0) return [];
  const diagnostics = set.problems.slice(0, MOST_SAMPLE_PROBLEMS).map((problem: ReadProblem) => {
    const line = problem.line - 1;
    const diagnostic = new Diagnostic(
      new Range(line, 0, line, 1),
      problem.message,
      DiagnosticSeverity.Warning,
    );
    diagnostic.source = SOURCE;
    diagnostic.code = problem.code;
    return diagnostic;
  });
  if (set.problemCount > diagnostics.length) {
    const more = new Diagnostic(
      new Range(0, 0, 0, 1),
      t("{0} further lines could not be read as samples.", set.problemCount - diagnostics.length),
      DiagnosticSeverity.Warning,
    );
    more.source = SOURCE;
    diagnostics.push(more);
  }
  return [[file, diagnostics]];
}
