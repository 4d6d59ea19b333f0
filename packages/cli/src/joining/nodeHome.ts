import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadKubeconfig, writeKubeconfig } from '@vireo/kube';
import { writeAtomically } from '@vireo/kube/files.ts';
import { type BootstrapToken, bootstrapTokenText } from '@vireo/kube/joining/bootstrapToken.ts';
import { errorCode, Failure } from '../failure.ts';
import type { DiscoveredServer } from './discover.ts';
import { nodeFiles } from './nodeFiles.ts';

/** What the home of a node remembers beside its certificates. */
export interface NodeRecord {
  /** The node that the certificates are for. */
  readonly name: string;
}

/** What is known of the node of a home; undefined where it has not joined. */
export async function readNodeRecord(home: string): Promise<NodeRecord | undefined> {
  try {
    const value = JSON.parse(await readFile(nodeFiles(home).record, 'utf8')) as Partial<NodeRecord>;
    return typeof value.name === 'string' ? { name: value.name } : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export const writeNodeRecord = (home: string, record: NodeRecord): Promise<void> =>
  writeAtomically(nodeFiles(home).record, `${JSON.stringify(record)}\n`, 0o600);

/** A home is a server's or a node's. */
export function refuseServerHome(home: string): void {
  if (!existsSync(join(home, 'store.db'))) return;
  throw new Failure(
    `the home ${home} belongs to a server of its own, which is a node already`,
    'Use another home for the node of another cluster: --home DIRECTORY',
  );
}

/** Remembers where the server is, with a token until the node has certificates. */
export async function writeServer(home: string, server: DiscoveredServer, token?: BootstrapToken): Promise<void> {
  const files = nodeFiles(home);
  const config = { server: server.server, certificateAuthority: server.caPem };
  await writeKubeconfig(files.kubeconfig, config);
  if (token) await writeKubeconfig(files.bootstrapKubeconfig, { ...config, token: bootstrapTokenText(token) });
}

/** The server that the home knows; undefined before it has joined. */
export async function readServer(home: string): Promise<DiscoveredServer | undefined> {
  const { kubeconfig } = nodeFiles(home);
  if (!existsSync(kubeconfig)) return undefined;
  const { server, certificateAuthority } = await loadKubeconfig({ path: kubeconfig });
  return { server, caPem: certificateAuthority?.toString() ?? '' };
}

/** The token is of no use any more, and whoever reads it could join with it. */
export const forgetToken = (home: string): Promise<void> => rm(nodeFiles(home).bootstrapKubeconfig, { force: true });
