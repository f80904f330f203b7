import * as z from "zod";
import { LabState } from "../schema/lab";
import { FileScores } from "../schema/live";
import { Range } from "../schema/reward";
import { ColumnInfo } from "../schema/sample";
import { TextChange } from "../schema/text";
import { contract, method } from "./rpc";

/**
 * Lab ⇄ extension host: the document, the editor's own services, what is drawn in lines, commands, state. All about the
 * one document that the host bound the view to. Lines and characters are 0-based, offsets UTF-16 units.
 */
const Count = z.int().nonnegative();
const Position = z.object({ line: Count, character: Count });

const DrawnText = z.object({ line: Count, text: z.string(), old: z.boolean() });
/** What belongs after and beside the lines of the document at `version`, in the words of the native editor. */
export const Drawing = z.object({
  version: z.int(),
  numbers: z.array(
    DrawnText.extend({
      function: z.string().nullable(),
      failed: z.boolean(),
      health: z.enum(["good", "warning", "error"]),
    }),
  ),
  previews: z.array(DrawnText),
  hit: z.array(Count),
  never: z.array(Count),
});
export type Drawing = z.infer<typeof Drawing>;

export const ViewScores = z.object({
  scores: FileScores.nullable(),
  /** Why an allowed file isn't scored, in a sentence. */
  problem: z.string().nullable(),
  /** The user chose samples and gave permission. */
  chosen: z.boolean(),
  trusted: z.boolean(),
  /** Columns of the bound samples. */
  columns: z.array(ColumnInfo),
});
export type ViewScores = z.infer<typeof ViewScores>;

export const Marker = z.object({
  range: Range,
  message: z.string(),
  severity: z.enum(["error", "warning", "info", "hint"]),
  source: z.string(),
  code: z.string(),
});
export type Marker = z.infer<typeof Marker>;

export const DocumentText = z.object({
  version: z.int(),
  text: z.string(),
  eol: z.enum(["\n", "\r\n"]),
  dirty: z.boolean(),
  /** Names the host's side of the view: a new one has never heard of edits that an earlier page sent. */
  session: z.string().default(""),
  /** Id of the last edit of the view that was accepted in this session. */
  lastEdit: z.string().nullable().default(null),
});

/** Commands that the view may ask for; the host maps them to its own and checks each again. */
export const LabCommand = z.enum([
  "score",
  "check",
  "cancel",
  "pickSamples",
  "pauseLive",
  "resumeLive",
  "setBaseline",
  "selectContract",
  "selectPython",
  "allowSideEffect",
  "showLogs",
  "manageTrust",
  "compareVersions",
  "openNative",
  "openLab",
  "exportScores",
  "help",
]);
export type LabCommand = z.infer<typeof LabCommand>;

/** Commands of the palette that the page carries out. */
export const LabAct = z.enum([
  "focusFilter",
  "tryCompletion",
  "review",
  "inspect",
  "labelGood",
  "labelBad",
  "way",
  "compare",
]);
export type LabAct = z.infer<typeof LabAct>;

const Markdown = z.string().max(100_000);
export const CompletionEntry = z.object({
  label: z.string(),
  detail: z.string().optional(),
  documentation: Markdown.optional(),
  /** Of `vscode.CompletionItemKind`. */
  kind: z.int().optional(),
  insertText: z.string(),
  /** `insertText` is a snippet. */
  snippet: z.boolean(),
  range: Range.optional(),
  sortText: z.string().optional(),
  filterText: z.string().optional(),
  additional: z.array(z.object({ range: Range, text: z.string() })).optional(),
});
export type CompletionEntry = z.infer<typeof CompletionEntry>;

