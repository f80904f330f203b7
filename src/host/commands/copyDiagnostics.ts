import { env, version, window, workspace } from "vscode";
import { toRewardsmithError } from "../../base/errors";
import { COMMANDS } from "../ids";
import type { Command } from "./command";

/** For a bug report: versions, states, settings; no source, no samples, no secrets. */
export const copyDiagnostics: Command = {
  id: COMMANDS.copyDiagnostics,
  async run(host) {
    const { engine, context, live } = host;
    const about: unknown = context.extension.packageJSON;
    const own =
      about !== null && typeof about === "object" && "version" in about ? String(about.version) : "?";
    const lines = [
      `Rewardsmith ${own}`,
      `${env.appName} ${version} (${env.appHost}, ${process.platform} ${process.arch}, Node ${process.versions.node})`,
      `trusted: ${workspace.isTrusted}; folders: ${workspace.workspaceFolders?.length ?? 0}; remote: ${env.remoteName ?? "no"}`,
      `engine: ${engine.state.at}${engine.state.at === "failed" ? ` (${engine.state.message})` : ""}`,
      ...live.paths().map((path, index) => {
        const scores = live.scoresOf(path);
        return `file ${index + 1}: ${scores?.status ?? "no scores"}; blocked: ${scores?.blocked ?? "no"}; rows: ${scores?.set?.rows ?? 0}; error: ${scores?.error?.code ?? "no"}; mode: ${scores?.timing?.mode ?? "?"}; pass: ${scores?.timing?.totalMs ?? "?"} ms`;
      }),
    ];
    try {
      lines.push("", (await (await engine.client()).diagnostics({}, { timeoutMs: 10_000 })).text);
    } catch (error) {
      lines.push("", `engine diagnostics failed: ${toRewardsmithError(error).message}`);
    }
    await env.clipboard.writeText(lines.join("\n"));
    void window.showInformationMessage(
      host.speech.t("Diagnostics copied. They hold paths and versions, no source and no samples."),
    );
  },
};
