import { describe, expect, it } from "vitest";
import type { RecipeInput } from "../../../../src/core/runs/recipe";
import { RunRecord } from "../../../../src/schema/run";
import { bench, newRun } from "./fakes";

const INPUT: RecipeInput = {
  settings: {},
  smoke: false,
  version: null,
  reward: null,
  columns: {},
  python: "/venv/bin/python",
  backend: "local",
  command: ["train", "--steps", "3"],
  secrets: [],
  checkpoint: null,
};

describe("creating", () => {
  it("writes all files, run.json last, and starts nothing", async () => {
    const { service, store, processes } = bench();
    const { id, folder, status } = await service.create(newRun());
    expect([id, folder, status.state]).toEqual(["my-run-1", "/p/.rewardsmith/runs/my-run-1", "created"]);
    const files = [...store.runs.get(id)!.keys()];
    expect(files.at(-1)).toBe("run.json");
    expect(files.sort()).toEqual(["job/launch.py", "reward/reward.py", "run.json", "status.json"]);
    expect(RunRecord.parse(JSON.parse(store.runs.get(id)!.get("run.json")!))).toMatchObject({
      id,
      name: "My run",
    });
    expect(processes.started).toEqual([]);
  });

  it("counts on from the highest number, past those that another process takes meanwhile", async () => {
    const { service, store } = bench();
    await store.claim("my-run-7");
    await store.claim("my-run-x");
    store.taken.add("my-run-8");
    expect((await service.create(newRun())).id).toBe("my-run-9");
    expect((await service.create(newRun({ name: "../../Ünsinn\0" }))).id).toBe("unsinn-1");
    expect((await service.create(newRun({ name: "日本" }))).id).toBe("run-1");
    expect((await service.create(newRun({ name: "x".repeat(300) }))).id).toHaveLength(50);
  });

  it("refuses secrets in settings, command and files before anything is written", async () => {
    const { service, store } = bench();
    const secrets = { KEY: "0123456789" };
    const command = newRun().output.command!;
    const cases = [
      newRun({ settings: { extra: { wandb: { api_key: "abc" } } } }),
      newRun({ secrets, settings: { model: "m-0123456789" } }),
      newRun({ secrets, output: { ...newRun().output, command: { ...command, args: ["0123456789"] } } }),
      newRun({ secrets, output: { ...newRun().output, files: [{ path: "a", text: "k = '0123456789'" }] } }),
      newRun({ secrets, output: { ...newRun().output, command: { ...command, env: { B: "x0123456789" } } } }),
      newRun({ input: { ...INPUT, command: ["train", "--token", "abcdefgh"] } }),
    ];
    for (const run of cases) {
      const error: unknown = await service.create(run).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "BadArguments" });
      expect(String(error)).not.toMatch(/0123456789|abcdefgh/);
    }
    expect(store.runs.size).toBe(0);
  });

  it("hides secrets in what is only shown", async () => {
    const { service, store } = bench();
    const output = {
      ...newRun().output,
      resolved: [
        { key: "wandb.api_key", value: "abc", default: null, differs: true, source: "extra" as const },
        { key: "max_tokens", value: 12, default: 8, differs: true, source: "extra" as const },
      ],
    };
    const { id } = await service.create(newRun({ output }));
    const written = RunRecord.parse(JSON.parse(store.runs.get(id)!.get("run.json")!));
    expect(written.resolved.map(({ value }) => value)).toEqual(["[hidden]", 12]);
  });
});

