/**
 * A stand-in for VS Code around the trajectory viewer's page: a fake host and a fake engine behind the real contracts.
 * For looking at the page, for axe and for hostile content; what numbers mean is tested elsewhere.
 */
import { Emitter } from "../../src/base/event";
import { BUCKETS } from "../../src/core/trajectories/buckets";
import { type Channel, createServer } from "../../src/protocol/rpc";
import { trajectoriesContract, type TrajectoriesContract } from "../../src/protocol/trajectories.contract";
import {
  trajectoryDataContract,
  type TrajectoryDataContract,
} from "../../src/protocol/trajectoryData.contract";
import { fromTagged } from "../../src/schema/number";
import type { Trajectory, TrajectoryQuery, TrajectoryRow } from "../../src/schema/trajectory";
import { TrajectoriesState } from "../../src/schema/trajectoryView";
import { compareTrajectories } from "../../src/services/trajectories/compare";
import { headOf } from "../../src/services/trajectories/head";
import { imageBytes, safeImage } from "../../src/services/trajectories/images";
import { outlineOf, placed, safeCut, textAt, wayOf } from "../../src/services/trajectories/slices";
import type { TrajectorySource } from "../../src/services/trajectories/source";
import { GROUP, random, rowOf, trajectoryOf } from "./made";

const params = new URLSearchParams(location.search);
const rows = Number(params.get("rows") ?? 12_480);
const delay = Number(params.get("delay") ?? 0);
const mode = params.get("mode") === "compare" ? "compare" : "viewer";
const state = params.get("state") ?? "";
const index = params.get("index");

const labels = new Map<number, "good" | "bad" | number>([[7, "good"]]);
const asked: Record<string, number> = {};
const acts: unknown[] = [];
let largest = 0;
Object.assign(window, { asked, acts, largestAnswer: () => largest });

const empty = state === "empty";
const count = (): number => (empty ? 0 : rows);
const kept = new Map<number, Trajectory>();
function get(at: number): Trajectory {
  const known = kept.get(at) ?? trajectoryOf(at);
  kept.delete(at);
  kept.set(at, known);
  for (const old of [...kept.keys()].slice(0, -6)) kept.delete(old);
  return known;
}
const knownRows = new Map<number, TrajectoryRow>();
const row = (at: number): TrajectoryRow => {
  const known = knownRows.get(at) ?? rowOf(at, labels.get(at) ?? null);
  knownRows.set(at, known);
  return known;
};

const progress = () => ({
  seq: 1,
  known: count(),
  files: 1,
  filesDone: state === "partial" ? 0 : 1,
  bytes: 110_000_000,
  bytesDone: state === "partial" ? 46_000_000 : 110_000_000,
  complete: state !== "partial",
  following: false,
  problems: empty ? 0 : 3,
});

const info = () => ({
  name: "rollouts.jsonl",
  folder: false,
  forms: ["verl dump"],
  framework: "verl",
  files: ["rollouts.jsonl"],
  fileCount: 1,
  components: ["tool", "artifact"],
  metrics: ["tool_calls"],
  run: {
    framework: "verl",
    steps: Array.from({ length: Math.min(400, Math.ceil(count() / (GROUP * 4))) }, (_, step) => ({
      step,
      split: "train",
      n: GROUP * 4,
      groups: 4,
      mean: 0.2 + step / 1000 + random(step) / 10,
      scored: GROUP * 4 - 1,
    })),
  },
  rule: "verl/grpo",
});

