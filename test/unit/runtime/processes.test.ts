import { describe, expect, it } from "vitest";
import type { RunCommand } from "../../../src/runtime/command";
import { linuxPlatform, markerIn, parseStat } from "../../../src/runtime/processes/linux";
import {
  belonging,
  sweep,
  type ProcessInfo,
  type ProcessPlatform,
} from "../../../src/runtime/processes/platform";
import { parsePs, posixPlatform, treeMb } from "../../../src/runtime/processes/posix";
import { parseCim, windowsPlatform } from "../../../src/runtime/processes/windows";

const info = (pid: number, more: Partial<ProcessInfo> = {}): ProcessInfo => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  start: `s${pid}`,
  residentMb: 1,
  marker: null,
  ...more,
});

/** Answers each command with the given text and notes what was asked. */
function scripted(answers: Record<string, string>): { run: RunCommand; asked: string[][] } {
  const asked: string[][] = [];
  const run: RunCommand = (file, args) => {
    asked.push([file, ...args]);
    return Promise.resolve({ code: 0, stdout: Buffer.from(answers[file] ?? ""), stderr: "" });
  };
  return { run, asked };
}

describe("what belongs to a worker", () => {
  const leader = { pid: 10, start: "s10" };
  const pids = (table: ProcessInfo[], leaders = [leader]): number[] =>
    belonging(table, "abc", leaders)
      .map(({ pid }) => pid)
      .sort((a, b) => a - b);

  it("is found by group, session, descent and mark, also behind each other", () => {
    const table = [
      info(30, { parent: 20 }), // grandchild in its own session
      info(20, { parent: 10 }),
      info(10),
      info(40, { group: 10, session: 5 }),
      info(50, { group: 50, session: 10 }),
      info(60, { marker: "abc.3" }), // escaped everything but its environment
      info(70, { parent: 60 }),
      info(80),
      info(90, { marker: "abcd.1" }), // another session whose mark begins like ours
    ];
    expect(pids(table)).toEqual([10, 20, 30, 40, 50, 60, 70]);
  });

  it("isn't what has got the leader's number later", () => {
    const table = [info(10, { start: "later" }), info(20, { parent: 10 }), info(30, { group: 10 })];
    expect(pids(table)).toEqual([]);
  });

  it("is still found by group after the leader has gone", () => {
    expect(pids([info(20, { group: 10, session: 10 })])).toEqual([20]);
  });

  it("is ended round by round until nothing is left, and counted once", async () => {
    const alive = new Map([20, 21].map((pid) => [pid, info(pid, { marker: "abc.1" })]));
    let born = 30;
    const platform: ProcessPlatform = {
      ...linuxPlatform,
      list: () => Promise.resolve([...alive.values()]),
      end(pid) {
        alive.delete(pid);
        // The first two are quick enough to start another before they go.
        if (pid < 30) {
          born += 1;
          alive.set(born, info(born, { marker: "abc.1" }));
        }
        return Promise.resolve();
      },
    };
    expect((await sweep(platform, "abc", [])).size).toBe(4);
    expect(alive.size).toBe(0);
  });
});

describe("Linux", () => {
  it("reads a process's line, whatever its name holds", () => {
    const line = `4711 (a) b (x) S 17 4711 4700 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 99887766 1000000 2560 18446744073709551615 1 1`;
    expect(parseStat(line)).toMatchObject({
      state: "S",
      parent: 17,
      group: 4711,
      session: 4700,
      start: "99887766",
    });
    expect(parseStat("")).toBeNull();
  });

  it("finds our mark as a whole variable only", () => {
    const environ = (...entries: string[]): Buffer =>
      Buffer.from(entries.map((entry) => `${entry}\0`).join(""));
    expect(markerIn(environ("REWARDSMITH_WORKER=a.1", "B=2"))).toBe("a.1");
    expect(markerIn(environ("A=1", "REWARDSMITH_WORKER=a.2"))).toBe("a.2");
    expect(markerIn(environ("A=1", "NOT_REWARDSMITH_WORKER=a.2"))).toBeNull();
    expect(markerIn(Buffer.alloc(0))).toBeNull();
  });

  it.runIf(process.platform === "linux")("sees this process as it is", async () => {
    const self = (await linuxPlatform.list()).find(({ pid }) => pid === process.pid);
    expect(self?.parent).toBe(process.ppid);
    expect(self?.start).toBe(await linuxPlatform.startOf(process.pid));
    const rss = process.memoryUsage().rss / 1024 / 1024;
    expect(await linuxPlatform.treeMb(process.pid)).toBeGreaterThan(rss * 0.8);
    expect(await linuxPlatform.startOf(2 ** 22 - 3)).toBeNull();
  });
});

