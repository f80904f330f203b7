import { fieldsOf, isFields, listOf } from "../build";
import type { MetricsForm } from "./form";

/** `trainer_state.json` of Transformers (4 and 5): `log_history`, flat dicts with `step`. TRL writes through it. */
export const trainerState: MetricsForm = {
  id: "trainer-state",
  framework: "trl",
  recognise: ([record]) => isFields(record) && Array.isArray(record["log_history"]),
  rows: (record) =>
    listOf(fieldsOf(record)["log_history"]).map((item) => {
      const { step, ...values } = fieldsOf(item);
      return { step, values };
    }),
};
