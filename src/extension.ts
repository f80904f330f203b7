import type { ExtensionContext } from "vscode";
import { App, type RewardsmithApi } from "./host/app";

let app: App | undefined;

export function activate(context: ExtensionContext): RewardsmithApi {
  app = new App(context);
  context.subscriptions.push(app);
  return app.api;
}

/** VS Code waits for this: the engine and its tree are gone when it resolves. */
export async function deactivate(): Promise<void> {
  await app?.stop();
  app = undefined;
}
