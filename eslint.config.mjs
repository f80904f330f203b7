import js from "@eslint/js";
import globals from "globals";
import ts from "typescript-eslint";

/**
 * Who may import whom (ARCHITECTURE.md, "The rooms"). Each room lists what it must not reach:
 * lint holds the boundary, not memory.
 */
const rooms = {
  base: {
    never: ["schema", "core", "formats", "services", "protocol", "words", "runtime", "engine", "cli", "host"],
    packages: ["*"],
  },
  schema: {
    never: ["core", "formats", "services", "protocol", "words", "runtime", "engine", "cli", "host"],
    packages: ["vscode", "node:*", "@lezer/*"],
  },
  core: {
    never: ["formats", "services", "protocol", "words", "runtime", "engine", "cli", "host"],
    packages: ["vscode", "node:*"],
  },
  formats: {
    never: ["services", "protocol", "words", "runtime", "engine", "cli", "host"],
    packages: ["vscode", "node:*"],
  },
  services: {
    never: ["protocol", "words", "runtime", "engine", "cli", "host"],
    packages: ["vscode", "node:*"],
  },
  words: {
    never: ["core", "formats", "services", "protocol", "runtime", "engine", "cli", "host"],
    packages: ["vscode", "node:*"],
  },
  protocol: {
    never: ["core", "words", "formats", "services", "runtime", "engine", "cli", "host"],
    packages: ["vscode", "node:*"],
  },
  runtime: { never: ["services", "engine", "cli", "host"], packages: ["vscode"] },
  engine: { never: ["cli", "host"], packages: ["vscode"] },
  cli: { never: ["host"], packages: ["vscode"] },
  host: { never: ["formats", "services", "runtime", "engine", "cli"], packages: [] },
  // Not below src: base, schema, core, words and protocol are what a webview may share with the rest.
  webview: {
    never: ["formats", "services", "runtime", "engine", "cli", "host"],
    packages: ["vscode", "node:*"],
  },
};

const boundaries = Object.entries(rooms).map(([room, { never, packages }]) => ({
  files: room === "webview" ? ["webview/**/*.ts", "webview/**/*.tsx"] : [`src/${room}/**/*.ts`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: never.flatMap((r) => [`**/${r}/**`, `**/${r}`]),
            message: `${room} may not import this room (ARCHITECTURE.md).`,
          },
          ...(packages.length > 0
            ? [
                {
                  regex: packages.includes("*")
                    ? "^[^.]"
                    : `^(${packages.map((p) => p.replace("*", ".*")).join("|")})$`,
                  message: `${room} may not use this package (ARCHITECTURE.md).`,
                },
              ]
            : []),
        ],
      },
    ],
  },
}));

export default ts.config(
  {
    ignores: ["dist/", "out/", "node_modules/", "test/fixtures/", "examples/", "coverage/", ".vscode-test/"],
  },
  js.configs.recommended,
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [...ts.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: [
          "tsconfig.portable.json",
          "tsconfig.node.json",
          "tsconfig.host.json",
          "tsconfig.webview.json",
          "tsconfig.test.json",
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "@typescript-eslint/no-extraneous-class": "off",
      eqeqeq: "error",
      "max-lines": ["error", { max: 500, skipBlankLines: true, skipComments: true }],
    },
  },
  ...boundaries,
  {
    files: ["test/**/*.ts", "bench/**/*.ts"],
    rules: {
      "@typescript-eslint/consistent-type-assertions": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-floating-promises": "error",
      "max-lines": "off",
    },
  },
  {
    files: ["**/*.mjs", "**/*.js", "**/*.cjs"],
    extends: [ts.configs.disableTypeChecked],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
);
