import { labContract, type LabContract } from "../../src/protocol/lab.contract";
import { labDataContract, type LabDataContract } from "../../src/protocol/labData.contract";
import { type Client, createClient, type Listeners } from "../../src/protocol/rpc";
import type { Seam } from "../shared/seam";

export type LabClient = Client<LabContract["methods"]>;
export type LabDataClient = Client<LabDataContract["methods"]>;

export interface Connection {
  /** The extension host: document, commands, state. */
  readonly host: LabClient;
  /** The engine, through the host: rows, groups, one sample's way. */
  readonly data: LabDataClient;
}

export function connect(
  seam: Seam,
  host: Listeners<LabContract["events"]>,
  data: Listeners<LabDataContract["events"]>,
): Connection {
  const report = (problem: string): void => console.warn(problem);
  return {
    host: createClient<LabContract["methods"], LabContract["events"]>(labContract, seam.channel, host, report)
      .client,
    data: createClient<LabDataContract["methods"], LabDataContract["events"]>(
      labDataContract,
      seam.channel,
      data,
      report,
    ).client,
  };
}
