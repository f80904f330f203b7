import { labContract, type LabContract } from "../../src/protocol/lab.contract";
import { labDataContract, type LabDataContract } from "../../src/protocol/labData.contract";
import { type Client, createClient, type Listeners } from "../../src/protocol/rpc";
import { WatchedChannel } from "../shared/answers";
import type { Seam } from "../shared/seam";

export type LabClient = Client<LabContract["methods"]>;
export type LabDataClient = Client<LabDataContract["methods"]>;

export interface Connection {
  /** The extension host: document, commands, state. */
  readonly host: LabClient;
  /** The engine, through the host: rows, groups, one sample's way. */
  readonly data: LabDataClient;
  /** Nobody answers: the extension host has ended. */
  readonly gone: WatchedChannel["gone"];
}

export function connect(
  seam: Seam,
  host: Listeners<LabContract["events"]>,
  data: Listeners<LabDataContract["events"]>,
): Connection {
  const report = (problem: string): void => console.warn(problem);
  const channel = new WatchedChannel(seam.channel);
  const { client } = createClient<LabContract["methods"], LabContract["events"]>(
    labContract,
    channel,
    host,
    report,
  );
  channel.probe = () => void client.ping({}).catch(() => undefined);
  return {
    host: client,
    data: createClient<LabDataContract["methods"], LabDataContract["events"]>(
      labDataContract,
      channel,
      data,
      report,
    ).client,
    gone: channel.gone,
  };
}
