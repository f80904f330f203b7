import { fromTagged, type TaggedNumber } from "../../src/schema/number";
import type {
  Credit,
  OutcomeKind,
  Role,
  TrajectoryFlag,
  TrajectoryProblemCode,
  TrajectoryRow,
} from "../../src/schema/trajectory";
import { formatCount, formatNumber, formatScore, type Speech } from "../../src/words/format";
import { outcomeInWords } from "../../src/words/trajectories";
import type { Column } from "./list/columns";

/** Codicon of an outcome: each its own form, so that colour isn't needed to tell them apart. */
export function outcomeIcon(kind: OutcomeKind): string {
  switch (kind) {
    case "finished":
      return "check";
    case "length":
      return "word-wrap";
    case "turns":
      return "sync-ignored";
    case "time":
      return "watch";
    case "environment":
      return "vm";
    case "infrastructure":
      return "server-environment";
    case "cancelled":
      return "debug-stop";
    case "running":
      return "loading";
    case "unknown":
      return "dash";
  }
}

export function roleWord(role: Role, { t }: Speech): string {
  switch (role) {
    case "system":
      return t("system");
    case "user":
      return t("user");
    case "assistant":
      return t("assistant");
    case "tool":
      return t("tool");
    case "event":
      return t("event");
  }
}

export function roleIcon(role: Role): string {
  switch (role) {
    case "system":
      return "settings-gear";
    case "user":
      return "account";
    case "assistant":
      return "hubot";
    case "tool":
      return "tools";
    case "event":
      return "info";
  }
}

/** What the trainer does with rewards of single turns. */
export function creditWords(credit: Credit, { t }: Speech): string {
  switch (credit) {
    case "summed":
      return t("summed to one number");
    case "last-token":
      return t("on the turn's last token");
    case "per-token":
      return t("on each token of the turn");
  }
}

export function flagWord(flag: TrajectoryFlag, { t }: Speech): string {
  switch (flag) {
    case "error":
      return t("error");
    case "truncated":
      return t("cut off");
    case "tool-error":
      return t("tool error");
    case "bad-arguments":
      return t("bad arguments");
    case "branches":
      return t("branches");
    case "no-reward":
      return t("no reward");
    case "non-finite":
      return t("reward is not finite");
    case "no-messages":
      return t("no messages");
    case "excluded":
      return t("left out by the trainer");
    case "intervention":
      return t("a person stepped in");
  }
}

export function problemWord(code: TrajectoryProblemCode, { t }: Speech): string {
  switch (code) {
    case "not-json":
      return t("not JSON");
    case "torn":
      return t("torn line");
    case "glued":
      return t("several records in one line");
    case "unfinished":
      return t("still being written");
    case "not-an-object":
      return t("not an object");
    case "bad-bytes":
      return t("not UTF-8");
    case "bad-parquet":
      return t("Parquet that can't be read");
    case "bad-zip":
      return t("archive that can't be read");
    case "bad-yaml":
      return t("YAML that can't be read");
    case "bad-sqlite":
      return t("database that can't be read");
    case "git-lfs-pointer":
      return t("Git LFS pointer, not the file");
    case "pickle":
      return t("pickle, which is never opened");
    case "too-large":
      return t("too large");
    case "too-deep":
      return t("nested too deep");
    case "empty":
      return t("empty");
    case "unknown-form":
      return t("unknown form");
    case "other-form":
      return t("another form than the rest");
    case "missing-file":
      return t("file is missing");
    case "odd-record":
      return t("odd record");
  }
}

/** Buckets of failures by id (`core/trajectories/buckets`). */
export function bucketWord(id: string, { t }: Speech): string {
  switch (id) {
    case "truncation":
      return t("truncation");
    case "wrong-arguments":
      return t("wrong arguments");
    case "invented-api":
      return t("invented API");
    case "wrong-tool":
      return t("wrong tool");
    case "format":
      return t("format");
    case "refusal":
      return t("refusal");
    case "loop":
      return t("loop");
    case "retrieval":
      return t("retrieval failure");
    case "incomplete":
      return t("incomplete execution");
    case "inconsistent":
      return t("inconsistent");
    case "dangerous":
      return t("dangerous plan");
    case "long-horizon":
      return t("long-horizon");
    case "environment":
      return t("environment error");
    default:
      return id;
  }
}

/** `+0.84`, `−1.2`: a plus sign where there is no minus, so that the direction is read at once. */
export function signed(value: TaggedNumber | null, language: string): string {
  if (value === null) return "–";
  const text = formatNumber(value, language);
  return typeof value === "number" && value > 0 ? `+${text}` : text.replace("-", "−");
}

export function labelWord(label: TrajectoryRow["label"], { t, language }: Speech): string {
  if (label === null) return "–";
  if (label === "good") return t("good");
  if (label === "bad") return t("bad");
  return formatNumber(label, language);
}

/** ` ↑` or ` ↓` where the reward of now is another than the file's. */
export function arrow(now: TaggedNumber | null, reward: TaggedNumber | null): string {
  if (now === null || reward === null) return "";
  const by = fromTagged(now) - fromTagged(reward);
  return by > 1e-9 ? " ↑" : by < -1e-9 ? " ↓" : "";
}

