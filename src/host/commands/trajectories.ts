import { Uri, commands, window, workspace } from "vscode";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import * as z from "zod";
import { RewardsmithError } from "../../base/errors";
import type { Host } from "../host";
import { COMMANDS, TRAJECTORY_EDITOR } from "../ids";
import { bytesInWords, labelOf } from "../model/sampleNodes";
import type { Viewer } from "../trajectories/viewer";
import { sourceTitle } from "../../words/trajectories";
import { scoreOn } from "./pickSamples";
import type { Command } from "./command";

/** What tree items, pages and the explorer hand over. */
const Target = z.object({ source: z.string(), index: z.number().optional() });
const Node = z.object({ command: z.object({ argument: Target }) });
const Compared = z.object({ source: z.string(), indexes: z.array(z.number()) });
const Scored = z.object({ source: z.string(), lab: z.boolean().optional() });
const Resource = z.custom<Uri>((value) => value instanceof Uri);

async function show(host: Host, path: string, index?: number): Promise<void> {
  const known = host.viewers.of(path);
  if (known && index !== undefined) {
    known.act("showIndex", index);
    return;
  }
  const found = await stat(path).catch(() => null);
  if (!found) throw new RewardsmithError("FileMissing", `there is no file ${path}`, { path });
  if (found.isDirectory()) {
    host.viewers.openPanel(path, "viewer", index === undefined ? null : { index });
    return;
  }
  await commands.executeCommand("vscode.openWith", Uri.file(path), TRAJECTORY_EDITOR);
  if (index !== undefined) host.viewers.of(path)?.act("showIndex", index);
}

