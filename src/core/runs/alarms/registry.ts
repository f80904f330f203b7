import type { RunAlarm } from "../../../schema/runView";
import type { Alarm, AlarmInput } from "./alarm";
import {
  allTied,
  entropyCollapse,
  gapGrowing,
  gradientExplosion,
  klExplosion,
  lengthCollapse,
  lengthExplosion,
  truncation,
} from "./levels";
import { invalidRising, nonFinite, rewardSlow, rewardUpSuccessFlat, stalled } from "./trends";

/** The gravest first: the view shows them in this order. */
export const ALARMS: readonly Alarm[] = [
  nonFinite,
  rewardUpSuccessFlat,
  stalled,
  allTied,
  invalidRising,
  klExplosion,
  gradientExplosion,
  entropyCollapse,
  gapGrowing,
  lengthCollapse,
  lengthExplosion,
  truncation,
  rewardSlow,
];

/** What is to be looked at now. */
export function alarmsOf(input: AlarmInput): RunAlarm[] {
  return ALARMS.flatMap((alarm) => alarm.find(input) ?? []);
}