describe("starting", () => {
  it("hands secrets on, also those that stood among the plain variables", async () => {
    const { service, processes } = bench();
    const command = { ...newRun().output.command!, env: { HF_TOKEN: "hf_abcdef", A: "1" } };
    const { id, record } = await service.create(
      newRun({ secrets: { KEY: "0123456789" }, output: { ...newRun().output, command } }),
    );
    expect(record.command).toMatchObject({ env: { A: "1" }, secrets: ["KEY", "HF_TOKEN"] });
    await service.start(id, { KEY: "0123456789" });
    expect(processes.started).toEqual([
      { folder: service.folderOf(id), secrets: { HF_TOKEN: "hf_abcdef", KEY: "0123456789" } },
    ]);
  });

  it("refuses without the secrets, twice, and where there is nothing to start", async () => {
    const { service, store } = bench();
    const one = await service.create(newRun({ secrets: { KEY: "0123456789" } }));
    const { id } = await service.create(newRun());
    store.runs.get(one.id)!.set("status.json", JSON.stringify({ ...one.status, state: "created" }));
    const other = bench();
    other.store.runs.set(one.id, store.runs.get(one.id)!);
    await expect(other.service.start(one.id, {})).rejects.toMatchObject({ message: /needs the secrets KEY/ });
    store.put(id, { state: "finished" });
    await expect(service.start(id, {})).rejects.toMatchObject({ code: "BadArguments", message: /only once/ });
    const files = await service.create(newRun({ output: { ...newRun().output, command: null } }));
    await expect(service.start(files.id, {})).rejects.toMatchObject({ message: /nothing to start/ });
    await expect(service.start("nowhere", {})).rejects.toMatchObject({ code: "FileMissing" });
  });
});

describe("looking", () => {
  it("lists the newest first, looks after live ones only, and passes over what isn't a run", async () => {
    const { service, store, processes } = bench();
    const a = await service.create(newRun());
    const b = await service.create(newRun());
    const c = await service.create(newRun());
    store.put(a.id, { state: "running" });
    store.put(b.id, { state: "finished" });
    await store.claim("half-made");
    store.runs.set("broken", new Map([["run.json", "{"]]));
    expect((await service.list()).map(({ id, state }) => [id, state])).toEqual([
      [c.id, "created"],
      [b.id, "finished"],
      [a.id, "running"],
    ]);
    expect(processes.ensured).toEqual([a.folder]);
    await expect(service.get("broken")).rejects.toMatchObject({ code: "FormatUnknown" });
  });

  it("reads again what a look has settled", async () => {
    const { service, store, processes } = bench();
    const { id } = await service.create(newRun());
    store.put(id, { state: "running" });
    processes.presence = () => {
      store.put(id, { state: "lost", reason: { code: "supervisor-gone", text: null } });
      return "settled";
    };
    expect((await service.get(id)).status.state).toBe("lost");
  });

  it("keeps the last status where a later one can't be read", async () => {
    const { service, store } = bench();
    const { id } = await service.create(newRun());
    store.put(id, { state: "running", step: 3 });
    await service.get(id);
    store.runs.get(id)!.set("status.json", "");
    expect((await service.get(id)).status).toMatchObject({ state: "running", step: 3 });
  });

  it("says what changed, and stops asking when nobody listens", async () => {
    const { service, store, clock } = bench();
    const { id } = await service.create(newRun());
    store.put(id, { state: "running" });
    const heard: string[] = [];
    const listening = service.onDidChange(({ run }) => heard.push(run));
    const pass = async (): Promise<void> => {
      const until = clock.at + 3000;
      while (clock.at < until) await new Promise((resolve) => setImmediate(resolve));
    };
    await pass();
    expect(heard).toEqual([]);
    await store.write(id, "metrics.jsonl", "{}");
    await pass();
    expect(heard).toEqual([id]);
    store.put(id, { state: "finished" });
    await pass();
    expect(heard).toEqual([id, id]);
    await store.remove(id);
    await pass();
    expect(heard).toEqual([id, id, id]);
    listening.dispose();
    await new Promise((resolve) => setImmediate(resolve));
    const at = clock.at;
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.at).toBeLessThanOrEqual(at + 1000);
  });

  it("gives the log between characters, whatever the offsets", async () => {
    const { service, store } = bench();
    const { id } = await service.create(newRun());
    expect(await service.log(id, null, 10)).toEqual({ text: "", from: 0, to: 0, total: 0 });
    const text = "aä€😀z".repeat(3);
    await store.write(id, "console.log", text);
    const { length } = Buffer.from(text);
    for (let step = 4; step < 9; step++) {
      let all = "";
      for (let at = 0; at < length;) {
        const slice = await service.log(id, at, step);
        expect(slice.to).toBeGreaterThan(at);
        all += slice.text;
        at = slice.to;
      }
      expect(all).toBe(text);
    }
    for (let bytes = 1; bytes <= length; bytes++)
      expect(text.endsWith((await service.log(id, null, bytes)).text.replace(/^\ufffd+/, ""))).toBe(true);
    await store.write(id, "console.log", "\xff".repeat(3));
    expect((await service.log(id, 0, 100)).text).toBe("ÿÿÿ");
  });
});

