import { Event, Node, Pod } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import {
  ORPHANS_ANNOTATION,
  RESTORE_CONFIRMED_ANNOTATION,
  RESTORED_ANNOTATION,
  STOP_ORPHANS_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/restored.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorVm } from './testing/vms.ts';

let cluster: TestCluster;
const at = { namespace: NAMESPACE };
const RESTORED = '2026-01-02T00:00:00Z backup=2026-01-01T00:00:00Z';

beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster?.close());

const annotate = (annotations: Record<string, string>) =>
  cluster.admin.of(KubeVirt).patch('kubevirt', { metadata: { annotations } }, { namespace: 'kubevirt', type: 'merge' });
const start = (name: string) => cluster.admin.of(VirtualMachine).create(bootSectorVm(name));
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 100 });

/** Has the server forget a VM that runs, as one that was restored from a backup of earlier never knew it. */
async function forget(name: string): Promise<void> {
  const { admin } = cluster;
  const finalizers = { metadata: { finalizers: null } };
  await admin.of(VirtualMachine).patch(name, finalizers, { ...at, type: 'merge' });
  await admin.of(VirtualMachine).delete(name, { ...at, propagationPolicy: 'Orphan' });
  await admin.of(VirtualMachineInstance).patch(name, finalizers, { ...at, type: 'merge' });
  await admin.of(VirtualMachineInstance).delete(name, at);
  const { items } = await admin.of(Pod).list({ ...at, labelSelector: `vm.kubevirt.io/name=${name}` });
  for (const { metadata } of items) await admin.of(Pod).delete(metadata.name, { ...at, gracePeriodSeconds: 0 });
  await cluster.vmis.gone(name);
}

it('guests that a restored server does not know are left alone and reported, and nothing starts until it is confirmed', async () => {
  await Promise.all([start('known'), start('newer')]);
  await cluster.vmis.until('known', isRunning);
  const { metadata } = await cluster.vmis.until('newer', isRunning);
  const guests = await cluster.guests();
  expect(guests).toHaveLength(2);
  await cluster.stopNode();
  await forget('newer');
  await annotate({ [RESTORED_ANNOTATION]: RESTORED });
  await cluster.restartNode();

  const nodes = cluster.admin.of(Node);
  await eventually(async () => {
    const node = await nodes.get('node-1');
    expect(JSON.parse(node.metadata.annotations?.[ORPHANS_ANNOTATION] ?? '[]')).toEqual([
      { key: `${NAMESPACE}/newer`, uid: metadata.uid },
    ]);
  });
  const { items } = await cluster.admin.of(Event).list();
  expect(items.find(({ reason }) => reason === 'OrphanedGuests')?.message).toContain(`run here: ${NAMESPACE}/newer.`);
  await start('later');
  const held = await cluster.vmis.until(
    'later',
    ({ status }) => status?.conditions?.some(({ reason }) => reason === 'StartsHeld') ?? false,
  );
  expect(held.status?.conditions?.find(({ reason }) => reason === 'StartsHeld')?.message).toContain(
    'restored from a backup of 2026-01-01T00:00:00Z',
  );
  expect(await cluster.guests()).toEqual(guests);

  const stop = { metadata: { annotations: { [STOP_ORPHANS_ANNOTATION]: metadata.uid } } };
  await nodes.patch('node-1', stop, { type: 'merge' });
  await eventually(async () => expect(await cluster.guests()).toHaveLength(1));
  await eventually(async () => {
    expect((await nodes.get('node-1')).metadata.annotations?.[ORPHANS_ANNOTATION]).toBeUndefined();
  });
  await annotate({ [RESTORE_CONFIRMED_ANNOTATION]: RESTORED });
  await cluster.vmis.until('later', isRunning);
  expect(isRunning((await cluster.admin.of(VirtualMachineInstance).get('known', at)) as never)).toBe(true);
});
