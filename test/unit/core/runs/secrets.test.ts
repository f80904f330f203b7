import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  HIDDEN,
  SecretStream,
  bytesAsText,
  formsOf,
  hideConfig,
  hider,
  hideShaped,
  namesSecret,
  secretPlaces,
} from "../../../../src/core/runs/secrets";
import type { Json } from "../../../../src/schema/json";

interface Case {
  readonly in: { readonly [key: string]: Json };
  readonly right_hidden: readonly string[];
  readonly right_kept: readonly string[];
}
const file = fileURLToPath(new URL("../../../fixtures/run-jobs/run_config.json", import.meta.url));

function at(value: Json, path: string): Json {
  return path.split(/[.[\]]+/).reduce<Json>((own, part) => {
    if (part === "") return own;
    return (own as { [key: string]: Json })[part] ?? null;
  }, value);
}

describe("configurations", () => {
  it("hides exactly the listed values of a run's configuration", () => {
    const config = JSON.parse(readFileSync(file, "utf8")) as Case;
    const shown = hideConfig(config.in);
    const changed = [...secretPlaces(config.in)];
    expect(changed.sort()).toEqual(config.right_hidden.map((path) => path.replace(/ .*/, "")).sort());
    expect(at(shown, "judge.base_url")).toBe(`https://${HIDDEN}@judge.example/v1`);
    for (const path of config.right_kept) expect(at(shown, path), path).toEqual(at(config.in, path));
  });

  it("keeps settings whose names only sound like secrets", () => {
    const config = {
      eos_token: "</s>",
      pad_token: "<pad>",
      stop_token: "END OF TEXT",
      "data.prompt_key": "prompt",
      reward_fn_key: "data_source",
      input_key: "question",
      key: "answer",
      token: true,
      use_auth_token: false,
      max_new_tokens: 256,
      password_rules: "at least one digit",
      secret_key_ref: "store/name",
      keys: ["prompt", "answer"],
      monkey: "abcdefghij0123456789abcd",
      author: "me",
      compatibility: "strict",
      api_key: "$OPENAI_API_KEY",
      hub_token: "secret:hf",
      base_url: "https://judge.example/v1?x=1",
      mail: "me@example.org",
    };
    expect(hideConfig(config)).toEqual(config);
  });

  it("finds secrets in names of every spelling, lists, options, headers and addresses", () => {
    const shown = hideConfig({
      wandbApiKey: "abc123",
      "WANDB-API-KEY": "abc123",
      HF_HUB_TOKEN: "hf-short",
      db: { password: "letmein", PASSWORD: 12345678 },
      aws: { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", aws_session_token: "tok" },
      api_keys: ["one-1", "two-2"],
      headers: { Authorization: "Bearer abcdefgh", "X-Api-Key": "k1", Accept: "text/plain" },
      pairs: [
        ["Authorization", "Token abc"],
        ["Accept", "text/plain"],
      ],
      args: [
        "train.py",
        "--api-key",
        "abc",
        "--hub-token=abc",
        "trainer.wandb_api_key=abc",
        "--max-tokens",
        "12",
      ],
      note: "curl -H 'Authorization: Bearer abcdefgh' postgres://u:p@host/db and sk-abcdefghijklmnop1234",
      private_key: "-----BEGIN KEY-----\nabc\n-----END KEY-----",
    });
    expect(shown).toEqual({
      wandbApiKey: HIDDEN,
      "WANDB-API-KEY": HIDDEN,
      HF_HUB_TOKEN: HIDDEN,
      db: { password: HIDDEN, PASSWORD: HIDDEN },
      aws: { AWS_ACCESS_KEY_ID: HIDDEN, aws_session_token: HIDDEN },
      api_keys: [HIDDEN, HIDDEN],
      headers: { Authorization: HIDDEN, "X-Api-Key": HIDDEN, Accept: "text/plain" },
      pairs: [
        ["Authorization", HIDDEN],
        ["Accept", "text/plain"],
      ],
      args: [
        "train.py",
        "--api-key",
        HIDDEN,
        `--hub-token=${HIDDEN}`,
        `trainer.wandb_api_key=${HIDDEN}`,
        "--max-tokens",
        "12",
      ],
      note: `curl -H 'Authorization: Bearer ${HIDDEN}' postgres://${HIDDEN}@host/db and ${HIDDEN}`,
      private_key: HIDDEN,
    });
  });

  it("is the same when done twice", () => {
    const config = JSON.parse(readFileSync(file, "utf8")) as Case;
    const once = hideConfig(config.in);
    expect(hideConfig(once)).toEqual(once);
    expect(hideShaped(hideShaped("https://a:b@c"))).toBe(`https://${HIDDEN}@c`);
  });

  it("a bare token is a secret, a vocabulary's isn't", () => {
    expect(namesSecret("token", "abc")).toBe(true);
    expect(namesSecret("image_token", "abc")).toBe(false);
  });
});

describe("known values", () => {
  it("are hidden as they are, in JSON, in an address and as base64", () => {
    const value = 'pä"ss/w\\rd 9';
    const hide = hider([value]);
    for (const form of [
      value,
      JSON.stringify(value).slice(1, -1),
      String.raw`p\u00e4\"ss/w\\rd 9`,
      encodeURIComponent(value),
      Buffer.from(value).toString("base64"),
    ])
      expect(hide(`<${form}>`), form).toBe(`<${HIDDEN}${/=*$/.exec(form)?.[0] ?? ""}>`);
  });

  it("of several lines are hidden line by line too", () => {
    const hide = hider(["-----BEGIN KEY-----\nabcdefghijk\n-----END KEY-----"]);
    expect(hide("log: abcdefghijk\n")).toBe(`log: ${HIDDEN}\n`);
  });

  it("short ones hide nothing", () => {
    expect(hider(["abc"])("abc")).toBe("abc");
  });
});

describe("streams", () => {
  const through = (forms: readonly string[], pieces: readonly string[]): string => {
    const stream = new SecretStream(forms);
    return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
  };

  it("hide a secret wherever the stream is cut", () => {
    const text = "before sekret-value after sekret-valu and sekret-value";
    for (let a = 0; a <= text.length; a++)
      for (let b = a; b <= text.length; b += 3)
        expect(through(["sekret-value"], [text.slice(0, a), text.slice(a, b), text.slice(b)])).toBe(
          `before ${HIDDEN} after sekret-valu and ${HIDDEN}`,
        );
  });

  it("change nothing else, and hold back no more than they must", () => {
    const stream = new SecretStream(["abcd"]);
    expect(stream.push("xxab")).toBe("xx");
    expect(stream.push("x")).toBe("abx");
    expect(stream.push("line\n")).toBe("line\n");
    expect(stream.end()).toBe("");
  });

  it("hide most of a secret at the very end", () => {
    expect(through(["sekret-value"], ["x sekret-val"])).toBe(`x ${HIDDEN}`);
    expect(through(["sekret-value"], ["x sek"])).toBe("x sek");
  });

  it("never let one through, whatever the secrets, text and cuts are", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "ä", "\n"), minLength: 4, maxLength: 7 });
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 3 }),
        fc.array(fc.string({ unit: fc.constantFrom("a", "b", "ä", "\n"), maxLength: 9 }), { maxLength: 8 }),
        (secrets, pieces) => {
          const forms = formsOf(secrets).map(bytesAsText);
          const bytes = pieces.map((piece) => Buffer.from(piece).toString("latin1"));
          // Cut in the middle of a character too.
          const cut = bytes.flatMap((piece) => [piece.slice(0, 1), piece.slice(1)]);
          const out = through(forms, cut);
          const parts = out.split(HIDDEN);
          expect(parts.some((part) => forms.some((form) => part.includes(form)))).toBe(false);
          if (!forms.some((form) => bytes.join("").includes(form)) && !out.includes(HIDDEN))
            expect(out).toBe(bytes.join(""));
        },
      ),
      { numRuns: 500 },
    );
  });
});
