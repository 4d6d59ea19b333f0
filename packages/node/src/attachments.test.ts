import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Persisted, PersistentVolumeClaim, Pod } from '@vireo/api';
import { ATTACHMENT_SELECTOR, launcherOf, mountedClaims } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorVm } from './testing/vms.ts';
import { DISK_FILE } from './volumes/names.ts';

let cluster: TestCluster;
const at = { namespace: NAMESPACE };

beforeAll(async () => {
  cluster = await startTestCluster();
  const resources = { requests: { storage: '1Mi' } };
  for (const [name, storageClassName] of [
    ['data', 'local'],
    ['late', 'local-wait'],
    ['one', 'local'],
    ['two', 'local'],
  ] as const)
    await cluster.admin
      .of(PersistentVolumeClaim)
      .create({ metadata: { name, ...at }, spec: { accessModes: ['ReadWriteOnce'], resources, storageClassName } });
  await cluster.admin.of(VirtualMachine).create(bootSectorVm('web', spec()));
  await cluster.vmis.until('web', ({ status }) => status?.phase === 'Running');
});
afterAll(() => cluster?.close());

const ROOT = bootSectorVm('web').spec.template.spec;

/** A VM with an empty drive, and with claims plugged in: the drive `cd`, or a disk of the claim's name. */
function spec(claims: Readonly<Record<string, string>> = {}) {
  const disks = Object.keys(claims).filter((name) => name !== 'cd');
  return {
    domain: {
      ...ROOT?.domain,
      devices: {
        ...ROOT?.domain.devices,
        disks: [
          ...(ROOT?.domain.devices?.disks ?? []),
          { name: 'cd', cdrom: { bus: 'sata' as const } },
          ...disks.map((name) => ({ name, disk: { bus: 'scsi' as const } })),
        ],
      },
    },
    volumes: [
      ...(ROOT?.volumes ?? []),
      ...Object.entries(claims).map(([name, claimName]) => ({
        name,
        persistentVolumeClaim: { claimName, hotpluggable: true },
      })),
    ],
  };
}

const plug = (claims: Record<string, string>) =>
  cluster.admin
    .of(VirtualMachine)
    .patch('web', { spec: { template: { spec: spec(claims) } } }, { ...at, type: 'merge' });
const volumeStatusOf = ({ status }: VirtualMachineInstance, name: string) =>
  status?.volumeStatus?.find((each) => each.name === name);
const isReady = (name: string, claim: string) =>
  cluster.vmis.until('web', (vmi) => {
    const { phase, persistentVolumeClaimInfo, hotplugVolume } = volumeStatusOf(vmi, name) ?? {};
    return (
      phase === 'Ready' && persistentVolumeClaimInfo?.claimName === claim && hotplugVolume?.attachPodUID !== undefined
    );
  });
const isOut = (name: string) => cluster.vmis.until('web', (vmi) => volumeStatusOf(vmi, name) === undefined);
const attachments = async (): Promise<Persisted<Pod>[]> =>
  (await cluster.admin.of(Pod).list({ ...at, labelSelector: ATTACHMENT_SELECTOR })).items;
/** What the attachment pods name, once there is only one, or none. */
const named = (claims: readonly string[]) =>
  vi.waitFor(
    async () =>
      expect((await attachments()).map((pod) => mountedClaims(pod).map(({ claim }) => claim))).toEqual(
        claims.length > 0 ? [claims] : [],
      ),
    { timeout: 20_000, interval: 50 },
  );
const claimOf = (name: string) => cluster.admin.of(PersistentVolumeClaim).get(name, at);
const deleteClaim = (name: string) => cluster.admin.of(PersistentVolumeClaim).delete(name, at);
const claimIsGone = (name: string) =>
  vi.waitFor(() => expect(claimOf(name)).rejects.toThrow(/not found/), { timeout: 20_000, interval: 50 });

