import { parseJson } from "../../schema/json";
import { LabelRecord, type LabelStream, type LabelValue } from "../../schema/label";

export interface Verdict {
  readonly value: LabelValue;
  readonly by: string;
  /** Streams in which the sample got a verdict since it was last cleared. */
  readonly streams: ReadonlySet<LabelStream>;
}

export interface Pair {
  readonly better: string;
  readonly worse: string;
  readonly by: string;
  readonly stream: LabelStream;
}

/**
 * What a sidecar's records say in all. The last record of a sample counts, of two samples the last of the pair; a clear
 * takes back a sample's verdict and the pairs that it is in, not that it was looked at.
 */
export class Sidecar {
  readonly #verdicts = new Map<string, Verdict>();
  readonly #pairs = new Map<string, Pair>();
  readonly #looked = new Set<string>();
  #text = "";
  #problems = 0;
  /** The records that `text` holds; another value whenever one is added or the text replaced. */
  revision = 0;

  get text(): string {
    return this.#text;
  }
  get verdicts(): ReadonlyMap<string, Verdict> {
    return this.#verdicts;
  }
  get pairs(): Iterable<Pair> {
    return this.#pairs.values();
  }
  /** Samples that were looked at in the random stream. */
  get looked(): ReadonlySet<string> {
    return this.#looked;
  }
  /** Lines that could not be read: torn, of a later version, of an unknown kind. They stay in the file. */
  get problems(): number {
    return this.#problems;
  }

  /** Starts anew from a file's text. */
  replace(text: string, revision: number): void {
    this.#verdicts.clear();
    this.#pairs.clear();
    this.#looked.clear();
    this.#problems = 0;
    this.#text = text;
    this.revision = revision;
    this.#take(text);
  }

  /** Text that now stands at the file's end. It starts on a line of its own. */
  extend(text: string, revision: number): void {
    this.#text += text;
    this.revision = revision;
    this.#take(text);
  }

  #take(text: string): void {
    const whole = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    for (const line of whole.split("\n")) {
      if (line.trim() === "") continue;
      // A file that isn't one of ours may have millions of lines, and a parse that throws costs most.
      if (!line.includes('"kind"')) {
        this.#problems++;
        continue;
      }
      const json = parseJson(line);
      const record = json.ok ? LabelRecord.safeParse(json.value) : null;
      if (record?.success) this.#apply(record.data);
      else this.#problems++;
    }
  }

  #apply(record: LabelRecord): void {
    switch (record.kind) {
      case "verdict": {
        const streams = new Set(this.#verdicts.get(record.id)?.streams).add(record.stream);
        this.#verdicts.set(record.id, { value: record.value, by: record.by, streams });
        return;
      }
      case "pair": {
        const { better, worse, by, stream } = record;
        this.#pairs.set(JSON.stringify([better, worse].sort()), { better, worse, by, stream });
        return;
      }
      case "clear":
        this.#verdicts.delete(record.id);
        for (const [key, { better, worse }] of this.#pairs)
          if (better === record.id || worse === record.id) this.#pairs.delete(key);
        return;
      case "looked":
        if (record.stream === "random") this.#looked.add(record.id);
        return;
    }
  }
}

/** How the sample first came before a labeller, the most telling first: one drawn at random stays a random one. */
export function streamOf({ streams }: Pick<Verdict, "streams">): LabelStream {
  return streams.has("random") ? "random" : streams.has("hunting") ? "hunting" : "chosen";
}
