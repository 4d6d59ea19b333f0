import { Event, Node, PersistentVolumeClaim, Pod, ServiceAccount, StorageClass } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, startServerInMemory, type TestServer } from '../testing/controllers.ts';
import { SCHEDULER_USER, startScheduler } from './index.ts';

let test: TestServer;
const inDefault = { namespace: 'default' };
const pods = () => test.admin.of(Pod);
const nodes = () => test.admin.of(Node);

async function makeNode(name: string, cpu: string, labels: Record<string, string> = {}): Promise<void> {
  await nodes().create({ metadata: { name, labels } });
  // New nodes are admitted with a taint that the node controller lifts; it does not run here.
  await nodes().patch(name, { spec: { taints: null } }, { type: 'merge' });
  await nodes().patchStatus(name, { status: { allocatable: { cpu, memory: '8Gi', pods: '110' } } }, { type: 'merge' });
}
const makePod = (name: string, cpu: string, spec: Partial<NonNullable<Pod['spec']>> = {}) =>
  pods().create({
    metadata: { name, ...inDefault },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...spec },
  });
const nodeOf = (name: string) => found(async () => (await pods().get(name, inDefault)).spec?.nodeName);
const complaint = (name: string) =>
  found(async () => {
    const { status } = await pods().get(name, inDefault);
    return status?.conditions?.find((each) => each.type === 'PodScheduled' && each.status === 'False');
  });

beforeEach(async () => {
  test = await startServerInMemory();
  await test.admin.of(ServiceAccount).create({ metadata: { name: 'default', ...inDefault } });
  test.start(SCHEDULER_USER, startScheduler);
});
afterEach(() => test.stop());

describe('the scheduler', () => {
  it('binds a pod and says so', async () => {
    await makeNode('n1', '4');
    await makePod('p', '1');
    expect(await nodeOf('p')).toBe('n1');
    const event = await found(async () =>
      (await test.admin.of(Event).list(inDefault)).items.find(({ reason }) => reason === 'Scheduled'),
    );
    expect(event.message).toBe('Successfully assigned default/p to n1');
  });

  it('never places more than fits, however many come at once', async () => {
    await makeNode('n1', '2');
    await makeNode('n2', '2');
    const names = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(names.map((name) => makePod(name, '1')));
    const placed = await found(async () => {
      const { items } = await pods().list(inDefault);
      const settled = items.filter(
        ({ spec, status }) => spec?.nodeName || status?.conditions?.some(({ status: is }) => is === 'False'),
      );
      return settled.length === names.length && settled.flatMap(({ spec }) => spec?.nodeName ?? []);
    });
    expect(placed.toSorted()).toEqual(['n1', 'n1', 'n2', 'n2']);
  });

  it('says why a pod waits, and places it when room appears', async () => {
    await makeNode('n1', '2');
    await makePod('first', '2');
    await nodeOf('first');
    await makePod('second', '1');
    expect(await complaint('second')).toMatchObject({
      reason: 'Unschedulable',
      message:
        '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod. ' +
        'It requests 1 of cpu; at most 0 is free on any node.',
    });
    await pods().delete('first', { ...inDefault, gracePeriodSeconds: 0 });
    expect(await nodeOf('second')).toBe('n1');
  });

  it('places a waiting pod on a node that comes later', async () => {
    await makePod('p', '1', { nodeSelector: { disk: 'ssd' } });
    expect((await complaint('p')).message).toBe('no nodes available to schedule pods');
    await makeNode('n1', '4');
    await makeNode('n2', '4', { disk: 'ssd' });
    expect(await nodeOf('p')).toBe('n2');
  });

  it('tells a late claim its node and waits for its volume', async () => {
    await makeNode('n1', '4');
    await test.admin.of(StorageClass).create({
      metadata: { name: 'late' },
      provisioner: 'example.com/disk',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    const claims = test.admin.of(PersistentVolumeClaim);
    await claims.create({
      metadata: { name: 'data', ...inDefault },
      spec: { storageClassName: 'late', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await makePod('p', '1', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });
    const claim = await found(async () => {
      const current = await claims.get('data', inDefault);
      return current.metadata.annotations?.['volume.kubernetes.io/selected-node'] === 'n1' && current;
    });
    expect((await pods().get('p', inDefault)).spec?.nodeName).toBeUndefined();
    await claims.patch('data', { spec: { volumeName: `pv-${claim.metadata.name}` } }, { ...inDefault, type: 'merge' });
    expect(await nodeOf('p')).toBe('n1');
  });

  it('leaves gated pods and those of other schedulers alone, until the gates open', async () => {
    await makeNode('n1', '4');
    await makePod('gated', '1', { schedulingGates: [{ name: 'example.com/wait' }] });
    await makePod('foreign', '1', { schedulerName: 'other' });
    expect(await complaint('gated')).toMatchObject({ reason: 'SchedulingGated' });
    await makePod('plain', '1');
    await nodeOf('plain');
    expect((await pods().get('foreign', inDefault)).spec?.nodeName).toBeUndefined();
    await pods().patch('gated', { spec: { schedulingGates: null } }, { ...inDefault, type: 'merge' });
    expect(await nodeOf('gated')).toBe('n1');
  });
});
