import { chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConditionDraft } from '@vireo/api/conditions.ts';
import {
  ensureWireguard,
  newWireguardKey,
  type Peer,
  type WireguardEnd,
  type WireguardProblem,
  wireguardPublicKey,
} from '@vireo/network';
import { replaceFile } from '../replaceFile.ts';

/** Whether packets of guests to other nodes are encrypted; on Nodes that have others. */
export const ENCRYPTION_CONDITION = 'GuestTrafficEncrypted';

/** This node's end of WireGuard, or why it has none. */
export type Wireguard = WireguardEnd | WireguardProblem;

/** Starts WireGuard where the host has it. `keyFile`: where its private key is kept; it is made if missing. */
export async function startWireguard(
  name: string,
  { keyFile, mtu }: { readonly keyFile: string; readonly mtu: number },
): Promise<Wireguard> {
  const publicKey = wireguardPublicKey(await readOrMakeKey(keyFile));
  const port = await ensureWireguard(name, { keyFile, mtu });
  return typeof port === 'number' ? { publicKey, port } : port;
}

async function readOrMakeKey(file: string): Promise<string> {
  const found = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  if (found) {
    await chmod(file, 0o600);
    return found.trim();
  }
  const key = newWireguardKey();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, `${key}\n`, { flush: true });
  return key;
}

/** How many nodes a message names. */
const MOST_NAMES = 3;

/** What a node says of its packets to others: nothing if there are none. */
export function encryptionCondition(
  own: Wireguard,
  peers: ReadonlyMap<string, Pick<Peer, 'wireguard'>>,
): ConditionDraft | undefined {
  if (peers.size === 0) return undefined;
  const type = ENCRYPTION_CONDITION;
  if (!('publicKey' in own)) {
    const message = `traffic of guests to other nodes is not encrypted: ${own.message}`;
    return { type, status: 'False', reason: own.reason, message };
  }
  const open = [...peers].filter(([, { wireguard }]) => !wireguard).map(([name]) => name);
  if (open.length === 0) {
    const message = 'traffic of guests to other nodes is encrypted by WireGuard';
    return { type, status: 'True', reason: 'WireGuard', message };
  }
  const names = open.sort().slice(0, MOST_NAMES).join(', ');
  const more = open.length > MOST_NAMES ? ` and ${open.length - MOST_NAMES} more` : '';
  const message = `traffic of guests to ${names}${more} is not encrypted: the other side has no WireGuard`;
  return { type, status: 'False', reason: 'PeersWithoutWireGuard', message };
}
