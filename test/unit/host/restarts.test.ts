import { expect, test } from "vitest";
import { RestartPolicy } from "../../../src/host/process/restarts";

test("waits longer with each end in a row, then gives up until asked", () => {
  const policy = new RestartPolicy(5, 180_000);
  expect([0, 1, 2, 3, 4, 5].map((end) => policy.ended(end * 1000))).toEqual([
    250,
    500,
    1000,
    2000,
    4000,
    null,
  ]);
  policy.reset();
  expect(policy.ended(7000)).toBe(250);
});

test("ends long ago don't count", () => {
  const policy = new RestartPolicy(1, 1000);
  expect(policy.ended(0)).toBe(250);
  expect(policy.ended(5000)).toBe(250);
  expect(policy.ended(5500)).toBeNull();
});
