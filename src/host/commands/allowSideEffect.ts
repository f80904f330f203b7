import { own } from "../../base/own";
import { window } from "vscode";
import { COMMANDS } from "../ids";
import { effectQuestion } from "../../words/states";
import { boundTarget, type Command } from "./command";

/** Asks once for each kind of side effect that was held, then remembers the answer for this function and workspace. */
export const allowSideEffect: Command = {
  id: COMMANDS.allowSideEffect,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    if (!target) return;
    const { t } = host.speech;
    const functions = host.live.scoresOf(target.path)?.functions ?? [];
    const fn =
      functions.find((one) => one.name === target.function && one.held.length > 0) ??
      functions.find((one) => one.held.length > 0);
    if (!fn) {
      void window.showInformationMessage(t("Nothing is held in this file."));
      return;
    }
    const allow = t("Allow");
    const allowed = new Set(own(host.consents.get(target.path)?.allow ?? {}, fn.name) ?? []);
    const before = allowed.size;
    for (const held of new Map(fn.held.map((one) => [one.effect, one])).values()) {
      const answer = await window.showWarningMessage(
        effectQuestion(held.effect, fn.name, held.target, host.speech),
        {
          modal: true,
          detail: t(
            "It will happen on every edit, for every sample that gets there. Pressing Score instead runs it once.",
          ),
        },
        allow,
      );
      if (answer === allow) allowed.add(held.effect);
    }
    const consent = host.consents.get(target.path);
    if (allowed.size === before || !consent) return;
    await host.consents.set(target.path, {
      ...consent,
      allow: { ...consent.allow, [fn.name]: [...allowed] },
    });
    const client = await host.engine.client();
    await client.allow({ path: target.path, function: fn.name, effects: [...allowed] });
  },
};
