import type { LabDetail, LabGroups, LabPage, LabQuery, LabFlips, LabPictures } from "../../schema/lab";
import type { SampleLabel } from "../../schema/label";
import { RewardsmithError } from "../../base/errors";
import type { LabSource } from "./source";

/** Labels as the Lab sees them: by row of the present table. `revision` changes whenever one does. */
export interface RowLabels {
  readonly revision: number;
  of(row: number): SampleLabel | null;
}

type Weights = LabQuery["weights"];

/** Answers about one moment of a session; keeps what is costly until the moment has passed. */
export class LabTable {
  page(
    _source: LabSource,
    _labels: RowLabels,
    _seq: number,
    _query: LabQuery,
    _from: number,
    _count: number,
  ): LabPage {
    throw new RewardsmithError("Internal", "not built yet");
  }
  find(_source: LabSource, _labels: RowLabels, _query: LabQuery, _row: number): number | null {
    throw new RewardsmithError("Internal", "not built yet");
  }
  copy(
    _source: LabSource,
    _labels: RowLabels,
    _query: LabQuery,
    _form: "markdown" | "csv",
    _limit: number,
  ): { text: string; rows: number } {
    throw new RewardsmithError("Internal", "not built yet");
  }
  groups(
    _source: LabSource,
    _labels: RowLabels,
    _seq: number,
    _ask: {
      filter: string;
      weights: Weights;
      sort: "file" | "mean" | "std" | "size";
      descending: boolean;
      from: number;
      count: number;
    },
  ): LabGroups {
    throw new RewardsmithError("Internal", "not built yet");
  }
  detail(
    _source: LabSource,
    _labels: RowLabels,
    _seq: number,
    _ask: { row: number; weights: Weights; maxText: number },
  ): LabDetail {
    throw new RewardsmithError("Internal", "not built yet");
  }
  flips(_source: LabSource, _seq: number, _from: number, _count: number): LabFlips {
    throw new RewardsmithError("Internal", "not built yet");
  }
  pictures(_source: LabSource, _seq: number, _weights: Weights, _points: number): LabPictures {
    throw new RewardsmithError("Internal", "not built yet");
  }
}
