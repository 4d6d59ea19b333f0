import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Node } from '@vireo/api';
import { wireguardPublicKey } from '@vireo/network';
import { expect, it } from 'vitest';
import { announcementPatch } from './announce.ts';
import { encryptionCondition, startWireguard } from './encryption.ts';

const own = { publicKey: 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=', port: 51_820 };
const none = { reason: 'NoWireGuard', message: 'the kernel has no WireGuard' };
const peers = (...names: string[]) =>
  new Map(names.map((name) => [name, name.startsWith('open') ? {} : { wireguard: own }]));

it.each([
  ['there is no other node', own, peers(), undefined],
  ['all have WireGuard', own, peers('a', 'b'), ['True', 'WireGuard', 'is encrypted by WireGuard']],
  ['one has not', own, peers('a', 'open-b'), ['False', 'PeersWithoutWireGuard', 'to open-b is not encrypted']],
  [
    'many have not',
    own,
    peers('open-1', 'open-2', 'open-3', 'open-4', 'open-5'),
    ['False', 'PeersWithoutWireGuard', 'to open-1, open-2, open-3 and 2 more is not encrypted'],
  ],
  ['this node has not', none, peers('a'), ['False', 'NoWireGuard', 'not encrypted: the kernel has no WireGuard']],
] as const)('a Node says whether its packets to others are encrypted: %s', (_, wireguard, others, expected) => {
  const condition = encryptionCondition(wireguard, others);
  if (!expected) return expect(condition).toBeUndefined();
  const [status, reason, message] = expected;
  expect(condition).toMatchObject({ type: 'GuestTrafficEncrypted', status, reason });
  expect(condition?.message).toContain(message);
});

const node = (annotations: Record<string, string>): Pick<Node, 'metadata'> => ({ metadata: { annotations } });
const announced = {
  'vireo.dev/pod-network': 'routed',
  'vireo.dev/wireguard-public-key': own.publicKey,
  'vireo.dev/wireguard-port': '51820',
};

it('a Node announces what others have to know, and withdraws it', () => {
  expect(announcementPatch(node({}), { isRouted: true, wireguard: own })).toEqual(announced);
  expect(announcementPatch(node(announced), { isRouted: true, wireguard: own })).toEqual({});
  expect(announcementPatch(node({}), { isRouted: false })).toEqual({});
  expect(announcementPatch(node({ ...announced, other: 'kept' }), { isRouted: false })).toEqual({
    'vireo.dev/pod-network': null,
    'vireo.dev/wireguard-public-key': null,
    'vireo.dev/wireguard-port': null,
  });
});

it('the private key stays the same, and nobody else can read it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-wireguard-'));
  try {
    const keyFile = join(directory, 'network', 'wireguard.key');
    // The name is too long for a device: none is made, here or elsewhere.
    const start = () => startWireguard('not-the-name-of-a-device', { keyFile, mtu: 1420 }).catch(() => undefined);
    await start();
    const key = await readFile(keyFile, 'utf8');
    expect(wireguardPublicKey(key.trim())).toMatch(/=$/);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    await start();
    expect(await readFile(keyFile, 'utf8')).toBe(key);
  } finally {
    await rm(directory, { recursive: true });
  }
});