describe("systems with ps", () => {
  const TABLE = [
    "    1     0     1      0   9000 Ss   Tue Dec  1 09:00:00 2026     /sbin/launchd",
    " 4711     1  4711      0  51200 Ss   Tue Dec  1 13:14:34 2026     /usr/bin/python3 -X utf8 HOME=/Users/me REWARDSMITH_WORKER=abc.1 A=2",
    " 4712  4711  4711      0  10240 S    Tue Dec  1 13:14:35 2026     sleep 900",
    " 4713  4711  4711      0      0 Z    Tue Dec  1 13:14:35 2026     (python3)",
    "",
  ].join("\n");

  it("reads the table, zombies left out", () => {
    const table = parsePs(TABLE);
    expect(table.map(({ pid }) => pid)).toEqual([1, 4711, 4712]);
    expect(table[1]).toEqual({
      pid: 4711,
      parent: 1,
      group: 4711,
      session: 0,
      start: "Tue Dec 1 13:14:34 2026",
      residentMb: 50,
      marker: "abc.1",
    });
    expect(table[2]?.marker).toBeNull();
  });

  it("sums memory over the tree", () => {
    expect(treeMb(parsePs(TABLE), 4711)).toBe(60);
    expect(treeMb(parsePs(TABLE), 9)).toBeNull();
  });

  it("asks ps once, in the C locale's order of columns", async () => {
    const { run, asked } = scripted({ ps: TABLE });
    const platform = posixPlatform(run);
    expect(await platform.startOf(4712)).toBe("Tue Dec 1 13:14:35 2026");
    expect(asked).toEqual([
      ["ps", "-axww", "-E", "-o", "pid=,ppid=,pgid=,sess=,rss=,stat=,lstart=,command="],
    ]);
  });
});

describe("Windows", () => {
  it("ends trees with taskkill, by number, without a shell", async () => {
    const { run, asked } = scripted({});
    const platform = windowsPlatform(run);
    await platform.endTree(4711);
    await platform.end(4712);
    platform.endGroup(4713);
    expect(asked).toEqual([
      ["taskkill", "/PID", "4711", "/T", "/F"],
      ["taskkill", "/PID", "4712", "/F"],
    ]);
  });

  it("reads the table; a parent younger than its child is another process with its number", () => {
    const table = parseCim(
      "100 4 1000 52428800\r\n200 100 2000 10485760\r\n300 200 1500 1048576\r\nnot a row\r\n",
    );
    expect(table).toEqual([
      { pid: 100, parent: 4, group: 0, session: 0, start: "1000", residentMb: 50, marker: null },
      { pid: 200, parent: 100, group: 0, session: 0, start: "2000", residentMb: 10, marker: null },
      { pid: 300, parent: 0, group: 0, session: 0, start: "1500", residentMb: 1, marker: null },
    ]);
  });

  it("asks for memory of the whole tree", async () => {
    const { run, asked } = scripted({ "powershell.exe": "100 4 1000 52428800\r\n200 100 2000 10485760\r\n" });
    expect(await windowsPlatform(run).treeMb(100)).toBe(60);
    expect(asked[0]?.slice(0, 4)).toEqual(["powershell.exe", "-NoLogo", "-NoProfile", "-NonInteractive"]);
  });

  it("lists once for all who ask while a listing runs, after it", async () => {
    const answers: ((rows: string) => void)[] = [];
    const run: RunCommand = () =>
      new Promise((resolve) =>
        answers.push((rows) => resolve({ code: 0, stdout: Buffer.from(rows), stderr: "" })),
      );
    const platform = windowsPlatform(run);
    const first = platform.list();
    const second = platform.list();
    const third = platform.list();
    expect(answers).toHaveLength(1);
    answers[0]?.("1 0 10 0");
    expect((await first).map(({ pid }) => pid)).toEqual([1]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(answers).toHaveLength(2);
    answers[1]?.("2 0 10 0");
    expect((await second).map(({ pid }) => pid)).toEqual([2]);
    expect(await third).toEqual(await second);
    const later = platform.list();
    expect(answers).toHaveLength(3);
    answers[2]?.("3 0 10 0");
    expect((await later)[0]?.pid).toBe(3);
  });
});
