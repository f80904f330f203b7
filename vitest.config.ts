import { defineConfig } from "vitest/config";

/**
 * On a shared machine a real process or a browser may be late once. A test that needs its second try still passes, and
 * vitest's report counts the tries.
 */
const retry = process.env["CI"] ? 1 : 0;

export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"], environment: "node" } },
      {
        test: {
          name: "contract",
          include: ["test/contract/**/*.test.ts"],
          environment: "node",
          retry,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Real processes on a machine of two cores: files run one after another.
          fileParallelism: false,
        },
      },
      {
        // Files that frameworks wrote, in the folder that REWARDSMITH_REAL names; skipped without it.
        test: {
          name: "real",
          include: ["test/real/**/*.test.ts"],
          environment: "node",
          testTimeout: 60_000,
        },
      },
      {
        // Real trainers, from scripts/frameworks.mjs; heavy, so never by default.
        test: {
          name: "frameworks",
          include: ["test/frameworks/**/*.test.ts"],
          environment: "node",
          testTimeout: 60_000,
          // Makes the environment where it isn't there yet.
          hookTimeout: 1_200_000,
          fileParallelism: false,
        },
      },
      {
        // What is packed and what each bundle holds: builds for production first.
        test: { name: "package", include: ["test/package/**/*.test.ts"], environment: "node" },
      },
      {
        test: {
          name: "ui",
          include: ["test/ui/**/*.test.ts"],
          environment: "node",
          retry,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // Each file has a browser and a VS Code of its own.
          fileParallelism: false,
        },
      },
    ],
  },
});
