import { Event, Node } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NetworkRanges } from '../../networkRanges.ts';
import { found, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { NODE_IPAM_USER, startNodeIpamController } from './index.ts';

let test: TestServer;
const nodes = () => test.admin.of(Node);
const create = (name: string, spec = {}) => nodes().create({ metadata: { name }, spec });
const rangeOf = (name: string) => found(async () => (await nodes().get(name)).spec?.podCIDR);

const ranges: NetworkRanges = { clusterCIDR: '10.244.0.0/23', nodeCIDRMaskSize: 24, serviceCIDR: '10.96.0.0/16' };
const start = (more: Partial<NetworkRanges> = {}) =>
  test.start(NODE_IPAM_USER, (context, signal) =>
    startNodeIpamController({ ...context, ranges: { ...ranges, ...more } }, signal),
  );

beforeEach(async () => {
  test = await startServerInMemory();
  await create('kept', { podCIDR: '10.244.0.0/24', podCIDRs: ['10.244.0.0/24'] });
});
afterEach(() => test.stop());

describe('a Node', () => {
  it('gets a range that no other has, once there is one', async () => {
    start();
    await create('a');
    expect(await rangeOf('a')).toBe('10.244.1.0/24');
    expect((await nodes().get('a')).spec?.podCIDRs).toEqual(['10.244.1.0/24']);
    await create('b');
    const event = await found(async () =>
      (await test.admin.of(Event).list()).items.find(({ reason }) => reason === 'CIDRNotAvailable'),
    );
    expect(event).toMatchObject({
      involvedObject: { kind: 'Node', name: 'b' },
      message: 'Node b status is now: CIDRNotAvailable',
    });
    await nodes().delete('kept');
    expect(await rangeOf('b')).toBe('10.244.0.0/24');
  });

  it('gets a range of each family, and keeps the one that it has', async () => {
    start({ clusterCIDRv6: 'fd00::/63' });
    await create('a');
    await rangeOf('a');
    expect((await nodes().get('a')).spec?.podCIDRs).toEqual(['10.244.1.0/24', 'fd00::/64']);
    expect((await nodes().get('kept')).spec?.podCIDRs).toEqual(['10.244.0.0/24']);
    await create('b');
    await nodes().delete('a');
    await rangeOf('b');
    expect((await nodes().get('b')).spec?.podCIDRs).toEqual(['10.244.1.0/24', expect.stringMatching(/^fd00:.*\/64$/)]);
  });
});
