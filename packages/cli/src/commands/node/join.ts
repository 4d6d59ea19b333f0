import type { BootstrapToken } from '@vireo/kube/joining/bootstrapToken.ts';
import { Failure } from '../../failure.ts';
import { discover, serverUrl } from '../../joining/discover.ts';
import { readNodeRecord, readServer, refuseServerHome, writeServer } from '../../joining/nodeHome.ts';
import { prepareHome } from '../../prepareHome.ts';
import { DETACHED } from '../../starter.ts';
import { type NodeCommandOptions, node } from './node.ts';

export interface JoinOptions extends Omit<NodeCommandOptions, 'kubeconfig'> {
  /** `HOST:PORT` of the server. */
  readonly serverAddress: string;
  readonly token?: BootstrapToken;
  /** Of the server's authority, as kubeadm writes them. */
  readonly caCertHash: readonly string[];
}

/** Learns of a server that can be trusted, and runs this host as a node of its cluster. */
export async function join({ serverAddress: address, token, caCertHash, ...options }: JoinOptions): Promise<void> {
  const { home } = options;
  prepareHome(home);
  refuseServerHome(home);
  const joined = await readNodeRecord(home);
  if (token) {
    // In the background this process has been told already.
    if (process.env[DETACHED] === undefined) {
      const server = await discover({ address, token, caCertHashes: caCertHash });
      await writeServer(home, server, token);
    }
  } else if (joined) await moveServer(home, address);
  else
    throw new Failure(
      'this host has not joined before, and --token is missing',
      'Run `vireo token create` on the first host, and here the line that it prints.',
    );
  await node(options);
}

/** A server that has moved has another address and the same authority, which is checked at each connection. */
async function moveServer(home: string, address: string): Promise<void> {
  const known = await readServer(home);
  if (known) await writeServer(home, { ...known, server: serverUrl(address) });
}
