import { createPrivateKey, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadKubeconfig, writeKubeconfig } from '@vireo/kube';
import { newKey } from '@vireo/kube/certificates/request.ts';
import { readIfThere, writeAtomically } from '@vireo/kube/files.ts';
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

/**
 * The key of a host that joins. It is the same for both certificates and for each try, because the cluster tells by it
 * that no other host has taken the name meanwhile.
 */
export async function joiningKey(home: string): Promise<KeyObject> {
  const { joiningKey: path, pki } = nodeFiles(home);
  const kept = await readIfThere(path);
  if (kept !== undefined) return createPrivateKey(kept);
  const key = newKey();
  await mkdir(pki, { recursive: true, mode: 0o700 });
  await writeAtomically(path, key.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600);
  return key;
}

/** Token and key are of no use once the node has its certificates, and whoever reads the token could join with it. */
export async function forgetJoining(home: string): Promise<void> {
  const { bootstrapKubeconfig, joiningKey } = nodeFiles(home);
  for (const file of [bootstrapKubeconfig, joiningKey]) await rm(file, { force: true });
}
