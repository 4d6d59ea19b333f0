import { type Event, Event as EventKind, Pod } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorVm } from './testing/vms.ts';

let cluster: TestCluster;
const at = { namespace: NAMESPACE };

beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster?.close());

async function start(name: string): Promise<Vmi> {
  await cluster.admin.of(VirtualMachine).create(bootSectorVm(name));
  return cluster.vmis.until(name, isRunning) as Promise<Vmi>;
}
async function remove(name: string): Promise<void> {
  await cluster.admin.of(VirtualMachine).delete(name, at);
  await cluster.vms.gone(name);
}
async function launcher(): Promise<Pod> {
  const { items } = await cluster.admin.of(Pod).list({ ...at, labelSelector: 'kubevirt.io=virt-launcher' });
  expect(items).toHaveLength(1);
  return items[0]!;
}
const deleteLauncher = async (gracePeriodSeconds?: number): Promise<Pod> => {
  const pod = await launcher();
  await cluster.admin
    .of(Pod)
    .delete(pod.metadata.name!, { ...at, ...(gracePeriodSeconds === 0 && { gracePeriodSeconds }) });
  return pod;
};
const patchStatus = (vmi: Vmi, status: object) =>
  cluster.admin.of(VirtualMachineInstance).patch(vmi.metadata.name, { status }, { ...at, type: 'merge' });
const events = async (reason: string): Promise<Event[]> =>
  (await cluster.admin.of(EventKind).list(at)).items.filter((event) => event.reason === reason);
/** Waits until the guest's new launcher runs. */
const adopted = (old: Pod) =>
  vi.waitFor(
    async () => {
      const pod = await launcher();
      expect(pod.metadata.uid).not.toBe(old.metadata.uid);
      expect(pod.spec?.nodeName).toBe('node-1');
      expect(pod.status?.phase).toBe('Running');
      return pod;
    },
    { timeout: 30_000, interval: 200 },
  );

it('a launcher that is deleted by force while the agent is away stops no guest, and is made anew', async () => {
  const before = await start('away');
  const guests = await cluster.guests();
  await cluster.stopNode();
  const old = await deleteLauncher(0);
  await cluster.restartNode();
  const pod = await adopted(old);
  expect(await cluster.guests()).toEqual(guests);
  const vmi = await cluster.vmis.until('away', ({ status }) => status?.activePods?.[pod.metadata.uid!] === 'node-1');
  expect(vmi.metadata.uid).toBe(before.metadata.uid);
  expect(Object.keys(vmi.status?.activePods ?? {})).toEqual([pod.metadata.uid]);
  await cluster.vmis.until('away', ({ status }) =>
    (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  );
  await remove('away');
  expect(await cluster.guests()).toEqual([]);
});

it('a launcher that is deleted while its node is silent goes without its guest', async () => {
  const before = await start('silent');
  const guests = await cluster.guests();
  await cluster.stopNode();
  await patchStatus(before, { phase: 'Unknown', reason: 'NodeUnresponsive' });
  const old = await deleteLauncher();
  await cluster.restartNode();
  await adopted(old);
  const vmi = await cluster.vmis.until('silent', isRunning);
  expect(vmi.status?.reason).toBeUndefined();
  expect(vmi.metadata.uid).toBe(before.metadata.uid);
  expect(await cluster.guests()).toEqual(guests);
  await vi.waitFor(async () => expect(await events('NodeResponsive')).toHaveLength(1));
  await remove('silent');
});

it('a launcher that is deleted by force while the agent listens takes its guest along', async () => {
  const before = await start('listening');
  await deleteLauncher(0);
  const after = await cluster.vmis.until(
    'listening',
    (vmi) => isRunning(vmi) && vmi.metadata.uid !== before.metadata.uid,
  );
  expect(after.status?.phase).toBe('Running');
  expect(await cluster.guests()).toHaveLength(1);
  await remove('listening');
});

it('an agent that comes back ends the guests that were given up, before the node is ready', async () => {
  const before = await start('given-up');
  await cluster.stopControllers();
  await cluster.stopNode();
  await patchStatus(before, { phase: 'Failed', reason: 'NodeOutOfService' });
  expect(await cluster.guests()).toHaveLength(1);
  await cluster.restartNode();
  expect(await cluster.guests()).toEqual([]);
});
