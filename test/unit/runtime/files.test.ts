import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFileAtomically } from "../../../src/runtime/atomicFile";
import { systemClock } from "../../../src/runtime/clock";
import { runCommand } from "../../../src/runtime/command";
import { nodeFileStore } from "../../../src/runtime/fileStore";
import { sha256 } from "../../../src/runtime/hasher";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "my runs (v2) & co "));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });

describe("the file store", () => {
  it("reads bytes and says what is there", async () => {
    const path = join(folder, "ä.txt");
    writeFileSync(path, "héllo");
    expect(Buffer.from(await nodeFileStore.read(path)).toString("utf8")).toBe("héllo");
    expect(await nodeFileStore.stat(path)).toMatchObject({ bytes: 6, directory: false });
    expect(await nodeFileStore.stat(folder)).toMatchObject({ directory: true });
    expect(await nodeFileStore.stat(join(folder, "none"))).toBeNull();
    expect(await nodeFileStore.stat(join(path, "below a file"))).toBeNull();
  });

  it("tells what is missing from what can't be read", async () => {
    await expect(nodeFileStore.read(join(folder, "none"))).rejects.toMatchObject({ code: "FileMissing" });
    await expect(nodeFileStore.read(folder)).rejects.toMatchObject({
      code: "FileUnreadable",
      detail: { path: folder },
    });
    await expect(nodeFileStore.read(join(folder, "none"), AbortSignal.abort())).rejects.toMatchObject({
      code: "Cancelled",
    });
  });

  it.skipIf(process.platform === "win32")(
    "refuses pipes, devices and folders by name instead of waiting for them",
    async () => {
      const pipe = join(folder, "pipe.jsonl");
      execFileSync("mkfifo", [pipe]);
      const link = join(folder, "link.jsonl");
      symlinkSync(pipe, link);
      for (const path of [pipe, link, "/dev/zero", folder])
        await expect(nodeFileStore.read(path)).rejects.toMatchObject({
          code: "FileUnreadable",
          message: `${path} isn't a regular file`,
          detail: { path },
        });
      const file = join(folder, "rows.jsonl");
      writeFileSync(file, "{}");
      symlinkSync(file, join(folder, "rows-link.jsonl"));
      expect(await nodeFileStore.read(join(folder, "rows-link.jsonl"))).toHaveLength(2);
    },
    5000,
  );

  it("lists, links to folders as folders", async () => {
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "file"), "");
    symlinkSync(join(folder, "sub"), join(folder, "link"));
    symlinkSync(join(folder, "gone"), join(folder, "dangling"));
    const entries = [...(await nodeFileStore.list(folder))].sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(entries).toEqual([
      { name: "dangling", directory: false },
      { name: "file", directory: false },
      { name: "link", directory: true },
      { name: "sub", directory: true },
    ]);
    await expect(nodeFileStore.list(join(folder, "none"))).rejects.toMatchObject({ code: "FileMissing" });
  });

  it("gives the committed text, not the one on disk", async () => {
    mkdirSync(join(folder, "sub"));
    const path = join(folder, "sub", "$(touch x) `r`.py");
    writeFileSync(path, "committed ä\n");
    expect(await nodeFileStore.head(path)).toBeNull();
    git("init", "-q");
    expect(await nodeFileStore.head(path)).toBeNull();
    git("add", ".");
    git("commit", "-qm", "first");
    writeFileSync(path, "on disk\n");
    writeFileSync(join(folder, "new.py"), "");
    expect(await nodeFileStore.head(path)).toBe("committed ä\n");
    expect(await nodeFileStore.head(join(folder, "new.py"))).toBeNull();
    expect(await nodeFileStore.head(join(folder, "nowhere", "x.py"))).toBeNull();
    expect(readdirSync(folder).sort()).toEqual([".git", "new.py", "sub"]);
  });
});

describe("an atomic write", () => {
  it("replaces the content, keeps the permissions and leaves nothing beside it", async () => {
    const path = join(folder, "rewardsmith.json");
    writeFileSync(path, "old");
    chmodSync(path, 0o640);
    await writeFileAtomically(path, "new ä");
    expect(readFileSync(path, "utf8")).toBe("new ä");
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(["rewardsmith.json"]);
  });

  it("writes through a link instead of replacing it", async () => {
    const target = join(folder, "target.json");
    writeFileSync(target, "old");
    symlinkSync(target, join(folder, "link.json"));
    await writeFileAtomically(join(folder, "link.json"), "new");
    expect(readFileSync(target, "utf8")).toBe("new");
  });

  it("leaves the old file as it was when it fails", async () => {
    mkdirSync(join(folder, "taken"));
    await expect(writeFileAtomically(join(folder, "taken"), "x")).rejects.toThrow();
    await expect(writeFileAtomically(join(folder, "no", "such", "f"), "x")).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(["taken"]);
  });
});

describe("the hasher", () => {
  it("counts each part with its length", () => {
    expect(sha256.hash(["ab", "c"])).not.toBe(sha256.hash(["a", "bc"]));
    expect(sha256.hash(["abc"])).not.toBe(sha256.hash(["abc", ""]));
    expect(sha256.hash(["ab", Buffer.from("c")])).not.toBe(sha256.hash(["a", Buffer.from("bc")]));
    expect(sha256.hash([Buffer.from("abc")])).not.toBe(sha256.hash([Buffer.from("ab"), Buffer.from("c")]));
    expect(sha256.hash(["x"])).toMatch(/^[0-9a-f]{64}$/);
  });

  it("tells half characters apart that UTF-8 can't hold", () => {
    const texts = ["\ud835", "\ud836", "\ufffd", "\ud835\udc00"];
    expect(new Set(texts.map((text) => sha256.hash([text]))).size).toBe(texts.length);
  });
});

describe("a command", () => {
  it("gets its arguments unchanged, without a shell", async () => {
    const args = ["-m", "train", "--note", "a & b; $HOME `x`", 'my runs (v2) & co"'];
    const script = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
    const { code, stdout } = await runCommand(process.execPath, ["-e", script, "--", ...args]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout.toString("utf8"))).toEqual(args);
  });

  it("is ended when it takes too long or says too much", async () => {
    const slow = ["-e", "setTimeout(() => {}, 60000)"];
    await expect(runCommand(process.execPath, slow, { timeoutMs: 100 })).rejects.toThrow(
      /longer than 100 ms/,
    );
    const loud = ["-e", "for (;;) require('fs').writeSync(1, 'x'.repeat(65536))"];
    await expect(runCommand(process.execPath, loud, { maxBytes: 1 << 20 })).rejects.toThrow(/more than/);
    await expect(runCommand(join(folder, "none"), [])).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("the clock", () => {
  it("waits, and stops waiting at once when told to", async () => {
    const start = systemClock.now();
    await systemClock.delay(20);
    expect(systemClock.now() - start).toBeGreaterThanOrEqual(18);
    const controller = new AbortController();
    const waiting = systemClock.delay(60_000, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "Cancelled" });
    await expect(systemClock.delay(60_000, controller.signal)).rejects.toMatchObject({ code: "Cancelled" });
  });
});
