import assert from "node:assert/strict";
import * as vscode from "vscode";
import { TextClient } from "../../../../src/core/text/client";
import { applyChanges, type Changes, ordered } from "../../../../src/core/text/ops";
import { DocumentSync } from "../../../../src/host/lab/documentSync";
import { languageFeatures } from "../../../../src/host/lab/languageFeatures";
import { activate, file, note, revert, show } from "../../session";
import { until } from "../../until";
import { generator } from "../../../unit/core/text/simulation";

const LAB = "rewardsmith.lab";
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const insert = (offset: number, text: string): Changes => [{ offset, length: 0, text }];

async function scratch(name: string, text: string): Promise<vscode.TextDocument> {
  await vscode.workspace.fs.writeFile(file(name), Buffer.from(text));
  return vscode.workspace.openTextDocument(file(name));
}

/** A page on a DocumentSync, with a bus that takes its time in both directions and keeps the order. */
class Page {
  readonly sync: DocumentSync;
  readonly client: TextClient;
  text: string;
  #next = 0;
  #toHost: Promise<void> = Promise.resolve();
  #toView: Promise<void> = Promise.resolve();

  constructor(document: vscode.TextDocument, random: () => number) {
    this.sync = new DocumentSync(document);
    this.text = document.getText();
    const late = (): Promise<void> => sleep(random() * 25);
    const toView = (run: () => void): void => {
      this.#toView = this.#toView.then(late).then(run);
    };
    // Messages are handed over in order; what the host does with one doesn't hold up the next.
    const toHost = (run: () => Promise<void>): void => {
      this.#toHost = this.#toHost.then(late).then(() => void run());
    };
    this.client = new TextClient(
      {
        newId: () => `page-${this.#next++}`,
        edit: (request) =>
          toHost(async () => {
            const { accepted, version } = await this.sync.apply(request);
            toView(() => this.client.answered(request, accepted, version));
          }),
        undo: (redo) =>
          toHost(async () => {
            await this.sync.undo(redo);
            toView(() => this.client.undone());
          }),
        refused: () => setTimeout(() => this.client.retry(), 50),
        resync: () =>
          toHost(async () => {
            await this.sync.settled();
            const whole = this.sync.whole();
            toView(() => this.client.restart(whole));
          }),
        apply: (changes) => (this.text = applyChanges(this.text, changes)),
        keep: () => undefined,
      },
      this.sync.whole(),
    );
    this.sync.onDidChange((event) =>
      toView(() => this.client.received({ ...event, changes: ordered(event.changes) ?? [] })),
    );
    this.sync.onDidReset(() => {
      const whole = this.sync.whole();
      toView(() => this.client.restart(whole));
    });
  }

  type(changes: Changes, word: number): void {
    this.text = applyChanges(this.text, changes);
    this.client.typed(changes, word);
  }

  async quiet(): Promise<void> {
    await until(() => this.client.isIdle, { what: "the page's edits to be in the document", ms: 30_000 });
    await sleep(100);
  }
}