export const labContract = contract(
  "lab",
  1,
  {
    /** The ready gate: the host sends nothing before it. */
    hello: method(
      z.object({
        restored: LabState.nullable(),
        /** Of the earlier `hello` that the restored state is from: a state of another document is not taken. */
        token: z.string().max(100).nullable(),
      }),
      z.object({
        /** `editor`: with Monaco on the document; `panel`: beside the native editor. */
        mode: z.enum(["editor", "panel"]),
        /** Stands for the document; says nothing of it. */
        token: z.string(),
        /** Base name of the file. */
        name: z.string(),
        language: z.string(),
        /** Texts of the interface: English → translation. Empty: English. */
        bundle: z.record(z.string(), z.string()),
        state: LabState.nullable(),
        document: DocumentText.nullable(),
        scores: ViewScores,
        drawing: Drawing,
        markers: z.array(Marker),
        options: z.object({
          fontFamily: z.string(),
          fontSize: z.number(),
          tabSize: z.int(),
          insertSpaces: z.boolean(),
          wordWrap: z.boolean(),
          readOnly: z.boolean(),
        }),
      }),
    ),
    saveState: method(LabState, z.null()),
    /** Answered at once: somebody is there. */
    ping: method(z.object({}), z.null()),
    run: method(z.object({ command: LabCommand, function: z.string().nullable() }), z.null()),
    /** Shows a line of the reward file in an editor (1-based line, as tracebacks have it); `file`: of a traceback. */
    reveal: method(z.object({ line: z.int().positive(), file: z.string().nullable() }), z.null()),
    /** The sample whose values stand beside the lines; null: none. Kept for this file. */
    pin: method(z.object({ row: Count.nullable() }), z.null()),
    /** Shows the sample's line in its data file. */
    revealSample: method(z.object({ row: Count }), z.null()),
    debugSample: method(z.object({ row: Count, function: z.string() }), z.null()),
    /** Appends a tried completion, with the sample's other columns, to a sample file that the user names. */
    keepSample: method(z.object({ row: Count, completion: z.unknown() }), z.object({ kept: z.boolean() })),
    /** Native diff of two completions or of before / now texts. */
    diffTexts: method(z.object({ title: z.string(), left: z.string(), right: z.string() }), z.null()),
    copy: method(z.object({ text: z.string() }), z.null()),

    /**
     * Changes against `base`. Refused where the document is at another version by now: the changes that made it so are
     * on their way as `document` events; the view carries its own over them and sends again.
     */
    edit: method(
      z.object({
        /** Unique over reloads of the page; an edit that was accepted before isn't applied again. */
        id: z.string().min(1).max(100),
        base: z.int(),
        changes: z.array(TextChange).min(1).max(10_000),
        word: z.int().nonnegative(),
      }),
      z.object({ accepted: z.boolean(), version: z.int() }),
    ),
    undo: method(z.object({ redo: z.boolean() }), z.null()),
    /** The whole text, where the view can't be sure any more that it has the same. */
    text: method(z.object({}), DocumentText),
    save: method(z.object({}), z.null()),
    complete: method(
      z.object({ at: Position, trigger: z.string().nullable(), version: z.int() }),
      z.object({ items: z.array(CompletionEntry).max(2000), incomplete: z.boolean() }),
    ),
    hover: method(
      z.object({ at: Position }),
      z.object({ contents: z.array(Markdown), range: Range.nullable() }),
    ),
    signature: method(
      z.object({ at: Position, trigger: z.string().nullable() }),
      z
        .object({
          signatures: z.array(
            z.object({
              label: z.string(),
              documentation: Markdown,
              parameters: z.array(
                z.object({ label: z.union([z.string(), z.tuple([Count, Count])]), documentation: Markdown }),
              ),
            }),
          ),
          active: Count,
          parameter: Count,
        })
        .nullable(),
    ),
    /** Opens the definition where it is in another file; else its place in this one. */
    definition: method(z.object({ at: Position }), z.object({ range: Range.nullable() })),
  },
  {
    scores: ViewScores,
    drawing: Drawing,
    markers: z.object({ markers: z.array(Marker) }),
    /** The document changed, whoever did it; also the echo of accepted edits (`own`). */
    document: z.object({
      version: z.int(),
      changes: z.array(TextChange),
      own: z.boolean(),
      dirty: z.boolean(),
      /** `textHash` of the text after it (core/text); null: not told. */
      hash: z.int().nullable().default(null),
    }),
    /** The document was replaced or its history lost: start from this text. */
    reset: DocumentText,
    /** The editor's settings about files that may not be changed are others now. */
    readOnly: z.object({ readOnly: z.boolean() }),
    /** A command from the palette that the view carries out. */
    act: z.object({
      act: LabAct,
      row: Count.nullable(),
    }),
  },
);
export type LabContract = typeof labContract;
