import type { Finding } from "../../schema/reward";
import { changesRandomState } from "./changesRandomState";
import { columnCollision } from "./columnCollision";
import { definedTwice } from "./definedTwice";
import type { Check, FindingContext } from "./finding";
import { firstItemOfText } from "./firstItemOfText";
import { groupSizes } from "./groupSizes";
import { labelDisagreement } from "./labelDisagreement";
import { missingColumn } from "./missingColumn";
import { missingKwargs } from "./missingKwargs";
import { missingModule } from "./missingModule";
import { nameCollision } from "./nameCollision";
import { noneInGroup } from "./noneInGroup";
import { nonFinite } from "./nonFinite";
import { notAList } from "./notAList";
import { notAwaited } from "./notAwaited";
import { noTokenIds } from "./noTokenIds";
import { dependsOnEarlierCalls, notRepeatable } from "./secondCall";
import { rowsCrash } from "./rowsCrash";
import { rowsInvalid } from "./rowsInvalid";
import { rowsRaise } from "./rowsRaise";
import { sameScores } from "./sameScores";
import { shapeMismatch } from "./shapeMismatch";
import { signature } from "./signature";
import { slowRow } from "./slowRow";
import { sparseColumn } from "./sparseColumn";
import { wrongCount } from "./wrongCount";
import { wrongType } from "./wrongType";

/** In the order in which they are told: what keeps the file from running first. */
export const CHECKS: readonly Check[] = [
  missingModule,
  missingKwargs,
  missingColumn,
  signature,
  notAwaited,
  wrongCount,
  notAList,
  wrongType,
  rowsInvalid,
  shapeMismatch,
  rowsRaise,
  rowsCrash,
  slowRow,
  nonFinite,
  labelDisagreement,
  firstItemOfText,
  noneInGroup,
  sameScores,
  dependsOnEarlierCalls,
  notRepeatable,
  changesRandomState,
  sparseColumn,
  columnCollision,
  nameCollision,
  definedTwice,
  groupSizes,
  noTokenIds,
];

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** All findings, errors first, else in the order of `CHECKS`. */
export function findAll(context: FindingContext): Finding[] {
  return CHECKS.flatMap((check) => check.run(context)).sort((a, b) => RANK[a.severity] - RANK[b.severity]);
}
