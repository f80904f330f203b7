import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  COMMANDS,
  CONTEXT,
  SETTINGS,
  TRAJECTORY_EDITOR,
  TRAJECTORY_PANEL,
  VIEWS,
  WALKTHROUGH,
} from "../../../src/host/ids";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { bundlePath, bundleText, collect } from "../../../scripts/l10n.mjs";

const root = path.resolve(import.meta.dirname, "../../..");
const manifestText = readFileSync(path.join(root, "package.json"), "utf8");
const nlsText = readFileSync(path.join(root, "package.nls.json"), "utf8");
const nls = z.record(z.string(), z.string()).parse(JSON.parse(nlsText));
const Setting = z.object({
  type: z.string(),
  default: z.unknown(),
  scope: z.string(),
  order: z.number(),
  enum: z.array(z.string()).optional(),
  markdownEnumDescriptions: z.array(z.string()).optional(),
});
const manifest = z
  .object({
    name: z.string(),
    publisher: z.string(),
    icon: z.string(),
    engines: z.object({ vscode: z.string() }),
    devDependencies: z.record(z.string(), z.string()),
    capabilities: z.object({
      untrustedWorkspaces: z.object({ supported: z.string(), restrictedConfigurations: z.array(z.string()) }),
    }),
    contributes: z.object({
      commands: z.array(z.object({ command: z.string(), title: z.string(), category: z.string() })),
      menus: z.record(z.string(), z.array(z.object({ command: z.string(), when: z.string().optional() }))),
      configuration: z.object({ properties: z.record(z.string(), Setting) }),
      viewsContainers: z.object({ activitybar: z.array(z.object({ id: z.string(), icon: z.string() })) }),
      views: z.record(z.string(), z.array(z.object({ id: z.string(), icon: z.string() }))),
      viewsWelcome: z.array(z.object({ view: z.string(), when: z.string() })),
      walkthroughs: z.array(
        z.object({
          id: z.string(),
          steps: z.array(
            z.object({
              id: z.string(),
              media: z.object({ svg: z.string() }),
              completionEvents: z.array(z.string()),
            }),
          ),
        }),
      ),
    }),
  })
  .parse(JSON.parse(manifestText));
const { contributes } = manifest;

