import { describe, expect, it } from "vitest";
import { findHang, outputOfLastUnit } from "../../../src/runtime/worker/hang";

const dump = `printed before
Timeout (0:00:01.900000)!
Thread 0x00007f0000000002 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 324 in wait
  File "/home/me/reward.py", line 3 in helper

Thread 0x00007f0000000001 (most recent call first):
  File "/usr/lib/python3.11/re/__init__.py", line 166 in match
  File "/home/me/reward.py", line 12 in inner
  File "/home/me/reward.py", line 20 in reward
  File "/x/rewardsmith_worker/runner.py", line 201 in _once
`;

describe("the place of a hang", () => {
  it("is the innermost line of the user's file in the main thread, which is written last", () => {
    expect(findHang(dump, "/home/me/reward.py")).toEqual({ line: 12 });
  });

  it("is another thread's where the main thread isn't in the file", () => {
    const other = dump
      .replaceAll('/home/me/reward.py", line 12', '/lib/a.py", line 12')
      .replace('/home/me/reward.py", line 20', '/lib/a.py", line 20');
    expect(findHang(other, "/home/me/reward.py")).toEqual({ line: 3 });
  });

  it("is looked for in the last dump only", () => {
    const later = `${dump}\nmore output\nTimeout (0:00:01.900000)!\nThread 0x01 (most recent call first):\n  File "/home/me/reward.py", line 99 in g\n`;
    expect(findHang(later, "/home/me/reward.py")).toEqual({ line: 99 });
  });

  it("is found in a crash of the interpreter too", () => {
    const crash = `Fatal Python error: Segmentation fault\n\nCurrent thread 0x01 (most recent call first):\n  File "/usr/lib/ctypes.py", line 5 in string_at\n  File "/home/me/reward.py", line 4 in f\n`;
    expect(findHang(crash, "/home/me/reward.py")).toEqual({ line: 4 });
  });

  it("is unknown where there is no dump, or the file isn't in it", () => {
    expect(findHang('File "/home/me/reward.py", line 3 in f', "/home/me/reward.py")).toBeNull();
    expect(findHang(dump, "/home/me/other.py")).toBeNull();
  });

  it("is found under a path that Python escapes", () => {
    const escaped =
      'Timeout (0:00:01)!\nThread 0x01 (most recent call first):\n  File "/tmp/caf\\xe9 \\u6771/r.py", line 2 in f\n';
    expect(findHang(escaped, "/tmp/café 東/r.py")).toEqual({ line: 2 });
  });

  it("is no part of what user code printed", () => {
    expect(outputOfLastUnit(dump)).toBe("printed before\n");
    expect(outputOfLastUnit("only output")).toBe("only output");
    expect(outputOfLastUnit(`first\0end of unit\0second\0end of unit\0${dump}`)).toBe("printed before\n");
    expect(outputOfLastUnit("first\0end of unit\0")).toBe("");
  });
});
