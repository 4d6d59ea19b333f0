import type { Connection } from '../connection.ts';
import { answeringAddress } from '../reach/openGuestPort.ts';
import type { DirectWay } from './localClient.ts';
import type { SshTarget } from './target.ts';

/** The way to a guest whose ssh port answers this host; undefined where ssh goes through the API. */
export async function directWay(
  connection: Connection,
  target: SshTarget,
  port: number,
  hostKeyAlias: string,
): Promise<DirectWay | undefined> {
  const address = await answeringAddress(connection, target, port);
  return address === undefined ? undefined : { address, hostKeyAlias };
}
