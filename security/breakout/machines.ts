import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Namespace, PersistentVolume, PersistentVolumeClaim, Secret } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { nodeLayout } from '@vireo/node';
import { FILES } from '@vireo/node/filesystems/owner.ts';
import { vmiFiles } from '@vireo/node/vmi/files.ts';
import { guestsOf } from '../../e2e/vms/leftovers.ts';
import type { Ground } from '../ground.ts';
import { until } from '../until.ts';

export const NAMESPACE = 'security-breakout';
const AT = { namespace: NAMESPACE };

/** A machine that runs, and where its things are. */
export interface Machine {
  readonly name: string;
  readonly uid: string;
  /** Of its QEMU. */
  readonly pid: number;
  /** 0: root. */
  readonly user: number;
  readonly directory: string;
  readonly sockets: string;
  readonly own: string;
  readonly vnc: string;
  /** What the firmware remembers: its variables, and the directory of its TPM. */
  readonly nvram: string;
  readonly tpm: string;
  /** A file that it shares with its guest. */
  readonly shared: string;
  /** The paths of its claims' disks, by volume. */
  readonly claims: Readonly<Record<string, string>>;
}

const CLAIMS = ['data', 'disc', 'files'] as const;
const claimOf = (machine: string, volume: string): string => (volume === 'shared' ? 'shared' : `${machine}-${volume}`);

/** Makes what machines share. */
export async function prepareNamespace(ground: Ground): Promise<void> {
  const { client } = ground;
  await openGates(ground);
  await client.of(Namespace).create({ metadata: { name: NAMESPACE } });
  await client.of(Secret).create({ metadata: { name: 'init', ...AT }, stringData: { userdata: 'password: secret' } });
  await claim(client, 'shared');
}

const claim = (client: Ground['client'], name: string, storage = '1Mi') =>
  client.of(PersistentVolumeClaim).create({
    metadata: { name, ...AT },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, storageClassName: 'local' },
  });

/**
 * Starts a machine with every kind of disk and device that leaves something on the host. What its firmware keeps is on a
 * claim, or among its other files.
 */
export async function startMachine(ground: Ground, name: string, keeps: 'claim' | 'files'): Promise<Machine> {
  const kept = keeps === 'claim' ? { persistent: true } : {};
  const { client } = ground;
  for (const volume of CLAIMS) await claim(client, claimOf(name, volume));
  await client.of(VirtualMachine).create({
    metadata: { name, ...AT },
    spec: {
      runStrategy: 'Always',
      template: {
        spec: {
          terminationGracePeriodSeconds: 0,
          domain: {
            memory: { guest: '64Mi' },
            features: { acpi: {}, smm: { enabled: true } },
            firmware: { bootloader: { efi: { secureBoot: true, ...kept } } },
            devices: {
              tpm: { ...kept },
              filesystems: [
                { name: 'files', virtiofs: {} },
                { name: 'config', virtiofs: {} },
              ],
              disks: [
                { name: 'root', disk: { bus: 'virtio' } },
                { name: 'empty', disk: { bus: 'virtio' } },
                { name: 'data', disk: { bus: 'virtio' } },
                { name: 'shared', disk: { bus: 'virtio' } },
                { name: 'init', disk: { bus: 'virtio' } },
                { name: 'disc', cdrom: { bus: 'sata' } },
              ],
            },
          },
          volumes: [
            { name: 'root', containerDisk: { image: 'vireo/boot-sector' } },
            { name: 'empty', emptyDisk: { capacity: '1Mi' } },
            { name: 'data', persistentVolumeClaim: { claimName: claimOf(name, 'data') } },
            { name: 'shared', persistentVolumeClaim: { claimName: 'shared', readOnly: true } },
            { name: 'init', cloudInitNoCloud: { secretRef: { name: 'init' } } },
            { name: 'disc', persistentVolumeClaim: { claimName: claimOf(name, 'disc') } },
            { name: 'files', persistentVolumeClaim: { claimName: claimOf(name, 'files') } },
            { name: 'config', secret: { secretName: 'init' } },
          ],
        },
      },
    },
  });
  return running(ground, name);
}

