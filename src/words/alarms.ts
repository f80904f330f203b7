import type { RunAlarm } from "../schema/runView";
import { formatNumber, type Speech } from "./format";

/** What is seen, in which steps, and what to look at first. */
export function alarmInWords(alarm: RunAlarm, speech: Speech): string {
  const { t, language } = speech;
  const number = (name: string) => formatNumber(alarm.values[name] ?? null, language);
  const percent = (name: string) => {
    const value = alarm.values[name];
    return value === undefined ? "–" : `${formatNumber(value * 100, language)} %`;
  };
  const window = t("Steps {0} to {1}.", alarm.from, alarm.to);
  const with_ = (sentence: string) => `${sentence} ${window}`;
  switch (alarm.code) {
    case "reward-up-success-flat":
      return with_(
        t(
          "The reward rose by {0}, but success did not ({1} points). The policy may have found a way around the task: read rollouts with the highest reward.",
          number("reward"),
          formatNumber((alarm.values["success"] ?? Number.NaN) * 100, language),
        ),
      );
    case "all-tied":
      return with_(
        t(
          "In {0} of the groups all rewards are equal, so they give no gradient. Change the mix of tasks or make the reward finer.",
          percent("now"),
        ),
      );
    case "invalid-rising":
      return with_(
        t(
          "{0} of the rollouts are invalid, {1} were at the start. Look at their errors before the reward.",
          percent("now"),
          percent("start"),
        ),
      );
    case "non-finite":
      return with_(
        t(
          "{0} was NaN or infinite {1} times. Weights may be spoilt: stop, and go on from a checkpoint before it.",
          alarm.metric,
          number("points"),
        ),
      );
    case "length-collapse":
      return with_(
        t(
          "Completions have become short: {0} tokens, {1} at the start. Check whether the reward pays for short answers.",
          number("now"),
          number("start"),
        ),
      );
    case "length-explosion":
      return with_(
        t(
          "Completions have become long: {0} tokens, {1} at the start. Check whether length itself is paid, and the limit.",
          number("now"),
          number("start"),
        ),
      );
    case "truncation":
      return with_(
        t(
          "{0} of the completions are cut off by the limit. Raise the limit, or leave them out of the update.",
          percent("now"),
        ),
      );
    case "entropy-collapse":
      return with_(
        t(
          "Entropy has fallen to {0} nats from {1}: the policy hardly explores any more. Consider a higher upper clip or fewer steps on the same prompts.",
          number("now"),
          number("start"),
        ),
      );
    case "kl-explosion":
      return with_(
        t(
          "The policy is {0} nats a token away from its reference. Lower the learning rate or raise the KL coefficient.",
          number("now"),
        ),
      );
    case "gradient-explosion":
      return with_(
        t(
          "The gradient's norm is {0}, {1} at the start. Look at rewards of unusual size, then at the learning rate.",
          number("now"),
          number("start"),
        ),
      );
    case "gap-growing":
      return with_(
        t(
          "Trainer and sampler disagree more and more: {0} nats, {1} at the start. Check precision, template and how old the sampler's weights are.",
          number("now"),
          number("start"),
        ),
      );
    case "reward-slow":
      return with_(
        t(
          "Rewards take {0} of a step's time. Make them faster or let them run at the same time.",
          percent("share"),
        ),
      );
    case "stalled":
      return t(
        "Nothing has been logged for {0} s since step {1}; a step usually takes {2} s. Look at the log's end.",
        number("silent"),
        alarm.to,
        number("usual"),
      );
  }
}
