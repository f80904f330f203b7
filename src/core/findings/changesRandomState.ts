import { type Check, finding } from "./finding";
import { code, listed } from "./sentences";

const OWNERS: Readonly<Record<string, string>> = {
  random: "Python's shared random state",
  "numpy.random": "numpy's shared random state",
  torch: "torch's shared random state",
};

/** It seeds a generator that the whole trainer process shares (SWE-agent/SWE-agent#1548). */
export const changesRandomState: Check = {
  code: "changes-random-state",
  run({ functions }) {
    return functions.flatMap(({ fn, changed }) => {
      if (changed.size === 0) return [];
      const states = listed([...changed].map((name) => OWNERS[name] ?? `the random state of ${name}`));
      return [
        finding(this.code, {
          severity: "warning",
          fn,
          message: `${code(fn.name)} changes ${states}: in a run everybody else's randomness (sampling, order of the data) starts again from there at every call.`,
          cure: "Use a generator of its own, e.g. rng = random.Random(0).",
        }),
      ];
    });
  },
};