describe("ending and removing", () => {
  it("asks for a stop of live runs only", async () => {
    const { service, store, processes } = bench();
    const { id, folder } = await service.create(newRun());
    await expect(service.stop(id)).rejects.toMatchObject({ message: /nothing to stop/ });
    store.put(id, { state: "running" });
    await service.stop(id);
    await service.kill(id);
    expect(processes.requests).toEqual([
      { folder, kind: "stop", by: "test" },
      { folder, kind: "kill", by: "test" },
    ]);
    await expect(service.delete(id)).rejects.toMatchObject({ message: /Stop it first/ });
    store.put(id, { state: "stopped" });
    await service.delete(id);
    expect(store.runs.size).toBe(0);
  });

  it("retention keeps the newest, what is live or promoted, and what a kept run goes on from", async () => {
    const { service, store } = bench();
    const ids: string[] = [];
    for (let at = 0; at < 8; at++) ids.push((await service.create(newRun())).id);
    for (const id of ids) store.put(id, { state: "finished" });
    store.put(ids[0]!, { state: "running" });
    const record = JSON.parse(store.runs.get(ids[7]!)!.get("run.json")!) as object;
    await store.write(
      ids[7]!,
      "run.json",
      JSON.stringify({ ...record, resumes: { run: ids[2], checkpoint: "c" } }),
    );
    store.put(ids[3]!, { state: "created" });
    const removed = await service.prune(2, new Set([ids[1]!]));
    expect(removed.sort()).toEqual([ids[4], ids[5]]);
    expect([...store.runs.keys()]).toEqual([ids[0], ids[1], ids[2], ids[3], ids[6], ids[7]]);
  });

  it("waits for the end no longer than it is told", async () => {
    const { service, store, clock } = bench();
    const { id } = await service.create(newRun());
    store.put(id, { state: "running" });
    expect((await service.ended(id, 500)).state).toBe("running");
    expect(clock.at).toBeGreaterThanOrEqual(500);
    store.put(id, { state: "finished" });
    expect((await service.ended(id, 500)).state).toBe("finished");
  });
});

describe("resuming", () => {
  it("makes a new run from the last checkpoint, with the same reward and command", async () => {
    const { service, store } = bench();
    const { id } = await service.create(newRun({ input: INPUT }));
    store.put(id, {
      state: "stopped",
      checkpoints: [
        { name: "checkpoint-10", step: 10 },
        { name: "checkpoint-20", step: 20 },
      ],
    });
    const made = await service.resume(id, null, {});
    expect(made).toMatchObject({
      id: "my-run-2",
      record: { resumes: { run: id, checkpoint: "checkpoint-20" } },
      status: { state: "created" },
    });
    const files = store.runs.get(made.id)!;
    expect(files.get("reward/reward.py")).toBe("def f(): ...");
    expect(files.get("job/run.json")).toContain("/p/.rewardsmith/runs/my-run-1/out/checkpoint-20");
    expect(files.get("job/launch.py")).toContain('"--steps"');
    const again = await service.resume(id, "checkpoint-10", {});
    expect(again.record.resumes).toEqual({ run: id, checkpoint: "checkpoint-10" });
  });

  it("refuses what can't be, and says why", async () => {
    const { service, store } = bench();
    const { id } = await service.create(newRun());
    await expect(service.resume(id, null, {})).rejects.toMatchObject({ message: /no checkpoint/ });
    store.put(id, { state: "running" });
    await expect(service.resume(id, null, {})).rejects.toMatchObject({ message: /Stop it first/ });
    store.put(id, { state: "stopped", checkpoints: [{ name: "checkpoint-1", step: 1 }] });
    await expect(service.resume(id, "checkpoint-9", {})).rejects.toMatchObject({
      message: /no checkpoint checkpoint-9/,
    });
    await expect(service.resume(id, null, {})).rejects.toMatchObject({ message: /Launch it again/ });
  });
});
