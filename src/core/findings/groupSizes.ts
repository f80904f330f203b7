import { type Check, finding } from "./finding";
import { code, count } from "./sentences";

/** Groups that aren't of the size the trainer samples: means and deviations are then over other sets than in a run. */
export const groupSizes: Check = {
  code: "group-size",
  run({ table, groupSize, functions }) {
    if (!table || table.groups.length === 0) return [];
    const by = table.info.mapping.group;
    const wanted = by.by === "size" ? by.size : groupSize;
    if (wanted !== null) {
      const odd = table.groups.filter(({ rows }) => rows.length !== wanted);
      const [first] = odd;
      if (!first) return [];
      return [
        finding(this.code, {
          severity: "warning",
          rows: odd.flatMap(({ rows }) => rows),
          message: `${count(odd.length, "group")} of ${table.groups.length} ${odd.length === 1 ? "isn't" : "aren't"} of ${wanted}, e.g. ${code(first.id)} with ${count(first.rows.length, "row")}: advantages there are not those of a run.`,
          cure: "Check the grouping of the samples, or leave out unfinished groups.",
        }),
      ];
    }
    const alone = table.groups.every(({ rows }) => rows.length === 1);
    if (!alone || table.n < 2 || functions.length === 0) return [];
    return [
      finding(this.code, {
        severity: "info",
        message: `Every group holds one completion, so nothing can be compared: a trainer like GRPO learns only from differences within a group.`,
        cure: "Use samples with several completions of a prompt, or say what forms a group (group.by or group.size).",
      }),
    ];
  },
};
