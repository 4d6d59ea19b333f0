import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Pod } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ApiClient } from './testing/apiClient.ts';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { processRights } from './testing/processStatus.ts';
import { bootSectorVm } from './testing/vms.ts';

let cluster: TestCluster;
let api: ApiClient;

beforeAll(async () => {
  cluster = await startTestCluster();
  api = await ApiClient.listen(() => cluster.node, cluster.layout.run);
});
afterAll(async () => {
  await api?.[Symbol.asyncDispose]();
  await cluster?.close();
});

const at = { namespace: NAMESPACE };

async function start(name: string): Promise<VirtualMachineInstance> {
  await cluster.admin.of(VirtualMachine).create(bootSectorVm(name));
  return cluster.vmis.until(name, isRunning);
}

async function remove(name: string): Promise<void> {
  await cluster.admin.of(VirtualMachine).delete(name, at);
  await cluster.vms.gone(name);
}

async function echoes(name: string): Promise<void> {
  const stream = await api.open(name, 'console');
  stream.send('still here');
  await stream.until('still here');
  stream.socket.close();
  await stream.closed;
}

/** Waits until only these have files. */
const filesAreOf = (...uids: string[]) =>
  vi.waitFor(
    async () => {
      expect((await readdir(cluster.layout.vmis)).sort()).toEqual(uids.sort());
      expect((await readdir(join(cluster.layout.run, 'machines'))).sort()).toEqual(uids.sort());
    },
    { timeout: 20_000 },
  );

/** So earlier versions ran guests, and so does whoever needs it. */
const runAsRoot = (isWanted: boolean) =>
  cluster.admin
    .of(KubeVirt)
    .patch(
      'kubevirt',
      { spec: { configuration: { developerConfiguration: { featureGates: isWanted ? ['Root'] : null } } } },
      { namespace: KUBEVIRT_NAMESPACE, type: 'merge' },
    );
const usersOfGuests = async (): Promise<number[]> => {
  const rights = await Promise.all((await cluster.guests()).map(processRights));
  return rights.map(({ uids }) => uids[0] ?? -1);
};

it('guests outlive the agent, and the next one takes them over, also those that run as root', async () => {
  await runAsRoot(true);
  // It has read the settings when it is up.
  await cluster.restartNode();
  await start('kept');
  expect(await usersOfGuests()).toEqual([process.getuid?.()]);
  await runAsRoot(false);
  const guests = await cluster.guests();
  expect(guests).toHaveLength(1);
  await cluster.restartNode();
  await echoes('kept');
  const screen = await api.open('kept', 'vnc');
  await screen.until('RFB 003.008');
  screen.socket.close();
  expect(await cluster.guests()).toEqual(guests);
});

it('a guest that died while the agent was down is started again', async () => {
  const { metadata } = await cluster.vmis.until('kept');
  const [pid = 0] = await cluster.guests();
  await cluster.stopNode();
  process.kill(pid, 'SIGKILL');
  await cluster.restartNode();
  const vmi = await cluster.vmis.until('kept', (each) => isRunning(each) && each.metadata.uid !== metadata.uid);
  await filesAreOf(vmi.metadata.uid);
  // Whatever it was before.
  const [user = -1] = await usersOfGuests();
  expect(vmi.status?.runtimeUser).toBe(user);
  if (cluster.layout.isRoot) expect(user).toBeGreaterThan(1_000_000);
});

it('guests outlive libvirtd, and VMs come and go after it', async () => {
  const guests = await cluster.guests();
  const pid = await cluster.libvirtdPid();
  process.kill(pid, 'SIGKILL');
  await start('next');
  expect(await cluster.libvirtdPid()).not.toBe(pid);
  expect(await cluster.guests()).toEqual(expect.arrayContaining(guests));
  await echoes('kept');
  await remove('next');
  await remove('kept');
  await filesAreOf();
  expect(await cluster.guests()).toEqual([]);
});

it('VMs that start while libvirtd and the agent die start once', async () => {
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name) => cluster.admin.of(VirtualMachine).create(bootSectorVm(name))));
  await cluster.vmis.until('a', ({ status }) => status?.phase === 'Scheduled' || status?.phase === 'Running');
  process.kill(await cluster.libvirtdPid(), 'SIGKILL');
  await cluster.restartNode();
  const vmis = await Promise.all(names.map((name) => cluster.vmis.until(name, isRunning)));
  await filesAreOf(...vmis.map(({ metadata }) => metadata.uid));
  expect(await cluster.guests()).toHaveLength(names.length);
  await Promise.all(names.map(remove));
  await filesAreOf();
  expect(await cluster.guests()).toEqual([]);
});

it('a guest that is going down when the agent ends goes down', async () => {
  await start('going');
  const vm = cluster.admin.of(VirtualMachine);
  await vm.delete('going', at);
  await cluster.restartNode();
  await cluster.vms.gone('going');
  await filesAreOf();
});

it('a guest that crashes is reported as failed, and started again', async () => {
  const { metadata } = await start('crashed');
  const [pid = 0] = await cluster.guests();
  const failed = cluster.vmis.until('crashed', ({ status }) => status?.phase === 'Failed');
  process.kill(pid, 'SIGKILL');
  expect((await failed).metadata.uid).toBe(metadata.uid);
  await cluster.vmis.until('crashed', (each) => isRunning(each) && each.metadata.uid !== metadata.uid);
  await remove('crashed');
});

it('a guest whose VMI is gone from the server is destroyed, with its files', async () => {
  await start('orphan');
  await cluster.stopNode();
  // As after a restore of an older state of the server: it knows nothing of the VM.
  await cluster.stopControllers();
  const without = { metadata: { finalizers: null } };
  await cluster.admin.of(VirtualMachine).patch('orphan', without, { ...at, type: 'merge' });
  await cluster.admin.of(VirtualMachine).delete('orphan', { ...at, propagationPolicy: 'Orphan' });
  await cluster.admin.of(VirtualMachineInstance).patch('orphan', without, { ...at, type: 'merge' });
  await cluster.admin.of(VirtualMachineInstance).delete('orphan', at);
  for (const pod of (await cluster.admin.of(Pod).list(at)).items)
    await cluster.admin.of(Pod).delete(pod.metadata.name, { ...at, gracePeriodSeconds: 0 });
  expect(await cluster.guests()).toHaveLength(1);
  await cluster.restartNode();
  await filesAreOf();
  expect(await cluster.guests()).toEqual([]);
});
