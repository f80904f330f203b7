import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readArguments } from "../../src/cli/arguments";
import { read } from "../../src/cli/commands/read";
import type { Session } from "../../src/cli/session";
import { nodeFileStore } from "../../src/runtime/fileStore";
import { sha256 } from "../../src/runtime/hasher";
import { Projects } from "../../src/services/project";
import { TrajectoryReport } from "../../src/schema/readReport";

/** `read --json` over every file whose trajectories were counted when it was written (REWARDSMITH_REAL). */
const root = process.env["REWARDSMITH_REAL"] ?? "";
const END = ".truth.json";
const files = ["real-files", "real-outputs"].flatMap((folder) => {
  const whole = join(root, folder);
  if (root === "" || !existsSync(whole)) return [];
  return readdirSync(whole, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(END))
    .map((name) => join(whole, name.slice(0, -END.length)))
    .sort();
});
const Truth = z.object({ trajectories: z.number() });
const counted = files.flatMap((path) => {
  const truth = Truth.safeParse(JSON.parse(readFileSync(`${path}${END}`, "utf8")));
  return truth.success ? [{ name: path.slice(root.length), path, truth: truth.data }] : [];
});

describe.skipIf(counted.length === 0)("read --json", () => {
  it.each(counted)("$name", async ({ path, truth }) => {
    let out = "";
    const session: Session = {
      terminal: { out: (text) => void (out += text), err: () => undefined, width: 120, colour: false },
      cwd: root,
      version: "0.0.0-test",
      files: nodeFileStore,
      hasher: sha256,
      projects: new Projects(nodeFileStore),
      signal: new AbortController().signal,
      score: () => Promise.reject(new Error("nothing is scored")),
    };
    expect(await read(readArguments(["read", path, "--json"]), session)).toBe(0);
    const report = TrajectoryReport.parse(JSON.parse(out));
    expect(report.count).toBe(truth.trajectories);
    expect(report.trajectories).toHaveLength(truth.trajectories);
    expect(report.reader).not.toBeNull();
  });
});
