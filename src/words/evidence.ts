import type { Evidence, LaunchCheck, LaunchEvidence, Measured, PromotionEvidence } from "../schema/evidence";
import { formatCount, formatNumber, type Speech } from "./format";

/** Evidence as Markdown, to be read in a pull request: verdict first, then what it rests on. */
export function evidenceInMarkdown(evidence: Evidence, speech: Speech): string {
  const lines = evidence.kind === "launch" ? launchLines(evidence, speech) : promotionLines(evidence, speech);
  return `${lines.join("\n")}\n`;
}

function promotionLines(evidence: PromotionEvidence, speech: Speech): string[] {
  const { t, language } = speech;
  const { leftOut, method, sealed, tasks } = evidence;
  const count = (n: number) => formatCount(n, language);
  const lines = [
    `## ${verdictInWords(evidence, speech)}`,
    "",
    t("{0} against {1}, on {2} tasks.", cell(evidence.candidate), cell(evidence.baseline), count(tasks)),
  ];
  if (evidence.reasons.length > 0)
    lines.push("", ...evidence.reasons.map((reason) => `- ${reasonInWords(reason, speech)}`));
  lines.push(
    "",
    `| ${[t("measure"), t("before"), t("now"), t("difference"), t("interval"), t("asked"), t("met"), t("tasks")].join(" | ")} |`,
    "|---|---|---|---|---|---|---|---|",
    ...evidence.measures.map((one) => row(one, speech)),
    "",
    t(
      "Intervals: {0} ({1} resamples, seed {2}), two-sided error {3}. Latency and cost are relative to the mean before.",
      method.name,
      count(method.resamples),
      method.seed,
      formatNumber(method.level, language),
    ),
    t(
      "Left out: {0} tasks that only one side has; rollouts that the infrastructure spoilt: {1} before, {2} now.",
      count(leftOut.unpaired),
      count(leftOut.infrastructure[0]),
      count(leftOut.infrastructure[1]),
    ),
    sealed.split === "test"
      ? t("The sealed test has been opened {0} times, this one included.", count(sealed.openings))
      : t("Measured on validation, where checkpoints are chosen: not a promotion."),
  );
  const conditions = Object.entries(evidence.conditions);
  if (conditions.length > 0)
    lines.push(
      "",
      ...conditions.map(
        ([name, [before, now]]) =>
          `- ${cell(name)}: ${cell(before)}${before === now ? "" : ` → ${cell(now)}`}`,
      ),
    );
  return lines;
}

function verdictInWords({ verdict, needs, tasks }: PromotionEvidence, { t, language }: Speech): string {
  switch (verdict) {
    case "pass":
      return t("Promotion: passed");
    case "fail":
      return t("Promotion: refused");
    case "not-enough-tasks":
      return t(
        "Promotion: not enough tasks, {0} of about {1}",
        formatCount(tasks, language),
        needs === null ? "–" : formatCount(needs, language),
      );
  }
}

function row(one: Measured, speech: Speech): string {
  const { t, language } = speech;
  const number = (value: number | null) =>
    value === null
      ? "–"
      : one.unit === "reward"
        ? formatNumber(value, language)
        : `${formatNumber(value * 100, language)} %`;
  // Latency and cost are told in their own unit, their difference as a share.
  const level = (value: number | null) =>
    one.unit === "relative" ? formatNumber(value, language) : number(value);
  const asked =
    one.test === "told"
      ? t("nothing")
      : one.test === "superior"
        ? t("low bound above 0")
        : t("at most {0} worse", number(one.margin));
  const met = one.met === null ? "–" : one.met ? t("yes") : t("no");
  const interval = one.low === null ? "–" : t("{0} to {1}", number(one.low), number(one.high));
  return `| ${[cell(one.name), level(one.baseline), level(one.candidate), number(one.difference), interval, asked, met, formatCount(one.tasks, language)].join(" | ")} |`;
}

function reasonInWords({ code, metric }: PromotionEvidence["reasons"][number], { t }: Speech): string {
  const name = cell(metric ?? "");
  switch (code) {
    case "not-sealed":
      return t("It wasn't measured on the sealed test.");
    case "conditions-differ":
      return t("{0} isn't the same on both sides, so the two can't be compared.", name);
    case "reward-up-success-not":
      return t(
        "The training reward went up and independent success did not: the reward is being gamed, or measures something else.",
      );
    case "reward-up-unsafe-up":
      return t("The training reward went up together with unsafe acts: the reward pays for them.");
    case "success-not-up":
      return t("A gain in {0} isn't shown: its low bound isn't above 0.", name);
    case "harmed":
      return t("{0} is worse by more than its margin.", name);
    case "not-shown-harmless":
      return t("It isn't shown that {0} is within its margin: the unfavourable bound is beyond it.", name);
    case "not-measured":
      return t("{0} wasn't measured.", name);
    case "too-few-tasks":
      return t("With fewer than 10 tasks no interval means anything.");
  }
}

function launchLines(evidence: LaunchEvidence, speech: Speech): string[] {
  const { t } = speech;
  const verdict = {
    pass: t("Launch: passed"),
    fail: t("Launch: refused"),
    overridden: t("Launch: passed over"),
  }[evidence.verdict];
  const lines = [`## ${verdict}`, ""];
  if (evidence.override !== null) lines.push(t("Reason given: {0}", cell(evidence.override)), "");
  lines.push(
    ...evidence.checks.map((one) => {
      const state = { met: t("met"), "not-met": t("not met"), unknown: t("not measured") }[one.state];
      return `- **${state}**: ${checkInWords(one, speech)}`;
    }),
  );
  for (const { code, reason } of evidence.suppressed)
    lines.push(t("- Finding {0} was set aside: {1}", cell(code), cell(reason)));
  return lines;
}

function checkInWords({ code, value, limit, n }: LaunchCheck, { t, language }: Speech): string {
  const percent = (share: number | null) =>
    share === null ? "–" : `${formatNumber(share * 100, language)} %`;
  const number = (one: number | null) => formatNumber(one, language);
  const of = n === null ? "–" : formatCount(n, language);
  switch (code) {
    case "same-source":
      return t("samples come from this base model, template and sampling");
    case "mixed-groups":
      return t("groups whose rewards differ: {0} of {1}, at least {2}", percent(value), of, percent(limit));
    case "infrastructure":
      return t(
        "upper 95 % bound of rollouts spoilt by the infrastructure: {0} (n {1}), at most {2}",
        percent(value),
        of,
        percent(limit),
      );
    case "reward-time":
      return t(
        "99th percentile of the reward's time: {0} s (n {1}), timeout {2} s",
        number(value),
        of,
        number(limit),
      );
    case "looked-at":
      return t("random outputs looked at: {0} of {1}", number(value), number(limit));
    case "gold":
      return t("reference answers that get full marks: {0} of {1}", percent(value), of);
    case "anti-gold":
      return t("known-wrong answers that don't: {0} of {1}", percent(value), of);
    case "findings":
      return t("open findings of severity error: {0}", number(value));
  }
}

/** Text of others in a table's cell: it must not end the cell, begin a line, or be a tag. */
function cell(text: string): string {
  return text
    .replace(/[\\`*_[\]|<>]/g, "\\$&")
    .replace(/\s+/g, " ")
    .trim();
}
