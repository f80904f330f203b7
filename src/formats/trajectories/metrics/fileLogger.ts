import { fieldsOf, isFields } from "../build";
import type { MetricsForm } from "./form";

/** verl's FileLogger (0.9.1): `{"step": n, "data": {metric: number}}`, one a line; NaN is written as null. */
export const fileLogger: MetricsForm = {
  id: "verl-file-logger",
  framework: "verl",
  recognise: (records) =>
    records.some((record) => isFields(record) && "step" in record && isFields(record["data"])),
  rows(record) {
    const { step, data } = fieldsOf(record);
    return [{ step, values: fieldsOf(data) }];
  },
};