/** A machine once it runs. */
export async function running(ground: Ground, name: string): Promise<Machine> {
  const vmis = ground.client.of(VirtualMachineInstance);
  const find = async () => vmis.get(name, AT).catch(() => undefined);
  await until(`the machine ${name} to run`, async () => {
    const { status } = (await find()) ?? {};
    if (status?.phase === 'Failed') throw new Error(`${name} failed: ${JSON.stringify(status.conditions)}`);
    return status?.phase === 'Running';
  });
  const { metadata, status } = await vmis.get(name, AT);
  const uid = metadata.uid ?? '';
  const guest = (await guestsOf(ground.home)).find(({ command }) => command.some((word) => word.includes(uid)));
  if (!guest) throw new Error(`the machine ${name} has no QEMU process`);
  const user = status?.runtimeUser ?? 0;
  const files = vmiFiles(nodeLayout(ground.home, true), uid, user > 0 ? { uid: user, gid: user } : undefined);
  const claims = [...CLAIMS, 'shared'].map(
    async (volume) => [volume, await diskOf(ground, claimOf(name, volume))] as const,
  );
  const { directory, sockets, own, paths } = files;
  const state = await stateOf(ground, name);
  const shared = join(dirname(await diskOf(ground, claimOf(name, 'files'))), FILES, 'letter');
  // As users of the guest make them.
  await writeFile(shared, 'dear machine', { mode: 0o644 });
  return {
    name,
    uid,
    pid: guest.pid,
    user,
    directory,
    sockets,
    own,
    vnc: paths.vncSocket,
    nvram: state === undefined ? join(directory, 'nvram.fd') : join(state, 'nvram/vars.fd'),
    tpm: state === undefined ? join(directory, 'tpm/tpm2') : join(state, 'swtpm/tpm2'),
    shared,
    claims: Object.fromEntries(await Promise.all(claims)),
  };
}

/** The directory of the claim that a machine's firmware has, if it has one. */
async function stateOf({ client }: Ground, name: string): Promise<string | undefined> {
  const labelSelector = `persistent-state-for=${name}`;
  const { items } = await client.of(PersistentVolumeClaim).list({ ...AT, labelSelector });
  const volume = items[0]?.spec?.volumeName;
  return volume === undefined ? undefined : (await client.of(PersistentVolume).get(volume)).spec?.local?.path;
}

async function diskOf({ client }: Ground, name: string): Promise<string> {
  const { spec } = await client.of(PersistentVolumeClaim).get(name, AT);
  const volume = await client.of(PersistentVolume).get(spec?.volumeName ?? '');
  return `${volume.spec?.local?.path}/disk.img`;
}

/** Stops a machine; what it kept stays. */
export async function stopMachine({ client }: Ground, name: string): Promise<void> {
  await client.of(VirtualMachine).patch(name, { spec: { runStrategy: 'Halted' } }, { ...AT, type: 'merge' });
  const vmis = client.of(VirtualMachineInstance);
  await until(
    `the machine ${name} to stop`,
    async () => (await vmis.get(name, AT).catch(() => undefined)) === undefined,
  );
}

/** What the machines need. */
const GATES = ['EnableVirtioFsStorageVolumes', 'EnableVirtioFsConfigVolumes'];

/** Opens feature gates of KubeVirt, and waits until the cluster has heard of it. */
export async function openGates({ client }: Ground, ...more: string[]): Promise<void> {
  const kubeVirts = client.of(KubeVirt);
  const at = { namespace: 'kubevirt' };
  const configuration = { developerConfiguration: { featureGates: [...GATES, ...more] } };
  const { metadata } = await kubeVirts.patch('kubevirt', { spec: { configuration } }, { ...at, type: 'merge' });
  await until('the feature gates to open', async () => {
    const { status } = await kubeVirts.get('kubevirt', at);
    return status?.observedGeneration === metadata.generation;
  });
}

/** Keeps a moment of a machine's claim. */
export async function snapshotOf({ client }: Ground, name: string): Promise<void> {
  const snapshots = client.of(VolumeSnapshot);
  const source = { persistentVolumeClaimName: claimOf(name, 'data') };
  await snapshots.create({ metadata: { name, ...AT }, spec: { source } });
  await until('the snapshot to be ready', async () => (await snapshots.get(name, AT)).status?.readyToUse === true);
}

/** Writes the memory of a machine to a claim. */
export async function dumpMemory(ground: Ground, name: string): Promise<void> {
  await claim(ground.client, claimOf(name, 'dump'), '256Mi');
  const wire = ground.wire(ground.admin);
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${NAMESPACE}/virtualmachines/${name}/memorydump`;
  const body = JSON.stringify({ claimName: claimOf(name, 'dump') });
  const headers = { 'content-type': 'application/json' };
  const answer = await wire.send({ method: 'PUT', path, headers, body });
  if (answer.status !== 202) throw new Error(`the memory of ${name} cannot be dumped: ${answer.body}`);
  const vms = ground.client.of(VirtualMachine);
  await until('the memory to be dumped', async () => {
    const { status } = await vms.get(name, AT);
    const phase = status?.memoryDumpRequest?.phase;
    if (phase === 'Failed') throw new Error(`the dump failed: ${status?.memoryDumpRequest?.message}`);
    return phase === 'Completed';
  });
}