const sources = readdirSync(path.join(root, "src/host"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => ({
    name: path.relative(path.join(root, "src/host"), path.join(entry.parentPath, entry.name)),
    text: readFileSync(path.join(entry.parentPath, entry.name), "utf8"),
  }));
const codeText = sources.map((source) => source.text).join("\n");
const sorted = (values: Iterable<string>): string[] => [...values].sort();

describe("manifest and code agree", () => {
  test("commands: each contributed one has a file that implements it, and the other way round", () => {
    expect(sorted(contributes.commands.map((one) => one.command))).toEqual(sorted(Object.values(COMMANDS)));
    const implemented = sources
      .filter((source) => source.name.startsWith("commands"))
      .flatMap((source) => [...source.text.matchAll(/\bid: COMMANDS\.(\w+)/gu)].map((match) => match[1]!));
    expect(sorted(implemented)).toEqual(sorted(Object.keys(COMMANDS)));
    const index = sources.find((source) => source.name === path.join("commands", "index.ts"))!.text;
    const listed = /const ALL[^=]*=\s*\[([^\]]*)\]/u.exec(index)![1]!.match(/\w+/gu)!;
    expect(sorted(listed)).toEqual(sorted(Object.keys(COMMANDS)));
  });

  test("commands in menus, buttons and walkthrough exist", () => {
    const known = new Set<string>(Object.values(COMMANDS));
    const used = [
      ...Object.values(contributes.menus).flatMap((menu) => menu.map((item) => item.command)),
      ...[...`${manifestText}${nlsText}`.matchAll(/(?:command:|onCommand:)(rewardsmith\.[\w.]+)/gu)].map(
        (match) => match[1]!,
      ),
    ].filter((id) => !id.endsWith(".focus"));
    expect(used.filter((id) => !known.has(id))).toEqual([]);
  });

  test("every command that can do nothing somewhere has a palette condition", () => {
    const conditional = new Set(contributes.menus["commandPalette"]?.map((item) => item.command));
    const always = Object.values(COMMANDS).filter((id) => !conditional.has(id));
    expect(sorted(always)).toEqual(
      sorted([
        COMMANDS.selectPython,
        COMMANDS.showLogs,
        COMMANDS.copyDiagnostics,
        COMMANDS.openWalkthrough,
        COMMANDS.restartEngine,
        // Asks which file; none need be open.
        COMMANDS.openTrajectories,
      ]),
    );
  });

  test("settings: same keys, and the defaults that the engine would take", () => {
    const properties = contributes.configuration.properties;
    expect(sorted(Object.keys(properties))).toEqual(
      sorted(Object.values(SETTINGS).map((key) => `rewardsmith.${key}`)),
    );
    const d = DEFAULT_SETTINGS;
    const defaults: Record<keyof typeof SETTINGS, unknown> = {
      python: d.python ?? "",
      liveMode: d.liveMode,
      liveRows: d.liveRows,
      liveTimeout: d.liveTimeoutSeconds,
      workerMode: d.workerMode,
      workerMemory: d.memoryMb,
      workerOutput: d.outputBytes,
      timeout: d.timeoutSeconds,
      batch: d.batch,
      baseline: d.baseline,
      previews: d.previews,
      previewRows: d.traceRows,
      labeller: d.labeller,
    };
    for (const [name, value] of Object.entries(defaults))
      expect([name, properties[`rewardsmith.${SETTINGS[name as keyof typeof SETTINGS]}`]?.default]).toEqual([
        name,
        value,
      ]);
  });

  test("settings: an executable is never taken from an untrusted folder", () => {
    const key = `rewardsmith.${SETTINGS.python}`;
    expect(contributes.configuration.properties[key]?.scope).toBe("machine-overridable");
    expect(manifest.capabilities.untrustedWorkspaces).toMatchObject({ supported: "limited" });
    expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain(key);
  });

  test("each value of an enumeration is explained, no two settings stand at one place", () => {
    const properties = Object.values(contributes.configuration.properties);
    for (const one of properties) expect(one.markdownEnumDescriptions?.length).toBe(one.enum?.length);
    expect(new Set(properties.map((one) => one.order)).size).toBe(properties.length);
  });

  test("views", () => {
    const views = Object.values(contributes.views).flatMap((list) => list.map((view) => view.id));
    expect(sorted(views)).toEqual(sorted(Object.values(VIEWS)));
    for (const view of views)
      expect(contributes.viewsWelcome.some((welcome) => welcome.view === view)).toBe(true);
  });

  test("context keys: every one that a condition reads is set, every one that is set is read", () => {
    const conditions = [
      ...Object.values(contributes.menus).flatMap((menu) => menu.map((item) => item.when ?? "")),
      ...contributes.viewsWelcome.map((welcome) => welcome.when),
      ...contributes.walkthroughs.flatMap((one) => one.steps.flatMap((step) => step.completionEvents)),
    ].join(" ");
    const editors = [TRAJECTORY_EDITOR, TRAJECTORY_PANEL];
    const known = new Set<string>([...Object.values(VIEWS), ...Object.values(COMMANDS), ...editors]);
    const read = new Set(
      [...conditions.matchAll(/\brewardsmith\.[\w.]+/gu)]
        .map((match) => match[0])
        .filter((key) => !known.has(key)),
    );
    expect(sorted(read)).toEqual(sorted(Object.values(CONTEXT)));
    for (const name of Object.keys(CONTEXT)) expect(codeText).toContain(`CONTEXT.${name}`);
  });

  test("the walkthrough that the command opens is there, with its pictures", () => {
    const [walkthrough] = contributes.walkthroughs;
    expect(WALKTHROUGH).toBe(`${manifest.publisher}.${manifest.name}#${walkthrough!.id}`);
    expect(walkthrough!.steps.length).toBeGreaterThanOrEqual(4);
    for (const step of walkthrough!.steps) {
      expect(step.completionEvents.length).toBeGreaterThan(0);
      expect(existsSync(path.join(root, step.media.svg))).toBe(true);
      // Theme-aware: no colour of our own.
      expect(readFileSync(path.join(root, step.media.svg), "utf8")).not.toMatch(/#[0-9a-f]{3,8}\b/iu);
    }
  });

  test("texts of the manifest: every key is there, every text is used", () => {
    const used = new Set([...manifestText.matchAll(/"%([\w.-]+)%"/gu)].map((match) => match[1]!));
    expect(sorted(used)).toEqual(sorted(Object.keys(nls)));
  });

  test("texts of the code are literals with matching placeholders, and all in the bundle", () => {
    const { texts, problems } = collect();
    expect(problems).toEqual([]);
    expect(texts.length).toBeGreaterThan(100);
    expect(readFileSync(bundlePath, "utf8")).toBe(bundleText(texts));
  });

  test("icons are there; the Marketplace's is a PNG of at least 128 pixels", () => {
    for (const view of contributes.viewsContainers.activitybar)
      expect(existsSync(path.join(root, view.icon))).toBe(true);
    const png = readFileSync(path.join(root, manifest.icon));
    expect(png.subarray(1, 4).toString("latin1")).toBe("PNG");
    expect(Math.min(png.readUInt32BE(16), png.readUInt32BE(20))).toBeGreaterThanOrEqual(128);
  });

  test("types are those of the oldest VS Code that is promised", () => {
    expect(manifest.devDependencies["@types/vscode"]).toBe(manifest.engines.vscode.replace("^", ""));
  });
});
