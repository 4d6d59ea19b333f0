import {
  ClusterRole,
  CustomResourceDefinition,
  type Kind,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  type UnknownObject,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@vireo/api';
import { POD_PHASE } from '@vireo/api/kinds/cdi/names.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { vmDraft } from '@vireo/controllers/testing/cluster.ts';
import { gone, observed } from '@vireo/controllers/testing/watching.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmptyCluster, startEmptyCluster } from '../../testing/emptyCluster.ts';
import { INSTALLED_KINDS } from './prune.ts';

let cluster: EmptyCluster;
const reclaims = Promise.withResolvers<void>();
beforeAll(async () => {
  cluster = await startEmptyCluster();
  await cluster.install({ useEmulation: true });
  await cluster.startControllers();
  await cluster.startExtension();
  await cluster.startNode({ reclaims: reclaims.promise });
  await cluster.install({ wait: true });
});
afterAll(() => cluster?.close());

const WAIT = { timeout: 30_000, interval: 100 };
const at = { namespace: 'default' };

/** A VM that is off, on a DataVolume of its own. */
function vmOnDisk(name: string): VirtualMachine {
  const { spec, ...rest } = vmDraft(name, {
    runStrategy: 'Halted',
    dataVolumeTemplates: [
      {
        metadata: { name: `${name}-root` },
        spec: {
          source: { blank: {} },
          pvc: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    ],
  } as never);
  const disk = { name: 'root', disk: { bus: 'virtio' } };
  const template = spec.template.spec as { domain: { devices: object } };
  template.domain.devices = { disks: [disk] };
  Object.assign(template, { volumes: [{ name: 'root', dataVolume: { name: `${name}-root` } }] });
  return { ...rest, metadata: { name, ...at }, spec };
}

const count = async (kind: Kind): Promise<number> => (await cluster.client.of<UnknownObject>(kind).list()).items.length;
const countInstalled = async (kind: Kind): Promise<number> =>
  (await cluster.client.of<UnknownObject>(kind).list({ labelSelector: 'app.kubernetes.io/managed-by=vireo' })).items
    .length;

describe('vireo uninstall', () => {
  it('refuses while VMs run', async () => {
    const vms = cluster.client.of(VirtualMachine);
    await vms.create(vmOnDisk('off'));
    await vms.create({ ...vmDraft('on'), metadata: { name: 'on', ...at } });
    const isBound = ({ status }: PersistentVolumeClaim) => status?.phase === 'Bound';
    await observed<PersistentVolumeClaim>(cluster.client, PersistentVolumeClaim, isBound);
    await observed<VirtualMachine>(
      cluster.client,
      VirtualMachine,
      ({ metadata, status }) => metadata.name === 'on' && status?.printableStatus === 'Running',
    );
    await expect(cluster.uninstall()).rejects.toMatchObject({
      message: 'VMs are running: default/on',
      hint: expect.stringContaining('--delete-data'),
    });
    expect(await countInstalled(ClusterRole)).toBeGreaterThan(5);
  });

  it('with --delete-data fails after its time if data is left, names it, and has removed nothing of Vireo', async () => {
    // As the node's agent says that the disk is filled.
    const filled = { metadata: { annotations: { [POD_PHASE]: 'Succeeded' } } };
    await cluster.client.of(PersistentVolumeClaim).patch('off-root', filled, { ...at, type: 'merge' });
    const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'off' };
    await cluster.client.of(VirtualMachineSnapshot).create({ metadata: { name: 'first', ...at }, spec: { source } });
    const isReady = ({ status }: VirtualMachineSnapshot) => status?.readyToUse === true;
    await observed<VirtualMachineSnapshot>(cluster.client, VirtualMachineSnapshot, isReady);
    expect(await count(VolumeSnapshotContent)).toBe(1);
    await expect(cluster.uninstall({ deleteData: true, timeout: 1 })).rejects.toMatchObject({
      message: expect.stringMatching(/^still there after 1 ms:\n[\s\S]* {2}- PersistentVolume pvc-/),
      hint: expect.stringContaining('Nothing of Vireo itself was removed'),
      exitCode: 124,
    });
    expect(await countInstalled(ClusterRole)).toBeGreaterThan(5);
    expect(await countInstalled(ValidatingAdmissionPolicy)).toBe(4);
  });

  it('with --delete-data waits until the nodes have deleted volumes, and leaves nothing of ours', async () => {
    const uninstalled = cluster.uninstall({ deleteData: true });
    await observed<PersistentVolume>(cluster.client, PersistentVolume, ({ status }) => status?.phase === 'Released');
    await gone(cluster.client, VolumeSnapshotContent, () => true);
    expect(await countInstalled(ClusterRole)).toBeGreaterThan(5);
    reclaims.resolve();
    expect(await uninstalled).toContain('its VMs and disks are deleted');
    for (const kind of [...INSTALLED_KINDS, StorageClass])
      expect([kind.kind, await countInstalled(kind)]).toEqual([kind.kind, 0]);
    for (const kind of [CustomResourceDefinition, PersistentVolume, PersistentVolumeClaim])
      expect([kind.kind, await count(kind)]).toEqual([kind.kind, 0]);
    expect(await cluster.client.of(Namespace).find('kubevirt')).toBeUndefined();
    await expect(cluster.uninstall()).rejects.toMatchObject({ message: 'Vireo is not installed on this cluster' });
  });

  it('keeps VMs, disks, settings and CRDs, and a later install goes on with them', async () => {
    await cluster.install({ useEmulation: true });
    await cluster.startExtension();
    // It is trusted a moment later.
    const before = await vi.waitFor(() => cluster.client.of(VirtualMachine).create(vmOnDisk('kept')), WAIT);
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await cluster.client.of(PersistentVolumeClaim).create({ metadata: { name: 'kept', ...at }, spec: claim });
    expect(await cluster.uninstall()).toContain('VMs, disks and settings are kept');
    for (const kind of INSTALLED_KINDS) expect([kind.kind, await countInstalled(kind)]).toEqual([kind.kind, 0]);
    await cluster.install();
    expect((await cluster.client.of(VirtualMachine).get('kept', at)).spec).toEqual(before.spec);
    await cluster.client.of(PersistentVolumeClaim).get('kept', at);
    const { spec } = await cluster.client.of(KubeVirt).get('kubevirt', { namespace: 'kubevirt' });
    expect(spec?.configuration?.developerConfiguration?.useEmulation).toBe(true);
    for (const kind of [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding])
      expect(await countInstalled(kind)).toBe(4);
  });
});
