import { own as named } from "../../base/own";
import { type QuickPickItem, window } from "vscode";
import { ContractId } from "../../schema/reward";
import { COMMANDS } from "../ids";
import { contractSentence } from "../../words/hover";
import { contractExplained } from "../../words/states";
import { boundTarget, type Command } from "./command";

interface ContractItem extends QuickPickItem {
  readonly contract: ContractId | null;
}

export const selectContract: Command = {
  id: COMMANDS.selectContract,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    const consent = target ? host.consents.get(target.path) : undefined;
    if (!target || target.function === null || !consent) return;
    const name = target.function;
    const { speech } = host;
    const own = host.models.get(target.path)?.functions.find((fn) => fn.name === name);
    const chosen = named(consent.contracts, name);
    const items: ContractItem[] = [
      {
        contract: null,
        label: speech.t("As recognised"),
        ...(own && chosen === undefined ? { description: contractSentence(own, speech) } : {}),
      },
      ...ContractId.options.map((contract) => ({
        contract,
        label: contract,
        description: contractExplained(contract, speech),
        picked: contract === chosen,
      })),
    ];
    const picked = await window.showQuickPick(items, {
      title: speech.t("Contract of {0}", name),
      placeHolder: speech.t("Whose way of calling this function is used"),
    });
    if (!picked) return;
    const { [name]: _before, ...others } = consent.contracts;
    const contracts = picked.contract === null ? others : { ...others, [name]: picked.contract };
    await host.consents.set(target.path, { ...consent, contracts });
    await host.live.rebind(target.path);
  },
};
