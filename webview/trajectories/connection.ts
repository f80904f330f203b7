import { type Client, createClient, type Listeners } from "../../src/protocol/rpc";
import { trajectoriesContract, type TrajectoriesContract } from "../../src/protocol/trajectories.contract";
import {
  trajectoryDataContract,
  type TrajectoryDataContract,
} from "../../src/protocol/trajectoryData.contract";
import { WatchedChannel } from "../shared/answers";
import type { Seam } from "../shared/seam";

export interface Connection {
  /** The extension host: commands, state, other editors. */
  readonly host: Client<TrajectoriesContract["methods"]>;
  /** The engine, through the host: everything about the source. */
  readonly data: Client<TrajectoryDataContract["methods"]>;
  /** Nobody answers: the extension host has ended. */
  readonly gone: WatchedChannel["gone"];
}

export function connect(
  seam: Seam,
  host: Listeners<TrajectoriesContract["events"]>,
  data: Listeners<TrajectoryDataContract["events"]>,
): Connection {
  const report = (problem: string): void => console.warn(problem);
  const channel = new WatchedChannel(seam.channel);
  return {
    host: createClient<TrajectoriesContract["methods"], TrajectoriesContract["events"]>(
      trajectoriesContract,
      channel,
      host,
      report,
    ).client,
    data: createClient<TrajectoryDataContract["methods"], TrajectoryDataContract["events"]>(
      trajectoryDataContract,
      channel,
      data,
      report,
    ).client,
    gone: channel.gone,
  };
}
