import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppendFile } from "../../../../src/runtime/runs/appendFile";
import { leaveRequest, takeRequests } from "../../../../src/runtime/runs/control";
import { matches } from "../../../../src/runtime/runs/glob";
import { readExitFile, reserveExit, writeExit } from "../../../../src/runtime/runs/keeperFiles";
import { lastHolder, takeLock } from "../../../../src/runtime/runs/lock";
import { nodeRunStore } from "../../../../src/runtime/runs/runStore";
import { StatusBook, firstStatus, readStatus } from "../../../../src/runtime/runs/statusBook";
import type { ProcessMark } from "../../../../src/schema/run";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rewardsmith-run-files-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const mark = (pid: number): ProcessMark => ({ pid, start: "1", boot: "b", token: `t${pid}` });

describe("the lock", () => {
  it("goes to one, and to exactly one of those that follow a dead one", async () => {
    const living = new Set([1]);
    const alive = ({ pid }: ProcessMark): Promise<boolean> => Promise.resolve(living.has(pid));
    expect(await takeLock(home, mark(1), alive)).toEqual({ held: true, generation: 1 });
    expect(await takeLock(home, mark(2), alive)).toEqual({ held: false, by: mark(1) });
    living.delete(1);
    const pids = [11, 12, 13, 14, 15, 16];
    for (const pid of pids) living.add(pid);
    const taken = await Promise.all(pids.map((pid) => takeLock(home, mark(pid), alive)));
    expect(taken.filter(({ held }) => held)).toEqual([{ held: true, generation: 2 }]);
    const holder = pids[taken.findIndex(({ held }) => held)]!;
    expect(await lastHolder(home)).toEqual({ generation: 2, mark: mark(holder) });
    for (const one of taken) if (!one.held) expect(one.by.pid).toBe(holder);
    expect(readdirSync(join(home, "process")).sort()).toEqual(["supervisor-1.json", "supervisor-2.json"]);
  });

  it("is free where its holder ended while it wrote", async () => {
    mkdirSync(join(home, "process"));
    writeFileSync(join(home, "process", "supervisor-3.json"), '{"pid": 1');
    expect(await takeLock(home, mark(2), () => Promise.resolve(true))).toEqual({ held: true, generation: 4 });
  });
});

describe("files that grow", () => {
  it("keep their order, and note what had to be dropped", async () => {
    const path = join(home, "log");
    const file = new AppendFile(path, (bytes) => `[${bytes} lost]`, 10);
    for (const text of ["aaaa", "bbbb", "cccc", "dddd"]) file.add(text);
    expect(file.waiting).toBe(8);
    expect(await file.flush()).toBe(true);
    file.add("e");
    await file.flush();
    expect(readFileSync(path, "utf8")).toBe("[8 lost]ccccdddde");
    expect(file.waiting).toBe(0);
    await file.close();
  });

  it("keep what couldn't be written for the next try", async () => {
    const file = new AppendFile(join(home, "not", "there"), () => "");
    file.add("x");
    await expect(file.flush()).rejects.toMatchObject({ code: "ENOENT" });
    mkdirSync(join(home, "not"));
    expect(await file.flush()).toBe(true);
    expect(readFileSync(join(home, "not", "there"), "utf8")).toBe("x");
    await file.close();
  });
});

