import { type Fields, isFields } from "./build";
import type { FileProblem } from "./container";
import type { FormHead, PlacedRecord, TrajectoryForm } from "./form";
import { isGuess, recogniseForm } from "./registry";

/** Sets of keys that are remembered of a file: rows may have columns of their own. */
const MOST_SHAPES = 1000;
/** First lines that tell what the file's own have. */
const HEAD_RECORDS = 8;

/**
 * Which form reads a line. Lines of several frameworks may stand in one file: what another form knows better isn't
 * taken for the file's own. The answer is the same whenever a line is read, alone or among others; that sets of keys are
 * remembered only spares most lines the look at every other form.
 */
export class LineForms {
  readonly #own: TrajectoryForm;
  readonly #head: FormHead;
  /** Keys of lines that were the file's own, in their order and joined. */
  readonly #shapes = new Set<string>();
  /** Those of the last one: most lines have the same. */
  #last: readonly string[] = [];
  /** Keys of the file's own among its first lines. */
  readonly #keys = new Set<string>();

  constructor(own: TrajectoryForm, head: FormHead) {
    this.#own = own;
    this.#head = head;
    for (const record of head.records)
      if (isFields(record) && this.#recognise(record) === own)
        for (const key of Object.keys(record)) this.#keys.add(key);
  }

  /** Null: no form knows it, the file's own neither. */
  of(value: unknown): TrajectoryForm | null {
    const own = this.#own;
    if (!isFields(value)) return own;
    if (this.#hasKnownShape(value) && own.recognise(this.#headOf(value))) return own;
    const form = this.#recognise(value);
    if (form === own) {
      this.#remember(Object.keys(value));
      return form;
    }
    if (form !== null && !isGuess(form)) return form;
    // Less than the file's other lines have, but nothing that they haven't.
    const less = Object.keys(value).every((key) => this.#keys.has(key));
    return less || own.owns?.(value) === true ? own : form;
  }

  #recognise(value: Fields): TrajectoryForm | null {
    return recogniseForm(this.#headOf(value));
  }

  #headOf(value: Fields): FormHead {
    return { ...this.#head, container: "lines", records: [value] };
  }

  #hasKnownShape(value: Fields): boolean {
    if (hasKeys(value, this.#last)) return true;
    const keys = Object.keys(value);
    if (!this.#shapes.has(joined(keys))) return false;
    this.#last = keys;
    return true;
  }

  #remember(keys: readonly string[]): void {
    if (this.#shapes.size >= MOST_SHAPES) this.#shapes.clear();
    this.#shapes.add(joined(keys));
    this.#last = keys;
  }
}

function joined(keys: readonly string[]): string {
  return keys.join("\u0000");
}

/** Of a file that is read whole: the lines that its form makes trajectories of, and a problem for each other one. */
export function ownLines(
  form: TrajectoryForm,
  { name, folders }: Pick<FormHead, "name" | "folders">,
  placed: readonly PlacedRecord[],
): { readonly records: readonly PlacedRecord[]; readonly problems: readonly FileProblem[] } {
  const records = placed.slice(0, HEAD_RECORDS).map(({ value }) => value);
  const lines = new LineForms(form, { container: "lines", name, folders, records, names: [], metadata: {} });
  const problems: FileProblem[] = [];
  const own = placed.filter(({ value, line }) => {
    const known = lines.of(value);
    if (known === form) return true;
    problems.push(
      known === null
        ? {
            line,
            code: "unknown-form",
            message: `The record is of no known form: ${form.title} is what the file holds otherwise.`,
          }
        : {
            line,
            code: "other-form",
            message: `The record is of another form, ${known.title}: it isn't read in a file of ${form.title}.`,
          },
    );
    return false;
  });
  return { records: own, problems };
}

function hasKeys(value: Fields, keys: readonly string[]): boolean {
  let at = 0;
  for (const key in value) if (key !== keys[at++]) return false;
  return at === keys.length;
}
