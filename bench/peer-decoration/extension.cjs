"use strict";
const vscode = require("vscode");

/** The least a webview panel can be, by the command "Bench Peer: Open Panel"; and paints `peer v=<version>` after the first line of plain-text files, on every change. */
exports.activate = (context) => {
  const type = vscode.window.createTextEditorDecorationType({});
  const paint = (editor) => {
    if (editor.document.languageId !== "plaintext") return;
    const contentText = `peer v=${editor.document.version}`;
    editor.setDecorations(type, [
      { range: editor.document.lineAt(0).range, renderOptions: { after: { contentText } } },
    ]);
  };
  context.subscriptions.push(
    type,
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      for (const editor of vscode.window.visibleTextEditors) if (editor.document === document) paint(editor);
    }),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(paint)),
  );
  vscode.window.visibleTextEditors.forEach(paint);
  context.subscriptions.push(
    vscode.commands.registerCommand("peer.panel", () => {
      const panel = vscode.window.createWebviewPanel("peer", "Peer", vscode.ViewColumn.Beside, {});
      panel.webview.html =
        '<div id="root"><main><div class="table-row" data-row="0">one row</div></main></div>';
    }),
  );
};
