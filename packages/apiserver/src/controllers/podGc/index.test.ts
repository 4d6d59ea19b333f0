import { Node, Pod, ServiceAccount } from '@vireo/api';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, gone, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { POD_GC_USER, QUARANTINE_MS, startPodGcController } from './index.ts';

let test: TestServer;
let clock: FakeClock;
const inDefault = { namespace: 'default' };
const pods = () => test.admin.of(Pod);

beforeEach(async () => {
  test = await startServerInMemory();
  clock = new FakeClock();
  await test.admin.of(ServiceAccount).create({ metadata: { name: 'default', ...inDefault } });
  for (const name of ['n1', 'n2']) await test.admin.of(Node).create({ metadata: { name } });
  for (const [name, nodeName] of [
    ['p1', 'n1'],
    ['p2', 'n2'],
  ] as const)
    await pods().create({
      metadata: { name, ...inDefault },
      spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
    });
  test.start(POD_GC_USER, (context, signal) => startPodGcController({ ...context, clock }, signal));
});
afterEach(() => test.stop());

describe('the pod garbage collector', () => {
  it('removes the pods of a node that has gone, after a while', async () => {
    await test.admin.of(Node).delete('n1');
    await found(async () => clock.pending > 0);
    expect((await pods().get('p1', inDefault)).metadata.deletionTimestamp).toBeUndefined();
    clock.advance(QUARANTINE_MS);
    await gone(() => pods().get('p1', inDefault));
    expect((await pods().get('p2', inDefault)).metadata.name).toBe('p2');
  });

  it('keeps them when the node comes back', async () => {
    await test.admin.of(Node).delete('n1');
    await found(async () => clock.pending > 0);
    await test.admin.of(Node).create({ metadata: { name: 'n1' } });
    await test.admin.of(Node).delete('n2');
    await found(async () => clock.pending > 1);
    clock.advance(QUARANTINE_MS);
    await gone(() => pods().get('p2', inDefault));
    expect((await pods().get('p1', inDefault)).metadata.name).toBe('p1');
  });
});
