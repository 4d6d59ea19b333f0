import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isolationFragment, Ruleset, run } from '@vireo/network';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CardStore, type GuestCard } from './cards.ts';
import { networkPlan } from './index.ts';
import { RoutedNetwork } from './routedNetwork.ts';

const hasIp = await run('ip', ['-V']).then(
  () => true,
  () => false,
);
const card: GuestCard = {
  ...{ uid: 'uid-1', namespace: 'default', name: 'one', iface: 'default', hostname: 'one' },
  ...{ device: 'vt-test-none', mac: '02:00:00:00:00:07', address: '10.244.0.7', mtu: 1450 },
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-cards-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it.runIf(hasIp)('the rules of a guest do not come back while it goes', async () => {
  const cards = await CardStore.open(directory);
  await cards.put(card);
  /** As whoever follows policies does it, at any time. */
  const prepareGuest = (uid: string): void => {
    if (cards.get(uid)) ruleset.put(`guest/${uid}`, isolationFragment({ address: card.address, ingress: [] }));
  };
  const ruleset: Ruleset = new Ruleset({ table: 'vireo0', skeleton: '', nft: async () => prepareGuest(card.uid) });
  const config = { clusterCIDR: '10.244.0.0/16', serviceCIDR: '10.96.0.0/16', clusterDomain: 'cluster.local' };
  const network = new RoutedNetwork({
    node: 'here',
    plan: networkPlan('vireo0', '10.244.0.0/24', config, 1),
    owner: 'test',
    cards,
    ruleset,
    mtu: 1450,
    prepareGuest,
    hasForeignNodes: () => false,
    broughtAddress: () => undefined,
    broughtAddress6: () => undefined,
    isTakenElsewhere: () => false,
  });
  prepareGuest(card.uid);
  await ruleset.apply();
  await network.leave(card.uid);
  expect([[...ruleset.owners()], await readdir(directory)]).toEqual([[], []]);
});
