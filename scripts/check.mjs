// @ts-check
// `npm run check`: the quick tiers of `npm test`, before every commit.
process.argv.push("--quick");
await import("./test.mjs");