suite("the Lab's editor on a real document", () => {
  test("300 edits of the page, other editors, formatters and undo end in one text; no key is lost", async function () {
    this.timeout(120_000);
    const seed = 20_261_201;
    const random = generator(seed);
    const document = await scratch("together.py", "def f(completions):\n    return [1.0]\n");
    await vscode.window.showTextDocument(document, { preview: false });
    const page = new Page(document, random);
    const gone = new Set<string>();
    const keys: string[] = [];
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document)
        for (const key of keys) if (seen.has(key) && !document.getText().includes(key)) gone.add(key);
      for (const key of keys) if (document.getText().includes(key)) seen.add(key);
    });
    const seen = new Set<string>();
    const int = (below: number): number => Math.floor(random() * below);
    const native = async (offset: number, length: number, text: string): Promise<void> => {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(
        document.uri,
        new vscode.Range(document.positionAt(offset), document.positionAt(offset + length)),
        text,
      );
      await vscode.workspace.applyEdit(edit);
    };
    const others: Promise<unknown>[] = [];
    for (let step = 0; step < 300; step++) {
      const at = random();
      if (at < 0.6) {
        const key = String.fromCharCode(0xe000 + step);
        keys.push(key);
        page.type(insert(int(page.text.length + 1), key), step >> 2);
      } else if (at < 0.7 && page.text.length > 20) {
        const offset = int(page.text.length - 3);
        for (const key of page.text.slice(offset, offset + 2)) gone.add(key);
        page.type([{ offset, length: 2, text: "" }], step >> 2);
      } else if (at < 0.82) others.push(native(int(document.getText().length + 1), 0, "n"));
      else if (at < 0.88)
        others.push(native(0, document.getText().length, document.getText().replace(/n/gu, " n")));
      else if (at < 0.93) page.client.undo(random() < 0.3);
      else if (at < 0.95) others.push(Promise.resolve(document.save()));
      else others.push(Promise.resolve(vscode.commands.executeCommand("undo")));
      await sleep(random() * 15);
    }
    await Promise.all(others);
    await page.quiet();
    listener.dispose();
    const text = document.getText();
    assert.equal(page.client.text, text, `seed ${seed}`);
    assert.equal(page.text, text, `seed ${seed}`);
    for (const key of keys) {
      const found = text.split(key).length - 1;
      assert.ok(found <= 1, `a key is there ${found} times, seed ${seed}`);
      assert.ok(found === 1 || gone.has(key), `a key is lost, seed ${seed}`);
    }
    note(`lab editor: ${keys.length} keys, ${gone.size} removed again, version ${document.version}`);
    page.sync.dispose();
    await revert(document);
  });

  test("an undo in the Lab takes back a word, the editor's own undo one edit; redo brings the word back", async () => {
    const document = await scratch("words.py", "x = 1\n");
    await vscode.commands.executeCommand("vscode.openWith", document.uri, LAB);
    await until(
      () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputCustom,
      { what: "the Lab to be the active editor" },
    );
    const sync = new DocumentSync(document);
    let next = 0;
    const apply = async (offset: number, text: string, word: number): Promise<void> => {
      const answer = await sync.apply({
        id: `e${next++}`,
        base: document.version,
        changes: insert(offset, text),
        word,
      });
      assert.equal(answer.accepted, true);
    };
    await apply(0, "a", 1);
    await apply(1, "b", 1);
    await apply(2, "c", 1);
    await apply(3, " ", 2);
    await apply(4, "d", 2);
    assert.equal(document.getText(), "abc dx = 1\n");
    await sync.undo(false);
    assert.equal(document.getText(), "abcx = 1\n");
    await sync.undo(false);
    assert.equal(document.getText(), "x = 1\n");
    await sync.undo(true);
    assert.equal(document.getText(), "abcx = 1\n");
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), "abx = 1\n", "the editor's own undo takes back one edit");
    await sync.undo(false);
    assert.equal(document.getText(), "x = 1\n", "and the word's rest goes at once");
    sync.dispose();
    await revert(document);
  });

  test("an edit on another version is refused, one that was taken isn't taken again, line ends reset", async () => {
    const document = await scratch("versions.py", "one\n");
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    const sync = new DocumentSync(document);
    const heard: string[] = [];
    sync.onDidChange(({ own, version, changes }) =>
      heard.push(`${own ? "own" : "other"} ${version} ${changes.map((change) => change.text).join()}`),
    );
    let resets = 0;
    sync.onDidReset(() => resets++);
    const base = document.version;
    const first = { id: "first", base, changes: insert(3, "!"), word: 1 };
    assert.deepEqual(await sync.apply(first), { accepted: true, version: base + 1 });
    assert.deepEqual(await sync.apply(first), { accepted: true, version: base + 1 });
    assert.deepEqual(await sync.apply({ ...first, id: "second" }), { accepted: false, version: base + 1 });
    assert.equal(document.getText(), "one!\n");
    // The second says that the document isn't as saved any more.
    assert.deepEqual(heard, [`own ${base + 1} !`, `other ${base + 1} `]);
    await assert.rejects(
      sync.apply({ id: "outside", base: document.version, changes: insert(99, "x"), word: 1 }),
      /fit/,
    );
    await editor.edit((edit) => edit.setEndOfLine(vscode.EndOfLine.CRLF));
    await until(() => resets === 1, { what: "a reset for the line ends" });
    assert.equal(sync.whole().eol, "\r\n");
    assert.equal(sync.whole().lastEdit, "first");
    sync.dispose();
    await revert(document);
  });

  test("values of a column are offered where it is compared, names of columns where parameters stand", async () => {
    const api = await activate();
    const { document } = await show("reward.py");
    await api.testing!.choose(document.uri.fsPath, [file("outputs.jsonl").fsPath]);
    const scratchpad = document.getText().length;
    const edit = new vscode.WorkspaceEdit();
    edit.insert(
      document.uri,
      document.positionAt(scratchpad),
      '\n\ndef other(completions, answer, **kwargs):\n    return [1.0 for a in answer if a == ""]\n',
    );
    await vscode.workspace.applyEdit(edit);
    const offset = document.getText().lastIndexOf('""') + 1;
    const { line, character } = document.positionAt(offset);
    const features = languageFeatures(document);
    const signal = new AbortController().signal;
    const { items } = await features.complete(
      { at: { line, character }, trigger: '"', version: document.version },
      signal,
    );
    const values = items.filter((item) => item.kind === vscode.CompletionItemKind.Value);
    assert.ok(values.length > 0, `only ${JSON.stringify(items.slice(0, 5))}`);
    assert.match(values[0]!.detail ?? "", /of \d+ samples/);
    assert.deepEqual(values[0]!.range, { start: { line, character }, end: { line, character } });
    const hover = await features.hover({ at: { line: line - 1, character: 6 } }, signal);
    assert.ok(Array.isArray(hover.contents));
    await revert(document);
    await api.testing!.forget(document.uri.fsPath);
  });
});