/** Asks which file or folder, of those in the workspace or any other. */
export const openTrajectories: Command = {
  id: COMMANDS.openTrajectories,
  async run(host, argument) {
    const target = Target.safeParse(argument);
    if (target.success) {
      await show(host, target.data.source, target.data.index);
      return;
    }
    const { t } = host.speech;
    const folders = (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const found = host.scan.trajectories().then(({ sources }) => [
      ...sources.map((source) => ({
        label: labelOf(source.path, folders),
        description: `${sourceTitle(source, host.speech)} · ${bytesInWords(source.bytes, host.speech)}`,
        path: source.path,
        browse: null,
      })),
      { label: t("Browse for a File…"), description: "", path: null, browse: "file" as const },
      { label: t("Browse for a Folder…"), description: "", path: null, browse: "folder" as const },
    ]);
    const picked = await window.showQuickPick(found, {
      title: t("Open Trajectories"),
      placeHolder: t("Rollouts, evaluation logs or traces, in a file or a run's folder"),
      matchOnDescription: true,
    });
    if (!picked) return;
    const path = picked.path ?? (await browse(picked.browse));
    if (path !== null) await show(host, path);
  },
};

async function browse(what: "file" | "folder"): Promise<string | null> {
  const picked = await window.showOpenDialog({
    canSelectFiles: what === "file",
    canSelectFolders: what === "folder",
    canSelectMany: false,
  });
  return picked?.[0]?.fsPath ?? null;
}

/** From the explorer or an editor's title: this file or folder. */
export const openTrajectoriesHere: Command = {
  id: COMMANDS.openTrajectoriesHere,
  async run(host, argument) {
    const resource = Resource.safeParse(argument);
    const uri = resource.success ? resource.data : window.activeTextEditor?.document.uri;
    if (uri) await show(host, uri.fsPath);
    else await commands.executeCommand(COMMANDS.openTrajectories);
  },
};

/** The viewer that has the focus; says what is missing otherwise. */
function activeViewer(host: Host): Viewer | null {
  const viewer = host.viewers.active;
  if (!viewer) void window.showInformationMessage(host.speech.t("Open trajectories first."));
  return viewer;
}

export const compareGroup: Command = {
  id: COMMANDS.compareGroup,
  run(host, argument) {
    const asked = Compared.safeParse(argument);
    if (asked.success) {
      host.viewers.openPanel(asked.data.source, "compare", { compared: asked.data.indexes });
      return;
    }
    activeViewer(host)?.act("compare");
  },
};

/** Scores a source's trajectories with a reward: they become its samples. */
export const scoreTrajectories: Command = {
  id: COMMANDS.scoreTrajectories,
  async run(host, argument) {
    const asked = Scored.safeParse(argument);
    const source = asked.success ? asked.data.source : activeViewer(host)?.path;
    if (source === undefined) return;
    const { t } = host.speech;
    const folders = (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const { rewards } = await host.scan.read();
    const latest = host.models.latest;
    const items = rewards
      .filter(({ functions }) => functions.length > 0)
      .sort((a, b) => Number(b.path === latest) - Number(a.path === latest))
      .map(({ path, functions }) => ({
        label: labelOf(path, folders),
        description: functions.map(({ name }) => name).join(", "),
        path,
      }));
    if (items.length === 0)
      throw new RewardsmithError("NoFunction", t("There is no reward function in this folder."), {});
    const picked =
      items.length === 1
        ? items[0]
        : await window.showQuickPick(items, {
            title: t("Score {0} with…", basename(source)),
            placeHolder: t("A file with reward functions"),
          });
    if (!picked) return;
    host.viewers.score(picked.path, source);
    await host.models.refresh(picked.path);
    await scoreOn(host, { path: picked.path, function: null }, [source]);
    if (asked.success && asked.data.lab === true)
      await commands.executeCommand(COMMANDS.openLab, { path: picked.path });
  },
};

export const nextFailing: Command = {
  id: COMMANDS.nextFailing,
  run: (host) => activeViewer(host)?.act("nextFailing"),
};
export const previousFailing: Command = {
  id: COMMANDS.previousFailing,
  run: (host) => activeViewer(host)?.act("previousFailing"),
};

/** Sample rows of the trajectory that is looked at, or of one in the side panel. */
export const promoteTrajectories: Command = {
  id: COMMANDS.promoteTrajectories,
  async run(host, argument) {
    const node = Node.safeParse(argument);
    const viewer = activeTarget(host, node.success ? node.data.command.argument.source : null);
    const index = node.success ? node.data.command.argument.index : viewer?.index;
    if (!viewer || index === undefined || index === null) return;
    await host.viewers.carryOut(viewer, "promote", [index], null);
  },
};

function activeTarget(host: Host, source: string | null): Viewer | null {
  return source === null
    ? activeViewer(host)
    : (host.viewers.of(source) ?? host.viewers.openPanel(source, "viewer"));
}

/** What the filter lets through, as rows of another form. */
export const exportTrajectories: Command = {
  id: COMMANDS.exportTrajectories,
  async run(host) {
    const viewer = activeViewer(host);
    if (!viewer) return;
    const { t } = host.speech;
    const picked = await window.showQuickPick(
      [
        {
          label: t("Sample rows"),
          description: t("prompt, completion and columns, to score rewards on"),
          act: "promote",
        },
        {
          label: t("Regression set"),
          description: t("sample rows with the reward and outcome that failed"),
          act: "promoteRegression",
        },
        {
          label: t("Environment tasks"),
          description: t("prompt, tools and reference, one task a prompt"),
          act: "exportTask",
        },
        {
          label: t("Demonstrations (SFT)"),
          description: t("messages of those that succeeded"),
          act: "exportSft",
        },
        {
          label: t("Preference pairs (DPO)"),
          description: t("best and worst of each group"),
          act: "exportDpo",
        },
        {
          label: t("Filtered prompts"),
          description: t("prompts that are neither always nor never solved"),
          act: "exportFiltered",
        },
        {
          label: t("Splits"),
          description: t("train, validation and test, near-duplicates kept together"),
          act: "splits",
        },
      ] as const,
      {
        title: t("Export Trajectories"),
        placeHolder:
          viewer.filter === ""
            ? t("All trajectories")
            : t("Those that the filter lets through: {0}", viewer.filter),
      },
    );
    if (picked) await host.viewers.carryOut(viewer, picked.act, [], viewer.filter);
  },
};

export const checkTrajectories: Command = {
  id: COMMANDS.checkTrajectories,
  async run(host) {
    const viewer = activeViewer(host);
    if (!viewer) return;
    const { t } = host.speech;
    const picked = await window.showQuickPick(
      [
        {
          label: t("Leakage"),
          description: t("references in prompts and tool results, overlap with a test set"),
          act: "leakage",
        },
        {
          label: t("Difficulty"),
          description: t("pass rate of each prompt, pools of difficulty"),
          act: "difficulty",
        },
      ] as const,
      { title: t("Check Trajectories") },
    );
    if (picked) await host.viewers.carryOut(viewer, picked.act, [], viewer.filter);
  },
};
