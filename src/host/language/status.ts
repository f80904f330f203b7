import {
  commands,
  type LanguageStatusItem,
  languages,
  LanguageStatusSeverity,
  window,
  workspace,
} from "vscode";
import { basename } from "node:path";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import type { Host } from "../host";
import { PYTHON_DOCUMENTS } from "../documents";
import { COMMANDS, CONTEXT } from "../ids";
import { seenDocument } from "../seen";
import { blockedInWords } from "../../words/errors";
import { formatCount } from "../../words/format";
import { contractExplained } from "../../words/states";

/** Language status (interpreter, contract, live rows) and the context keys, for the reward file in the active editor. */
export class Status implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #host: Host;
  readonly #keys = new Map<string, boolean>();
  #items:
    { interpreter: LanguageStatusItem; contract: LanguageStatusItem; live: LanguageStatusItem } | undefined;

  constructor(host: Host) {
    this.#host = host;
    const refresh = (): void => this.#refresh();
    this.#store.add(window.onDidChangeActiveTextEditor(refresh));
    this.#store.add(host.labs.onDidChangeActive(refresh));
    this.#store.add(host.models.onDidChange(refresh));
    this.#store.add(host.live.onDidChange(refresh));
    this.#store.add(host.interpreter.onDidChange(refresh));
    this.#store.add(host.engine.onDidChangeState(refresh));
    this.#store.add(workspace.onDidGrantWorkspaceTrust(refresh));
    this.#store.add({ dispose: () => this.#hide() });
    refresh();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #refresh(): void {
    const document = seenDocument(this.#host)?.document;
    const path = document?.uri.fsPath;
    const model = path === undefined ? undefined : this.#host.models.get(path);
    const reward = model !== undefined && model.functions.length > 0;
    const consent = path === undefined ? undefined : this.#host.consents.get(path);
    const scores = path === undefined ? undefined : this.#host.live.scoresOf(path);
    this.#key(CONTEXT.rewardFile, reward);
    this.#key(CONTEXT.bound, consent !== undefined);
    this.#key(CONTEXT.paused, consent !== undefined && !consent.live);
    this.#key(CONTEXT.held, scores?.functions.some((fn) => fn.held.length > 0) ?? false);
    this.#key(
      CONTEXT.pythonMissing,
      scores?.blocked === "no-python" || this.#host.interpreter.current?.python === null,
    );
    if (reward) this.#key(CONTEXT.hasReward, true);
    if (scores?.functions.some((fn) => fn.status === "fresh")) this.#key(CONTEXT.hasScored, true);
    if (scores?.functions.some((fn) => fn.status === "fresh") && (document?.isDirty ?? false))
      this.#key(CONTEXT.hasEdited, true);
    if (path === undefined || !reward) return this.#hide();
    this.#show(path);
  }

  #key(name: string, value: boolean): void {
    if (this.#keys.get(name) === value) return;
    this.#keys.set(name, value);
    void commands.executeCommand("setContext", name, value);
  }

  #show(path: string): void {
    const { speech, live, models, interpreter, engine, consents } = this.#host;
    const { t, language } = speech;
    this.#items ??= create(t);
    const { interpreter: python, contract, live: rows } = this.#items;

    const current = interpreter.current;
    python.severity = LanguageStatusSeverity.Information;
    if (engine.state.at === "failed") {
      python.text = engine.state.retrying ? t("Engine ended, starting again") : t("Engine ended");
      python.detail = engine.state.message;
      python.severity = LanguageStatusSeverity.Error;
      python.command = { title: t("Restart"), command: COMMANDS.restartEngine };
    } else {
      python.command = { title: t("Select Python"), command: COMMANDS.selectPython };
      if (current === undefined) {
        python.text = t("Python: starts with the first score");
        python.detail = "";
      } else if (current.python === null || current.error !== null) {
        python.text = t("No Python");
        python.detail = current.error ?? "";
        python.severity = LanguageStatusSeverity.Error;
      } else {
        python.text = t("Python {0}", current.version ?? "?");
        python.detail = current.trl === null ? t("TRL is not installed in it") : `TRL ${current.trl}`;
      }
    }

    const functions = live.scoresOf(path)?.functions ?? models.get(path)?.functions ?? [];
    const ids = [...new Set(functions.map((fn) => fn.contract))];
    contract.text = t("Contract {0}", ids.join(", "));
    contract.detail = ids.map((id) => contractExplained(id, speech)).join("; ");

    const consent = consents.get(path);
    const scores = live.scoresOf(path);
    const set = live.setOf(path);
    rows.busy = scores?.status === "running";
    rows.severity = LanguageStatusSeverity.Information;
    if (!workspace.isTrusted) {
      rows.text = t("Restricted Mode: nothing runs");
      rows.command = { title: t("Manage Trust"), command: "workbench.trust.manage" };
    } else if (!consent) {
      rows.text = t("No samples chosen");
      rows.command = { title: t("Choose Samples"), command: COMMANDS.pickSamples };
    } else {
      const first = scores?.functions[0];
      const count =
        first && first.n < first.of
          ? t("{0} of {1} rows", formatCount(first.n, language), formatCount(first.of, language))
          : t("{0} rows", formatCount(set?.rows ?? 0, language));
      rows.text = consent.live ? t("Live: {0}", count) : t("Paused: {0}", count);
      rows.command = consent.live
        ? { title: t("Pause"), command: COMMANDS.pauseLive }
        : { title: t("Resume"), command: COMMANDS.resumeLive };
    }
    const blocked = scores?.blocked ?? null;
    rows.detail = [
      ...(consent ? [consent.files.map((file) => basename(file)).join(", ")] : []),
      ...(blocked === null ? [] : [blockedInWords(blocked, speech)]),
    ].join(" · ");
  }

  #hide(): void {
    if (!this.#items) return;
    for (const item of Object.values(this.#items)) item.dispose();
    this.#items = undefined;
  }
}

function create(t: Host["speech"]["t"]): {
  interpreter: LanguageStatusItem;
  contract: LanguageStatusItem;
  live: LanguageStatusItem;
} {
  const item = (id: string, name: string): LanguageStatusItem => {
    const made = languages.createLanguageStatusItem(`rewardsmith.${id}`, PYTHON_DOCUMENTS);
    made.name = name;
    return made;
  };
  return {
    interpreter: item("interpreter", t("Rewardsmith: Python")),
    contract: item("contract", t("Rewardsmith: contract")),
    live: item("live", t("Rewardsmith: live scoring")),
  };
}