describe("the store", () => {
  it("claims a folder once, also when asked at the same moment", async () => {
    const stores = Array.from({ length: 8 }, () => nodeRunStore(home));
    const claimed = await Promise.all(stores.map((store) => store.claim("a-1")));
    expect(claimed.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(join(home, ".rewardsmith", "runs", ".gitignore"), "utf8")).toMatch(/^\*$/m);
  });

  it("removes a run, not what a link in it or in its place leads to", async () => {
    const store = nodeRunStore(home);
    const outside = join(home, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "precious"), "x");
    await store.claim("a-1");
    symlinkSync(outside, join(store.folder, "a-1", "link"));
    await store.remove("a-1");
    expect(readdirSync(store.folder)).toEqual([".gitignore"]);
    symlinkSync(outside, join(store.folder, "b-1"));
    expect(await store.ids()).toEqual([]);
    await expect(store.remove("b-1")).rejects.toMatchObject({ code: "BadArguments" });
    await expect(store.remove("../../outside")).rejects.toThrow();
    await expect(store.remove("..")).rejects.toThrow();
    await store.remove("never-there");
    expect(readFileSync(join(outside, "precious"), "utf8")).toBe("x");
  });

  it("writes and reads inside a run alone", async () => {
    const store = nodeRunStore(home);
    await store.claim("a-1");
    await store.write("a-1", "job/deep/file", "text");
    expect(await store.read("a-1", "job/deep/file", 100)).toBe("text");
    expect(await store.read("a-1", "job/deep/file", 3)).toBeNull();
    expect(await store.read("a-1", "job", 100)).toBeNull();
    for (const path of ["../b", "/etc/passwd", "job/../../x", "."])
      await expect(store.write("a-1", path, "x"), path).rejects.toMatchObject({ code: "BadArguments" });
  });

  it("copies a folder without its links", async () => {
    const store = nodeRunStore(home);
    await store.claim("a-1");
    await store.claim("b-1");
    await store.write("a-1", "reward/r.py", "x");
    symlinkSync("/etc", join(store.folder, "a-1", "reward", "etc"));
    await store.copy("a-1", "b-1", "reward");
    await store.copy("a-1", "b-1", "nothing");
    expect(readdirSync(join(store.folder, "b-1", "reward"))).toEqual(["r.py"]);
  });

  it("gives slices of what is there, and a stamp that changes with it", async () => {
    const store = nodeRunStore(home);
    await store.claim("a-1");
    expect(await store.slice("a-1", "console.log", null, 5)).toBeNull();
    const before = await store.stamp("a-1");
    await store.write("a-1", "console.log", "0123456789");
    expect(await store.stamp("a-1")).not.toBe(before);
    const tail = await store.slice("a-1", "console.log", null, 4);
    expect([Buffer.from(tail!.bytes).toString(), tail!.from, tail!.total]).toEqual(["6789", 6, 10]);
    const past = await store.slice("a-1", "console.log", 50, 4);
    expect([past!.bytes.length, past!.from]).toEqual([0, 10]);
  });
});

describe("requests", () => {
  it("are taken once, in order, and rubbish is put away", async () => {
    await leaveRequest(home, { kind: "kill", by: "b", at: 2 });
    await leaveRequest(home, { kind: "stop", by: "a", at: 1 });
    writeFileSync(join(home, "control", "x.json"), "{}");
    expect((await takeRequests(home)).map(({ kind }) => kind)).toEqual(["stop", "kill"]);
    expect(await takeRequests(home)).toEqual([]);
    expect(existsSync(join(home, "control", "x.json"))).toBe(false);
  });
});

describe("the end on disk", () => {
  it("is blank until it is known, and takes no more room then", async () => {
    mkdirSync(join(home, "process"));
    expect(readExitFile(home)).toBeNull();
    await reserveExit(home);
    expect(readExitFile(home)).toBeNull();
    const size = readFileSync(join(home, "process", "exit.json")).length;
    const exit = { code: null, signal: 9, memoryKill: false, at: 1e13 };
    writeExit(home, exit);
    expect(readExitFile(home)).toEqual(exit);
    expect(readFileSync(join(home, "process", "exit.json")).length).toBe(size);
  });
});

describe("patterns", () => {
  it("find names by their star, and only what is there", async () => {
    for (const name of ["checkpoint-10", "checkpoint-2", "other"])
      mkdirSync(join(home, "out", name), { recursive: true });
    writeFileSync(join(home, "out", "checkpoint-2", "state.json"), "");
    const found = await matches(home, "out/checkpoint-*");
    expect(found.sort((a, b) => Number(a.star) - Number(b.star))).toEqual([
      { path: "out/checkpoint-2", star: "2" },
      { path: "out/checkpoint-10", star: "10" },
    ]);
    expect(await matches(home, "out/checkpoint-*/state.json")).toEqual([
      { path: "out/checkpoint-2/state.json", star: "2" },
    ]);
    expect(await matches(home, "nowhere/*")).toEqual([]);
    expect(await matches(home, "out/(*")).toEqual([]);
  });
});

describe("the status", () => {
  it("goes only where the state machine lets it, and hides secrets in every text", async () => {
    const book = new StatusBook(home, firstStatus(5, 10), { wall: () => 7, monotonic: () => 0 }, (text) =>
      text.replaceAll("secret", "[hidden]"),
    );
    book.enter("starting");
    book.enter("running");
    book.problem("not-written", "a secret");
    book.problem("not-written", "a secret");
    expect(() => book.enter("starting")).toThrow(/running can't become starting/);
    book.end(
      { state: "failed", reason: { code: "exit-code", text: "the secret" }, exit: { code: 1, signal: null } },
      3,
    );
    expect(await book.flush(3)).toBe(true);
    await book.close();
    expect(await readStatus(home)).toMatchObject({
      state: "failed",
      reason: { text: "the [hidden]" },
      ended: 7,
      elapsedS: 3,
      steps: 10,
      problems: [{ code: "not-written", text: "a [hidden]" }],
    });
    const events = readFileSync(join(home, "events.jsonl"), "utf8");
    expect(events.split("\n").filter(Boolean)).toHaveLength(4);
    expect(events).not.toContain("secret");
    expect(() => book.enter("running")).toThrow();
  });
});
