import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { networksAtStart, readNetworks, writeNetworks } from './connectedNetworks.ts';

it('the networks of cards are kept on disk', async () => {
  const directory = await mkdtemp('/tmp/vireo-networks-');
  try {
    expect(await readNetworks(directory)).toEqual(new Map());
    const networks = new Map([['lab', 'shop/lab']]);
    await writeNetworks(directory, networks);
    expect(await readNetworks(directory)).toEqual(networks);
    await writeFile(join(directory, 'networks.json'), '{"lab":');
    expect(await readNetworks(directory)).toEqual(new Map());
  } finally {
    await rm(directory, { recursive: true });
  }
});

it('a VMI is started on the networks of the cards that it has', () => {
  const networks = [
    { name: 'default', pod: {} },
    { name: 'lab', multus: { networkName: 'shop/lab' } },
    { name: 'gone', multus: { networkName: 'gone' } },
  ];
  const interfaces = [{ name: 'default' }, { name: 'lab' }, { name: 'gone', state: 'absent' }];
  const vmi = vmiIn('Scheduled', {}, { networks, domain: { devices: { interfaces } } });
  expect(networksAtStart(vmi)).toEqual(new Map([['lab', 'shop/lab']]));
});
