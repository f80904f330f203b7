import { execFileSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Frame, FrameLocator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstScore } from "../../scripts/lib/flows.mjs";
import { openLab, showTab, tableRow } from "../../scripts/lib/lab.mjs";
import { open, type Session } from "./session";

/** What goes wrong around an open Lab: the engine, its Python, the labels' file; and samples that mean harm. */
let session: Session;
let lab: FrameLocator;
let frame: Frame;
beforeAll(async () => {
  session = await open({ workspace: "test/fixtures/cases" });
  await writeFile(path.join(session.folder, "hostile_samples.jsonl"), hostile());
  await writeFile(path.join(session.folder, "hostile_reward.py"), REWARD);
  await firstScore(session.page, { reward: "hostile_reward.py", samples: "hostile_samples.jsonl" });
  lab = await openLab(session.page);
  await tableRow(lab, 1).waitFor({ timeout: 20_000 });
  frame = (await (await lab.locator("body").elementHandle()).ownerFrame()) ?? session.page.mainFrame();
  await frame.evaluate(() => {
    const seen: unknown[] = [];
    Object.assign(window, { seen });
    document.addEventListener("securitypolicyviolation", (event) => seen.push(event.violatedDirective));
    addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      const { length } = JSON.stringify(data);
      if (length > 1_500_000) seen.push(length);
    });
  });
});
afterAll(async () => {
  expect(await session.end(), "processes left running").toEqual([]);
});

const REWARD = `def tags(completions, **kwargs):
    scores = []
    for text in completions:
        print("<img src=x onerror=window.executed=1>")
        scores.append(1.0 if "<" in str(text) else 0.5)
    return scores
`;

function hostile(): string {
  let deep: unknown = "deep";
  for (let i = 0; i < 180; i++) deep = i % 2 ? [deep] : { k: deep };
  const run = "window.executed=1";
  const texts: unknown[] = [
    `</script><script>${run}</script>`,
    `<img src=x onerror="${run}"><svg onload="${run}">`,
    "\u001b[31mred\u001b[0m \u0000 \u202eevil\u2066",
    "A".repeat(1_000_000),
    [{ role: "assistant", content: null, tool_calls: "garbage" }],
    [{ role: "assistant", content: [{ type: "text", text: `<b onclick=${run}>` }, { type: "image_url" }] }],
    [{ role: 5, content: { x: 1 } }, null, "text"],
    [{}],
  ];
  return texts
    .map((completion, i) =>
      JSON.stringify({
        prompt: `<style>*{display:none}</style>`,
        completion,
        answer: "1",
        ["__proto__"]: 1,
        constructor: "c",
        "a b": i,
        '"': deep,
        "": Object.fromEntries(
          Array.from({ length: i === 0 ? 3000 : 1 }, (_, k) => [`k${k}`, "v".repeat(900)]),
        ),
      }),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Ends processes of this session alone: below its own profile, told by their command line. */
function kill(what: RegExp): number {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .flatMap((text) => {
      const [, pid, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(text) ?? [];
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args: args ?? "" }];
    });
  const own = new Set(
    rows.filter(({ args }) => args.includes(path.dirname(session.folder))).map(({ pid }) => pid),
  );
  for (let size = -1; size !== own.size;) {
    size = own.size;
    for (const { pid, parent } of rows) if (own.has(parent)) own.add(pid);
  }
  const found = rows.filter(({ pid, args }) => own.has(pid) && what.test(args));
  for (const { pid } of found) process.kill(pid, "SIGKILL");
  return found.length;
}

const seqNow = async (): Promise<number> =>
  Number(await lab.locator("[data-seq]").first().getAttribute("data-seq"));
const detail = (): Promise<string> => lab.locator("#detail-panel").innerText();

describe("the Lab holds", () => {
  it("samples that mean harm are text: nothing runs, nothing is asked of the net, no message is huge", async () => {
    for (let row = 1; row <= 8; row++) {
      await tableRow(lab, row).click();
      for (const tab of ["Prompt", /^Completion/, "Columns", "Way through"]) {
        await showTab(lab, tab);
        await expect.poll(detail, { timeout: 10_000 }).not.toBe("");
      }
    }
    for (const tab of ["Groups", "Findings", "Review", "Samples"]) await showTab(lab, tab);
    expect(await frame.evaluate(() => Reflect.get(window, "seen") as unknown)).toEqual([]);
    expect(await frame.evaluate(() => Reflect.get(window, "executed") as unknown)).toBeUndefined();
    await tableRow(lab, 1).waitFor();
  });

  it("the engine is ended while it is asked: nothing waits for ever, and all is as before by itself", async () => {
    await tableRow(lab, 2).click();
    await showTab(lab, "Way through");
    await tableRow(lab, 3).click();
    const before = await seqNow();
    expect(kill(/dist\/node\/engine\.js/u)).toBeGreaterThan(0);
    await tableRow(lab, 5).click();
    await expect.poll(seqNow, { timeout: 20_000 }).toBeGreaterThan(before);
    await expect
      .poll(() => lab.locator("header, .head").first().innerText(), { timeout: 20_000 })
      .toMatch(/up to date/u);
    await showTab(lab, "Prompt");
    await expect.poll(detail, { timeout: 10_000 }).toContain("<style>");
    expect(await lab.locator('[role="alert"]').allInnerTexts()).not.toContainEqual(
      expect.stringMatching(/\S/u),
    );
  });

  it("its Python is ended: the next sample's way is there by itself", async () => {
    expect(kill(/rewardsmith_worker/u)).toBeGreaterThan(0);
    await tableRow(lab, 2).click();
    await showTab(lab, "Way through");
    await expect.poll(detail, { timeout: 15_000 }).toMatch(/Line \d+/u);
  });

  it("labels that can't be written: said where it can be seen, the scores stay, and it works once it can", async () => {
    const file = path.join(session.folder, "hostile_samples.labels.jsonl");
    await mkdir(file);
    await tableRow(lab, 2).click();
    await session.page.keyboard.press("b");
    const said = lab.locator(".failed-act");
    await said.waitFor({ timeout: 10_000 });
    expect(await said.innerText()).toContain("hostile_samples.labels.jsonl");
    expect(await tableRow(lab, 2).locator(".cell-state").first().innerText()).not.toMatch(/not yet/u);
    await rm(file, { recursive: true });
    await tableRow(lab, 2).click();
    await session.page.keyboard.press("b");
    await expect
      .poll(() => tableRow(lab, 2).locator(".cell-label").first().innerText(), { timeout: 10_000 })
      .toContain("bad");
    expect(await readFile(file, "utf8")).toContain('"bad"');
    expect(await said.count()).toBe(0);
  });
});
