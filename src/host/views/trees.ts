import {
  EventEmitter,
  Range,
  ThemeColor,
  ThemeIcon,
  type TreeDataProvider,
  TreeItem,
  TreeItemCollapsibleState,
  type TreeView,
  Uri,
  window,
  workspace,
} from "vscode";
import { toRewardsmithError } from "../../base/errors";
import { isNotebookPath } from "../../core/python/cells";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import type { Host } from "../host";
import { VIEWS } from "../ids";
import type { EngineClient } from "../process/link";
import { rewardFileNode } from "../model/rewardNodes";
import { bytesInWords, labelOf, sampleFileNode, type SampleReader } from "../model/sampleNodes";
import { sourceNodes } from "../model/trajectoryNodes";
import { inRanges, type Node } from "../model/tree";
import { errorSentence } from "../../words/errors";
import { sourceTitle } from "../../words/trajectories";

/** Rows read to list the groups of a set in the tree; the rest is said, not hidden. */
const MOST_ROWS_FOR_GROUPS = 20_000;
const PAGE = 1000;
const UNFINISHED_MS = 1000;

class NodeTree implements TreeDataProvider<Node>, IDisposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new EventEmitter<Node | undefined>());
  readonly #roots: () => Promise<readonly Node[]>;
  readonly #host: Host;
  readonly view: TreeView<Node>;
  #pending: ReturnType<typeof setTimeout> | undefined;
  /** Nodes whose children aren't all known yet, by id: asked for again while the tree is seen. */
  readonly #unfinished = new Map<string, ReturnType<typeof setTimeout>>();

  readonly onDidChangeTreeData = this.#onChange.event;

  constructor(id: string, host: Host, roots: () => Promise<readonly Node[]>) {
    this.#roots = roots;
    this.#host = host;
    this.view = this.#store.add(window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true }));
    this.#store.add({
      dispose: () => {
        for (const timer of [this.#pending, ...this.#unfinished.values()]) clearTimeout(timer);
      },
    });
    this.#store.add(this.view.onDidChangeVisibility(() => this.refresh()));
  }

  /** Soon, and only where it is seen: a pass ends many times a second while somebody types. */
  refresh(): void {
    if (!this.view.visible || this.#pending !== undefined) return;
    this.#pending = setTimeout(() => {
      this.#pending = undefined;
      this.#onChange.fire(undefined);
    }, 300);
  }

  getTreeItem(node: Node): TreeItem {
    const state = !node.children
      ? TreeItemCollapsibleState.None
      : node.expanded === true
        ? TreeItemCollapsibleState.Expanded
        : TreeItemCollapsibleState.Collapsed;
    const item = new TreeItem(node.label, state);
    item.id = node.id;
    if (node.description !== undefined) item.description = node.description;
    if (node.tooltip !== undefined) item.tooltip = node.tooltip;
    if (node.context !== undefined) item.contextValue = node.context;
    if (node.icon !== undefined)
      item.iconPath = new ThemeIcon(
        node.icon,
        node.color === undefined ? undefined : new ThemeColor(node.color),
      );
    item.accessibilityInformation = { label: node.aria };
    if (node.open) {
      const { uri, line } = this.#placeOf(node.open);
      item.command = {
        title: this.#host.speech.t("Open"),
        command: "vscode.open",
        arguments: [uri, { selection: new Range(line, 0, line, 0) }],
      };
    } else if (node.command)
      item.command = {
        title: node.command.title,
        command: node.command.id,
        arguments: [node.command.argument],
      };
    return item;
  }

  /** A notebook's cell can be opened where the notebook is open; lines of its module say nothing to anybody. */
  #placeOf({ path, line }: { readonly path: string; readonly line: number }): { uri: Uri; line: number } {
    if (!isNotebookPath(path)) return { uri: Uri.file(path), line };
    const place = this.#host.documents.placeOf(path, line);
    return place ? { uri: place.document.uri, line: place.line } : { uri: Uri.file(path), line: 0 };
  }

  async getChildren(node?: Node): Promise<Node[]> {
    try {
      const children = [...(node ? ((await node.children?.()) ?? []) : await this.#roots())];
      if (node && children.some(({ unfinished }) => unfinished === true)) this.#askAgain(node);
      return children;
    } catch (error) {
      const message = errorSentence(toRewardsmithError(error), this.#host.speech);
      return [
        { id: `${node?.id ?? "root"}:error`, label: message, tooltip: message, icon: "error", aria: message },
      ];
    }
  }

  /** One look a second at what is still being read; a tree that isn't seen is asked anew when it is. */
  #askAgain(node: Node): void {
    clearTimeout(this.#unfinished.get(node.id));
    const again = (): void => {
      this.#unfinished.delete(node.id);
      if (this.view.visible) this.#onChange.fire(node);
    };
    this.#unfinished.set(node.id, setTimeout(again, UNFINISHED_MS));
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** The side panel: Rewards, Samples, Trajectories. */
export class Views implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
    const rewards = this.#store.add(new NodeTree(VIEWS.rewards, host, () => this.#rewards()));
    const samples = this.#store.add(new NodeTree(VIEWS.samples, host, () => this.#samples()));
    const trajectories = this.#store.add(new NodeTree(VIEWS.trajectories, host, () => this.#trajectories()));
    const { t } = host.speech;
    const restricted = (): void => {
      const message = workspace.isTrusted ? undefined : t("Restricted Mode: files are read, nothing runs.");
      for (const { view } of [rewards, samples, trajectories])
        // `undefined` takes the message away; the typings of this API don't allow for it to be left out.
        Object.assign(view, { message: (workspace.workspaceFolders ?? []).length > 0 ? message : undefined });
    };
    restricted();
    this.#store.add(workspace.onDidGrantWorkspaceTrust(restricted));
    this.#store.add(
      workspace.onDidGrantWorkspaceTrust(() => {
        rewards.refresh();
        samples.refresh();
      }),
    );
    let inUse = "";
    this.#store.add(
      host.live.onDidChange(() => {
        rewards.refresh();
        // Numbers change with every edit, which samples are used does not.
        const now = JSON.stringify(
          host.live.paths().map((path) => [path, host.live.setOf(path)?.set, host.live.setOf(path)?.files]),
        );
        if (now === inUse) return;
        inUse = now;
        samples.refresh();
      }),
    );
    this.#store.add(host.models.onDidChange(() => rewards.refresh()));
    this.#store.add(
      host.scan.onDidChange(() => {
        rewards.refresh();
        samples.refresh();
        trajectories.refresh();
      }),
    );
  }

  dispose(): void {
    this.#store.dispose();
  }

  #folders(): string[] {
    return (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  }

  async #rewards(): Promise<readonly Node[]> {
    const folders = this.#folders();
    if (folders.length === 0) return [];
    const { scan, live, models, documents, speech } = this.#host;
    const found = await scan.read();
    const byPath = new Map(found.rewards.map((model) => [model.path, model]));
    for (const path of [...byPath.keys(), ...live.paths()]) {
      const open = models.get(path);
      if (open) byPath.set(path, open);
    }
    const nodes = [...byPath.values()]
      .filter((model) => model.functions.length > 0)
      .sort((a, b) => a.path.localeCompare(b.path))
      .map((model) => {
        const scores = live.scoresOf(model.path);
        const read = scores && documents.asRead(scores, speech);
        return rewardFileNode({ model, scores: read, label: labelOf(model.path, folders) }, speech);
      });
    return inRanges("rewards", nodes, (from, to) => speech.t("files {0} to {1}", from, to));
  }

  async #samples(): Promise<readonly Node[]> {
    const folders = this.#folders();
    if (folders.length === 0) return [];
    const { scan, live, speech } = this.#host;
    const found = await scan.read();
    const used = new Map(
      live.paths().flatMap((path) => {
        const set = live.setOf(path);
        const only = set?.files[0];
        return set && only !== undefined && set.files.length === 1 ? [[only, set] as const] : [];
      }),
    );
    const users = new Map<string, string[]>();
    for (const path of live.paths())
      for (const file of live.setOf(path)?.files ?? [])
        users.set(file, [...(users.get(file) ?? []), labelOf(path, folders)]);
    const reader = this.#reader();
    const files = new Map(found.samples.map((file) => [file.path, bytesInWords(file.bytes, speech)]));
    for (const path of users.keys()) if (!files.has(path)) files.set(path, "");
    const nodes = [...files]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([path, size]) =>
        sampleFileNode(
          path,
          labelOf(path, folders),
          size,
          used.get(path),
          users.get(path) ?? [],
          reader,
          speech,
        ),
      );
    return inRanges("samples", nodes, (from, to) => speech.t("files {0} to {1}", from, to));
  }

  async #trajectories(): Promise<readonly Node[]> {
    const folders = this.#folders();
    if (folders.length === 0) return [];
    const { scan, engine, speech } = this.#host;
    const { sources, truncated } = await scan.trajectories();
    const reader = {
      read: async (ask: Parameters<EngineClient["trajectoryNodes"]>[0]) =>
        (await engine.client()).trajectoryNodes(ask),
    };
    const named = sources.map(({ path, folder, title, bytes }) => ({
      path,
      label: labelOf(path, folders),
      title: sourceTitle({ folder, title }, speech),
      size: bytesInWords(bytes, speech),
    }));
    return sourceNodes(named, truncated, reader, speech);
  }

  #reader(): SampleReader {
    const { scan, engine } = this.#host;
    return {
      open: (path) => scan.open(path),
      labels: async (set) => {
        const column = set.mapping.label;
        if (column === null) return [];
        const client = await engine.client();
        return (await client.columnValues({ set: set.set, column, limit: 100 })).values.filter(
          (value) => value.text !== "null" && value.text !== "None",
        );
      },
      groups: async (set) => {
        const client = await engine.client();
        const groups = new Map<string, { id: string; rows: number; line: number }>();
        for (let from = 0; from < Math.min(set.rows, MOST_ROWS_FOR_GROUPS); from += PAGE) {
          const { rows } = await client.readSamples({ set: set.set, from, count: PAGE, maxText: 1 });
          for (const row of rows) {
            const group = groups.get(row.group);
            if (group) group.rows++;
            else groups.set(row.group, { id: row.group, rows: 1, line: row.line });
          }
        }
        return [...groups.values()];
      },
    };
  }
}
