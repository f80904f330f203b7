import type { TextDocument } from "vscode";
import type { Handlers } from "../../protocol/rpc";
import type { LabContract } from "../../protocol/lab.contract";

type Features = Pick<Handlers<LabContract["methods"]>, "complete" | "hover" | "signature" | "definition">;

/** The user's own providers, asked on behalf of the Lab's editor. */
export function languageFeatures(_document: TextDocument): Features {
  return {
    complete: () => Promise.resolve({ items: [], incomplete: false }),
    hover: () => Promise.resolve({ contents: [], range: null }),
    signature: () => Promise.resolve(null),
    definition: () => Promise.resolve({ range: null }),
  };
}
