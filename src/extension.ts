export function activate(): void {
  // Composition root; filled by host/.
}
export function deactivate(): void {
  // Nothing to end yet.
}