function filtered({ filter, sort, descending }: TrajectoryQuery): number[] {
  const all = Array.from({ length: count() }, (_, at) => at);
  const terms = [...filter.matchAll(/(\w+)(:|<|>)("[^"]*"|\S+)|(\S+)/gu)];
  const found = terms.length === 0 ? all : all.filter((at) => terms.every((term) => fits(at, term)));
  if (sort === "reward" || sort === "turns" || descending) {
    const value = (at: number): number =>
      sort === "turns" ? row(at).turns : sort === "reward" ? rewardOf(at) : at;
    found.sort((a, b) => (value(a) - value(b)) * (descending ? -1 : 1) || a - b);
  }
  return found;
}
const rewardOf = (at: number): number => {
  const { reward } = row(at);
  return reward === null ? Number.NaN : fromTagged(reward);
};
function fits(at: number, [, field, operator, raw = "", word]: RegExpMatchArray): boolean {
  const value = raw.replaceAll('"', "");
  if (word === "failing") return failing(at);
  if (word === "truncated") return row(at).outcome === "length";
  if (word !== undefined) return row(at).title.includes(word);
  if (field === "group") return row(at).group === value;
  if (field === "outcome") return value.split(",").includes(row(at).outcome);
  if (field === "step") return row(at).step === Number(value);
  if (field === "reward")
    return operator === "<" ? rewardOf(at) < Number(value) : rewardOf(at) > Number(value);
  return true;
}
const failing = (at: number): boolean => rewardOf(at) < 0.1 || row(at).flags.includes("error");

const wait = <T>(method: string, value: () => T | Promise<T>): Promise<T> => {
  asked[method] = (asked[method] ?? 0) + 1;
  return new Promise((resolve, reject) => {
    const answer = (): void => {
      try {
        resolve(value());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    if (delay > 0) setTimeout(answer, delay);
    else answer();
  });
};

const fromPage = new Emitter<unknown>();
const channel: Channel = {
  post: (message) => {
    const text = JSON.stringify(message);
    largest = Math.max(largest, text.length);
    setTimeout(() => window.postMessage(JSON.parse(text), "*"), delay);
  },
  onMessage: fromPage.event,
  onClose: () => ({ dispose: () => undefined }),
};

const source = {
  info,
  groupOf: (at: number) => {
    const first = Math.floor(at / GROUP) * GROUP;
    return Array.from({ length: Math.min(GROUP, count() - first) }, (_, i) => first + i);
  },
  rows: (all: readonly number[]) => Promise.resolve(all.map(row)),
  row: (at: number) => Promise.resolve(row(at)),
  get: (at: number) => Promise.resolve(get(at)),
  raw: (at: number) => Promise.resolve(JSON.stringify({ index: at, ...get(at), tokens: undefined })),
  place: () => ({ file: "rollouts.jsonl", form: "verl dump" }),
} as unknown as TrajectorySource;

const way = (at: number, branch: number) => wayOf(get(at), branch);
let stopped = state === "error";

const data = createServer<TrajectoryDataContract["methods"], TrajectoryDataContract["events"]>(
  trajectoryDataContract,
  channel,
  {
    info: () =>
      wait("info", () => {
        if (stopped) {
          stopped = false;
          throw new Error("the file is gone");
        }
        return { info: info(), progress: progress() };
      }),
    page: ({ query, from, count: n }) =>
      wait("page", () => {
        const wrong = query.filter.includes("??");
        const all = wrong ? [] : filtered(query);
        return {
          progress: progress(),
          total: all.length,
          rows: all.slice(from, from + n).map(row),
          problem: wrong
            ? { code: "unknown-field" as const, subject: "rewrd", near: "reward", from: 0, to: 5 }
            : null,
        };
      }),
    find: ({ query, index: wanted }) =>
      wait("find", () => {
        const at = filtered(query).indexOf(wanted);
        return { at: at === -1 ? null : at };
      }),
    failing: ({ query, index: from, forward }) =>
      wait("failing", () => {
        const all = filtered(query);
        const start = from === null ? -1 : all.indexOf(from);
        for (let step = 1; step <= all.length; step++) {
          const at = (start + (forward ? step : -step) + all.length * 2) % all.length;
          const one = all[at];
          if (one !== undefined && failing(one)) return { index: one, at };
        }
        return { index: null, at: null };
      }),
    head: ({ index: at, maxText }) =>
      wait("head", () => {
        if (state === "broken") throw new Error("the record is torn");
        return headOf(source, at, get(at), maxText);
      }),
    outline: ({ index: at, branch, from, count: n }) =>
      wait("outline", () => {
        const all = way(at, branch);
        return { total: all.length, entries: outlineOf(all, from, n) };
      }),
    messages: ({ index: at, branch, from, count: n, maxText }) =>
      wait("messages", () => {
        const all = way(at, branch);
        return {
          total: all.length,
          messages: all.slice(from, from + n).map((one, i) => placed(one, from + i, maxText)),
        };
      }),
    text: ({ place, from, length }) =>
      wait("text", async () => {
        const text =
          place.message === null
            ? await source.raw(place.index)
            : textAt(way(place.index, place.branch), place);
        return { text: safeCut((text ?? "").slice(from), length), total: (text ?? "").length };
      }),
    image: ({ index: at, branch, message, part }) =>
      wait("image", () => {
        const found = way(at, branch)[message]?.message.parts[part];
        if (found?.type !== "image" || found.data === null) return { mime: null, data: null, bytes: 0 };
        // A hostile engine's answer too: the page decides again what may be shown.
        const mime = safeImage(found.data) ?? found.mime;
        return { mime, data: found.data, bytes: imageBytes(found.data) };
      }),
    search: ({ text, cursor, limit }) =>
      wait("search", () => {
        const hits = [];
        const start = cursor === null ? 0 : Number(cursor);
        let at = start;
        for (; at < Math.min(count(), start + 400) && hits.length < limit; at++) {
          const title = row(at).title;
          const from = title.indexOf(text);
          if (from !== -1)
            hits.push({
              index: at,
              branch: 0,
              message: 1,
              excerpt: title.slice(0, 400),
              from,
              to: from + text.length,
            });
        }
        return {
          hits,
          cursor: at >= count() ? null : String(at),
          bytes: count(),
          bytesDone: at,
        };
      }),
    groups: ({ from, count: n }) =>
      wait("groups", () => {
        const total = Math.ceil(count() / GROUP);
        return {
          total,
          problem: null,
          groups: Array.from({ length: Math.max(0, Math.min(n, total - from)) }, (_, i) => groupAt(from + i)),
        };
      }),
    compare: (ask) => wait("compare", () => compareTrajectories(source, ask)),
    curves: () =>
      wait("curves", () => ({
        curves: ["critic/score/mean", "actor/entropy", "response_length/mean"].map((name, i) => ({
          name,
          file: "metrics.jsonl",
          points: Array.from({ length: 200 }, (_, x): [number, number] => [
            x,
            i + Math.log(1 + x) + random(x + i),
          ]),
        })),
      })),
    buckets: () =>
      wait("buckets", () => ({
        of: Math.min(2000, count()),
        buckets: BUCKETS.map(({ id }, i) => ({
          bucket: id,
          n: Math.floor(random(i) * 120),
          unsure: i % 3 === 0 ? 12 : 0,
          examples: [i + 5, i + 6],
        })),
      })),
    problems: () =>
      wait("problems", () => ({
        total: 3,
        problems: [
          { file: 0, line: 17, code: "torn" as const, message: "The line ends within a string." },
          {
            file: 0,
            line: 4_100,
            code: "not-json" as const,
            message: "Unexpected token < at 0: <img src=x onerror=alert(1)>",
          },
          {
            file: 0,
            line: 9_001,
            code: "other-form" as const,
            message: "Read as messages, the rest as verl dumps.",
          },
        ],
      })),
    label: ({ acts: all }) =>
      wait("label", () => {
        for (const { index: at, value } of all) {
          if (value === null) labels.delete(at);
          else labels.set(at, value);
          knownRows.delete(at);
        }
        data.emit("changed", { seq: 2, what: "labels" });
        return { labelled: all.length };
      }),
    follow: ({ on }) => wait("follow", () => ({ ...progress(), following: on })),
    copy: () => wait("copy", () => ({ text: "| # | reward |\n", rows: 1 })),
    copyOne: () => wait("copyOne", () => ({ text: "## user\n" })),
  },
  (problem) => console.warn(problem),
);

function groupAt(at: number) {
  const members = Array.from({ length: Math.min(GROUP, count() - at * GROUP) }, (_, i) => at * GROUP + i);
  const rewards = members.map(rewardOf).filter(Number.isFinite);
  const mean = rewards.length === 0 ? null : rewards.reduce((a, b) => a + b, 0) / rewards.length;
  const std =
    mean === null ? null : Math.sqrt(rewards.reduce((a, b) => a + (b - mean) ** 2, 0) / rewards.length);
  return {
    id: `q${at}`,
    step: Math.floor(at / 4),
    split: "train",
    task: null,
    title: row(at * GROUP + 5).title,
    n: members.length,
    scored: rewards.length,
    mean,
    std,
    min: rewards.length === 0 ? null : Math.min(...rewards),
    max: rewards.length === 0 ? null : Math.max(...rewards),
    tied: std !== null && std < 1e-9,
    members: members.map((one) => ({ index: one, reward: row(one).reward })),
  };
}

// What VS Code keeps for a page over a reload.
const stored = (): Record<string, unknown> => {
  const value: unknown = JSON.parse(sessionStorage.getItem("state") ?? "{}");
  return typeof value === "object" && value !== null ? { ...value } : {};
};
let current = TrajectoriesState.parse({
  ...(index === null ? {} : { index: Number(index) }),
  ...(mode === "compare" ? { compared: Array.from({ length: GROUP }, (_, i) => 8 + i) } : {}),
});
const host = createServer<TrajectoriesContract["methods"], TrajectoriesContract["events"]>(
  trajectoriesContract,
  channel,
  {
    hello: ({ restored }) =>
      Promise.resolve({
        mode,
        token: "t",
        name: "rollouts.jsonl",
        language: "en",
        bundle: {},
        state: restored ?? current,
        trusted: state !== "untrusted",
        reward: state === "untrusted" ? null : "reward.py",
      }),
    saveState: (next) => {
      current = next;
      return Promise.resolve(null);
    },
    act: (act) => {
      acts.push(act);
      return Promise.resolve({ said: `done: ${act.act}` });
    },
    copy: ({ text }) => {
      Object.assign(window, { copied: text });
      return Promise.resolve(null);
    },
    showLogs: () => Promise.resolve(null),
  },
  (problem) => console.warn(problem),
);
Object.assign(window, {
  pageAct: (act: "focusFilter" | "nextFailing" | "compare", at: number | null) =>
    host.emit("act", { act, index: at }),
  acquireVsCodeApi: () => ({
    postMessage: (message: unknown) => {
      const copy: unknown = structuredClone(message);
      setTimeout(() => fromPage.fire(copy), 0);
    },
    getState: stored,
    setState: (value: unknown) => sessionStorage.setItem("state", JSON.stringify(value)),
  }),
});