export function headText(column: Column, { t }: Speech): string {
  switch (column.kind) {
    case "index":
      return "#";
    case "step":
      return t("step");
    case "group":
      return t("group");
    case "reward":
      return t("reward");
    case "component":
      return column.name;
    case "advantage":
      return t("adv");
    case "outcome":
      return t("outcome");
    case "turns":
      return t("turns");
    case "calls":
      return t("calls");
    case "toolErrors":
      return t("tool ✗");
    case "tokens":
      return t("tokens");
    case "now":
      return t("now");
    case "label":
      return t("label");
    case "title":
      return t("title");
  }
}

export function headTitle(column: Column, { t }: Speech): string {
  switch (column.kind) {
    case "index":
      return t("Trajectory in the source, from 1");
    case "step":
      return t("Training step");
    case "group":
      return t("Group: trajectories of one prompt, which the trainer compares");
    case "reward":
      return t("Reward as the file has it");
    case "component":
      return t("Reward component {0}", column.name);
    case "advantage":
      return t("Advantage as the trainer wrote it");
    case "outcome":
      return t("How the rollout ended, apart from its reward");
    case "turns":
      return t("Messages of the model in the first branch");
    case "calls":
      return t("Tool calls");
    case "toolErrors":
      return t("Tool answers that are errors");
    case "tokens":
      return t("Tokens, where the file counts them");
    case "now":
      return t("Total by the open reward");
    case "label":
      return t("Your verdict");
    case "title":
      return t("Beginning of the first user message");
  }
}

/** A column's name for the ear: `#` and `✗` are signs. */
export function headSpoken(column: Column, speech: Speech): string {
  if (column.kind === "index") return speech.t("number");
  if (column.kind === "toolErrors") return speech.t("tool errors");
  if (column.kind === "advantage") return speech.t("advantage");
  return headText(column, speech);
}

/** The source's file where it is one alone; null: a folder's, whose groups are told apart by it. */
export function onlyFile(info: { readonly name: string; readonly fileCount: number } | null): string | null {
  return info !== null && info.fileCount === 1 ? info.name : null;
}

/** A group's id without the name of the only file there is: forms that number groups file by file put it first. */
export function groupName(id: string, file: string | null): string {
  const prefix = `${file ?? ""} · `;
  return file !== null && id.length > prefix.length && id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

/** At most `most` characters: what is left out is in the middle, as ids differ at either end. */
export function middleCut(text: string, most: number): string {
  const all = Array.from(text.slice(0, 2000));
  if (all.length <= most) return all.join("");
  const head = Math.max(1, Math.floor((most - 1) / 2));
  const tail = Math.max(1, most - 1 - head);
  return `${all.slice(0, head).join("")}…${all.slice(-tail).join("")}`;
}

/** A cell as shown. Never a number for what has none. */
export function cellText(column: Column, row: TrajectoryRow, speech: Speech): string {
  const { language } = speech;
  switch (column.kind) {
    case "index":
      return formatCount(row.index + 1, language);
    case "step":
      return formatNumber(row.step, language);
    case "group":
      return row.group;
    case "reward":
      return formatScore(row.reward, language);
    case "component":
      return formatScore(row.rewards[column.name] ?? null, language);
    case "advantage":
      return signed(row.advantage, language);
    case "outcome":
      return outcomeInWords(row.outcome, speech);
    case "turns":
      return formatCount(row.turns, language);
    case "calls":
      return formatCount(row.calls, language);
    case "toolErrors":
      return row.toolErrors === 0 ? "–" : formatCount(row.toolErrors, language);
    case "tokens":
      return row.tokens === null ? "–" : formatCount(row.tokens, language);
    case "now":
      return row.now === null
        ? (row.nowState ?? "–")
        : `${formatScore(row.now, language)}${arrow(row.now, row.reward)}`;
    case "label":
      return labelWord(row.label, speech);
    case "title":
      return row.title;
  }
}

/** A row in one sentence, for screen readers. */
export function rowSpoken(row: TrajectoryRow, speech: Speech): string {
  const { t, language } = speech;
  const said = [t("Trajectory {0}", formatCount(row.index + 1, language))];
  if (row.step !== null) said.push(t("step {0}", formatNumber(row.step, language)));
  said.push(t("group {0}", row.group));
  said.push(
    row.reward === null ? t("no reward") : t("reward {0}", formatScore(row.reward, language)),
    outcomeInWords(row.outcome, speech),
    t("{0} turns", formatCount(row.turns, language)),
  );
  if (row.toolErrors > 0) said.push(t("{0} tool errors", formatCount(row.toolErrors, language)));
  if (row.now !== null) said.push(t("now {0}", formatScore(row.now, language)));
  if (row.label !== null) said.push(t("label {0}", labelWord(row.label, speech)));
  for (const flag of row.flags) said.push(flagWord(flag, speech));
  said.push(row.title);
  return said.join(", ");
}