it('a plugged disk is named by an attachment pod, and its claim stays until the disk is out', async () => {
  await plug({ data: 'data' });
  const vmi = await isReady('data', 'data');
  const [pod] = await attachments();
  const launcher = Object.keys(vmi.status?.activePods ?? {});
  expect(launcher).toEqual([launcherOf(pod as Pod)?.uid]);
  expect(pod).toMatchObject({ spec: { nodeName: 'node-1' }, status: { phase: 'Running' } });
  expect(volumeStatusOf(vmi, 'data')).toEqual({
    name: 'data',
    target: 'sdb',
    phase: 'Ready',
    reason: 'VolumeReady',
    message: 'Successfully attach hotplugged volume data to VM',
    hotplugVolume: { attachPodName: pod?.metadata.name, attachPodUID: pod?.metadata.uid },
    persistentVolumeClaimInfo: {
      claimName: 'data',
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Filesystem',
      capacity: { storage: '1Mi' },
      requests: { storage: '1Mi' },
      filesystemOverhead: '0',
    },
  });
  await deleteClaim('data');
  // What else is plugged in meanwhile does not wait for it.
  await plug({ data: 'data', late: 'late' });
  await isReady('late', 'late');
  expect((await claimOf('data')).metadata.deletionTimestamp).toBeDefined();
  expect(volumeStatusOf(await cluster.vmis.until('web'), 'data')?.phase).toBe('Ready');
  await plug({ late: 'late' });
  await isOut('data');
  await claimIsGone('data');
  await named(['late']);
}, 60_000);

it('a disc keeps its claim until it is exchanged or ejected', async () => {
  await plug({ late: 'late', cd: 'one' });
  await isReady('cd', 'one');
  await named(['late', 'one']);
  await deleteClaim('one');
  expect((await claimOf('one')).metadata.deletionTimestamp).toBeDefined();
  await plug({ late: 'late', cd: 'two' });
  await isReady('cd', 'two');
  await claimIsGone('one');
  await named(['late', 'two']);
}, 60_000);

it('a guest whose disks have no attachment pod gets one, and keeps its disks', async () => {
  const guests = await cluster.guests();
  await cluster.stopNode();
  const before = await attachments();
  for (const { metadata } of before)
    await cluster.admin.of(Pod).delete(metadata.name, { ...at, gracePeriodSeconds: 0 });
  const { status } = await cluster.vmis.until('web');
  // So did versions without attachment pods leave it.
  const volumeStatus = status?.volumeStatus?.map((each) =>
    each.hotplugVolume ? { ...each, hotplugVolume: {} } : each,
  );
  await cluster.admin.of(VirtualMachineInstance).patch('web', { status: { volumeStatus } }, { ...at, type: 'merge' });
  await cluster.restartNode();
  await isReady('late', 'late');
  const vmi = await isReady('cd', 'two');
  const [pod] = await attachments();
  expect(volumeStatusOf(vmi, 'cd')?.hotplugVolume?.attachPodName).toBe(pod?.metadata.name);
  expect(before.map(({ metadata }) => metadata.uid)).not.toContain(pod?.metadata.uid);
  expect(await cluster.guests()).toEqual(guests);
}, 60_000);

it('a disc is in its drive from the start; attachment pods go with the guest', async () => {
  const runs = (runStrategy: string) =>
    cluster.admin.of(VirtualMachine).patch('web', { spec: { runStrategy } }, { ...at, type: 'merge' });
  const { metadata } = await cluster.vmis.until('web');
  await runs('Halted');
  await cluster.vmis.gone('web');
  await named([]);
  await runs('Always');
  await cluster.vmis.until('web', (vmi) => vmi.metadata.uid !== metadata.uid && vmi.status?.phase === 'Running');
  await isReady('late', 'late');
  const vmi = await isReady('cd', 'two');
  expect(vmi.status?.cdromStatus).toMatchObject([{ name: 'cd', claimName: 'two' }]);
  const user = vmi.status?.runtimeUser ?? 0;
  if (cluster.layout.isRoot) {
    // The guest's own while it has them, and to be read by nobody else.
    expect(await rightsOf('late')).toEqual([`owner: ${user}`]);
    expect(await rightsOf('two')).toEqual(['owner: 0', `user:${user}:r--`]);
  }
  await plug({});
  await isOut('cd');
  await isOut('late');
  await named([]);
  if (cluster.layout.isRoot)
    expect([await rightsOf('late'), await rightsOf('two')]).toEqual([['owner: 0'], ['owner: 0']]);
}, 90_000);

/** Who owns the disk of a claim, and who else may use it. */
async function rightsOf(claim: string): Promise<string[]> {
  const disk = join(cluster.layout.volumes, (await claimOf(claim)).spec?.volumeName ?? '', DISK_FILE);
  const { stdout } = await promisify(execFile)('getfacl', ['--omit-header', '--absolute-names', '--numeric', disk]);
  return [`owner: ${(await stat(disk)).uid}`, ...stdout.split('\n').filter((line) => /^user:\d/.test(line))];
}
