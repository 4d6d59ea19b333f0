import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { batch, readLinks, removeLink } from './links.ts';
import { CommandError, isMissingProgram, run } from './run.ts';
import { cidr, device, ipv4, port, wireguardKey } from './text.ts';

/** A node's end of WireGuard, as it publishes it. */
export interface WireguardEnd {
  readonly publicKey: string;
  readonly port: number;
}

/** A node that packets travel to and from encrypted. */
export interface WireguardPeer extends WireguardEnd {
  readonly underlay: string;
  /** What it may send from, and what is sent to it. */
  readonly ranges: readonly string[];
}

/** WireGuard's usual port, and the ones to take where another program or home of this host has it. */
export const WIREGUARD_PORTS: readonly number[] = Array.from({ length: 16 }, (_, step) => 51_820 + step);

/** Before the 32 bytes of an X25519 key in PKCS #8. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** Makes a private key. */
export function newWireguardKey(): string {
  const { privateKey } = generateKeyPairSync('x25519');
  const bytes = privateKey.export({ format: 'der', type: 'pkcs8' });
  return bytes.subarray(-32).toString('base64');
}

/** The public key of a private one. */
export function wireguardPublicKey(privateKey: string): string {
  const der = Buffer.concat([PKCS8_HEAD, Buffer.from(wireguardKey(privateKey), 'base64')]);
  const { x = '' } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  });
  return Buffer.from(x, 'base64url').toString('base64');
}

/** Why packets between nodes are not encrypted, in a word and in a sentence. */
export interface WireguardProblem {
  readonly reason: string;
  readonly message: string;
}

/** What a failed attempt to make WireGuard's device says; undefined if it is about something else. */
export function wireguardProblem(error: unknown): WireguardProblem | undefined {
  if (!(error instanceof CommandError)) return undefined;
  if (error.command.startsWith('wg ') && isMissingProgram(error))
    return { reason: 'NoWireGuardTools', message: 'the program wg is missing; install the package wireguard-tools' };
  if (/unknown device type|not supported/i.test(error.stderr))
    return { reason: 'NoWireGuard', message: 'the kernel has no WireGuard' };
  return undefined;
}

/**
 * Makes WireGuard's device, or what is missing of it, and returns the port at which it listens. Where this host has no
 * WireGuard, it returns why. `keyFile`: the private key.
 */
export async function ensureWireguard(
  name: string,
  { keyFile, mtu }: { readonly keyFile: string; readonly mtu: number },
): Promise<number | WireguardProblem> {
  const isThere = (await readLinks()).some(({ ifname }) => ifname === device(name));
  try {
    if (!isThere) await batch([`link add ${name} type wireguard`]);
    const before = isThere ? Number(await run('wg', ['show', name, 'listen-port'])) : 0;
    return await listen(name, keyFile, mtu, before);
  } catch (error) {
    const problem = wireguardProblem(error);
    if (!problem) throw error;
    if (!isThere) await removeLink(name);
    return problem;
  }
}

/** Takes the port that the device had, else the first that is free. */
async function listen(name: string, keyFile: string, mtu: number, before: number): Promise<number> {
  const isUp = WIREGUARD_PORTS.includes(before);
  const ports = isUp ? [before] : WIREGUARD_PORTS;
  for (const [index, candidate] of ports.entries()) {
    try {
      await run('wg', ['set', name, 'private-key', keyFile, ...(isUp ? [] : ['listen-port', String(candidate)])]);
      await batch([`link set ${name} mtu ${mtu} up`]);
      return candidate;
    } catch (error) {
      const isLast = index === ports.length - 1;
      if (isLast || !(error instanceof CommandError) || !/in use/i.test(error.stderr)) throw error;
    }
  }
  throw new Error('there is at least one port');
}

/** The words of `wg` that make a node known: it may send from its ranges only, whatever it claims. */
export const wireguardPeerWords = (name: string, peer: WireguardPeer): string[] => [
  ...['set', device(name), 'peer', wireguardKey(peer.publicKey)],
  ...['endpoint', `${ipv4(peer.underlay)}:${port(peer.port)}`],
  ...['allowed-ips', peer.ranges.map(cidr).join(',')],
];

/** Makes a node known; it has no ranges but these from then on. */
export const setWireguardPeer = async (name: string, peer: WireguardPeer): Promise<void> => {
  await run('wg', wireguardPeerWords(name, peer));
};

/** Forgets a node. One that is not known is no error. */
export const unsetWireguardPeer = async (name: string, publicKey: string): Promise<void> => {
  await run('wg', ['set', device(name), 'peer', wireguardKey(publicKey), 'remove']);
};

/** The public keys of the nodes that a device knows. */
export const readWireguardPeers = async (name: string): Promise<string[]> =>
  (await run('wg', ['show', device(name), 'peers'])).split('\n').filter((line) => line !== '');
