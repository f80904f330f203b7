import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import type { ContainerId } from "../../../../src/formats/trajectories/form";
import { FORMS } from "../../../../src/formats/trajectories/registry";
import type { Trajectory } from "../../../../src/schema/trajectory";
import { type ReadMemory, readMemory } from "../../../support/readMemory";

const FIXTURES = "test/fixtures/trajectories";

interface Lines {
  readonly form: string;
  readonly path: string;
  readonly lines: readonly string[];
}

const linesOf = (path: string): string[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
const file = (form: string, path: string): Lines => ({
  form,
  path,
  lines: linesOf(`${FIXTURES}/${path}`),
});

const asked = { role: "user", content: "How many?" };
const said = { role: "assistant", content: "Three." };
const at = (second: number): string => `2026-01-05T10:00:0${second}.000Z`;

/** Forms whose fixtures aren't files of lines. */
const made: readonly Lines[] = [
  {
    form: "rllm-episode",
    path: "rllm/episodes.jsonl",
    lines: [
      JSON.stringify(
        JSON.parse(readFileSync(`${FIXTURES}/rllm/val_step_7_epoch_1/episode_hash1_idx.json`, "utf8")),
      ),
    ],
  },
  {
    form: "langfuse-trace",
    path: "langfuse/traces.jsonl",
    lines: [
      JSON.stringify({
        id: "lf",
        name: "chat",
        timestamp: at(0),
        scores: [{ name: "quality", value: 0.5, dataType: "NUMERIC" }],
        observations: [
          { id: "o", type: "GENERATION", startTime: at(1), endTime: at(2), input: [asked], output: said },
        ],
      }),
    ],
  },
  {
    form: "langsmith-runs",
    path: "langsmith/runs.jsonl",
    lines: [
      JSON.stringify({
        id: "ls",
        trace_id: "ls",
        run_type: "llm",
        start_time: at(1),
        end_time: at(2),
        inputs: { messages: [asked] },
        outputs: { choices: [{ message: said }] },
      }),
    ],
  },
  {
    form: "mlflow-trace",
    path: "mlflow/traces.jsonl",
    lines: [
      JSON.stringify({
        info: { trace_id: "tr", state: "OK" },
        data: {
          spans: [
            {
              span_id: "m",
              parent_span_id: null,
              name: "m",
              start_time_unix_nano: 1,
              end_time_unix_nano: 2,
              status: { code: "STATUS_CODE_OK" },
              attributes: {
                "mlflow.spanType": '"CHAT_MODEL"',
                "mlflow.spanInputs": JSON.stringify({ messages: [asked] }),
                "mlflow.spanOutputs": JSON.stringify({ choices: [{ message: said }] }),
              },
            },
          ],
        },
      }),
    ],
  },
  {
    form: "generic",
    path: "own/rows.jsonl",
    lines: [JSON.stringify({ conversation: [asked, said], score: 0.25, note: "ours" })],
  },
];

const ALL: readonly Lines[] = [
  file("areal-rollout", "areal/eval-rollout/6/9.jsonl"),
  file("art-trajectories", "art/logged.jsonl"),
  file("art-groups", "art/trajectories/train/0007.jsonl"),
  file("atropos-groups", "atropos/groups.jsonl"),
  file("eval-protocol-recording", "eval-protocol/recording.jsonl"),
  file("eval-protocol-rows", "eval-protocol/rows.jsonl"),
  file("harbor-traces", "harbor/traces.jsonl"),
  file("nemo-gym-rollouts", "nemo-gym/rollouts.jsonl"),
  file("nemo-gym-failures", "nemo-gym/rollouts_failures.jsonl"),
  file("nemo-rl-data", "nemo-rl/train_data_step5.jsonl"),
  file("otel-spans", "otel/spans.jsonl"),
  file("skyrl-eval", "skyrl/global_step_3_evals/own_towers.jsonl"),
  file("tinker-rollouts", "tinker/iteration_000004/train_rollout_summaries.jsonl"),
  file("trackio-session", "trackio/session.jsonl"),
  file("verifiers-results", "verifiers/v0/results.jsonl"),
  file("verifiers-results", "verifiers/v0-old/results.jsonl"),
  file("verifiers-traces", "verifiers/v1/traces.jsonl"),
  file("verifiers-traces", "verifiers/older/traces.jsonl"),
  file("verl-rollout", "verl/validation/20.jsonl"),
  file("verl-rollout", "verl/7.jsonl"),
  ...made,
];

const read = (path: string, lines: readonly string[]): Promise<ReadMemory> =>
  readMemory(path, `${lines.join("\n")}\n`);

/** What a line says must be the same wherever it stands; its place may name its group. */
function content({ group, ...rest }: Trajectory): unknown {
  return { ...rest, form: null, group: group !== null && /^line | · \d+$/.test(group) ? null : group };
}

it("has lines of every form that comes in lines", () => {
  const inLines = ({ containers }: { readonly containers: readonly ContainerId[] }): boolean =>
    containers.includes("lines");
  expect(new Set(ALL.map(({ form }) => form))).toEqual(new Set(FORMS.filter(inLines).map(({ id }) => id)));
});

it.each(ALL.map((one) => [`${one.form} (${one.path})`, one] as const))(
  "a file of %s: a line of any other form in it is read by that form, or is a problem",
  async (_, host) => {
    const whole = await read(host.path, host.lines);
    expect(whole.form).toBe(host.form);
    const faults: string[] = [];
    for (const guest of ALL) {
      if (guest.form === host.form) continue;
      for (const [nth, line] of guest.lines.entries()) {
        const alone = await read(host.path, [line]).catch(() => null);
        for (const before of new Set([1, host.lines.length])) {
          const lines = [...host.lines.slice(0, before), line, ...host.lines.slice(before)];
          const both = await read(host.path, lines);
          const here = both.trajectories.filter((one) => one.line === before + 1);
          const there = both.trajectories.filter((one) => one.line !== before + 1);
          const what = `${guest.form} line ${nth + 1} after line ${before}, read as ${both.form}`;
          const told = both.problems.some((one) => one.line === before + 1);
          // A file of two forms may be the other's as well; what is said of the own lines must then be the same.
          const lost = whole.trajectories.filter(
            ({ trajectory }) =>
              !there.some((one) => isDeepStrictEqual(content(one.trajectory), content(trajectory))),
          );
          if (
            lost.length > 0 &&
            !lost.every(({ line: own }) => problemAt(both, own > before ? own + 1 : own))
          )
            faults.push(`${what}: ${lost.length} of the file's own are lost`);
          if (told) continue;
          if (here.length === 0 && alone?.trajectories.length !== 0) faults.push(`${what}: nothing, no word`);
          for (const { trajectory } of here)
            if (
              alone?.form !== guest.form ||
              !alone.trajectories.some((one) =>
                isDeepStrictEqual(content(one.trajectory), content(trajectory)),
              )
            )
              faults.push(`${what}: ${JSON.stringify(trajectory).slice(0, 300)}`);
        }
      }
    }
    expect(faults).toEqual([]);
  },
);

function problemAt({ problems }: ReadMemory, line: number): boolean {
  return problems.some((one) => one.line === line);
}

it("names the form that read a line of another one, and none for the file's own", async () => {
  const [verl, areal] = ["verl/7.jsonl", "areal/eval-rollout/6/9.jsonl"].map((path) =>
    linesOf(`${FIXTURES}/${path}`),
  );
  const { trajectories } = await read("7.jsonl", [...(verl ?? []), ...(areal ?? []).slice(0, 1)]);
  expect(trajectories.map(({ trajectory }) => trajectory.form)).toEqual([null, null, "areal-rollout"]);
});

it("tells the items of one JSON list apart in the same way", async () => {
  const [verl, areal] = ["verl/7.jsonl", "areal/eval-rollout/6/9.jsonl"].map((path) =>
    linesOf(`${FIXTURES}/${path}`),
  );
  const list = `[${[...(verl ?? []), ...(areal ?? []).slice(0, 1)].join(",\n")}]`;
  const { form, trajectories } = await read("7.json", [list]);
  expect(form).toBe("verl-rollout");
  expect(trajectories.map(({ trajectory }) => trajectory.form)).toEqual([null, null, "areal-rollout"]);
});
