import { controllerReference, Namespace, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { HarvesterQuota, QUOTA_NAME } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { FOUND_BACKUP, HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { Client } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vmsOf } from '../testing/harvester.ts';
import { type Installation, install } from '../testing/installation.ts';
import { SnapshotReservations } from './snapshotReservations.ts';

const GIBIBYTE = 1024 ** 3;
const at = { namespace: 'default' };

let installation: Installation;
beforeAll(async () => {
  installation = await install();
  const { client } = installation.server;
  const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
  for (const name of ['web', 'db']) {
    await client.of(PersistentVolumeClaim).create({ metadata: { name: `${name}-root`, ...at }, spec });
    const disks = [{ name: 'root', disk: { bus: 'virtio' } }];
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: `${name}-root` } }];
    const template = { spec: { domain: { devices: { disks }, memory: { guest: '64Mi' } }, volumes } };
    await vmsOf(installation).createVm(name, 'Halted', { template });
  }
  await client.of(HarvesterQuota).create({
    metadata: { name: QUOTA_NAME, ...at },
    spec: { snapshotLimit: { namespaceTotalSnapshotSizeQuota: 2 * GIBIBYTE + 1, vmTotalSnapshotSizeQuota: {} } },
  });
});
afterAll(() => installation?.close());

const ofVm = (name: string, vm: string) =>
  installation.server.client.of(VirtualMachineSnapshot).create({
    metadata: { name, ...at },
    spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: vm } },
  });
const ofClaim = (name: string, claim: string, dryRun = false) =>
  installation.server.client
    .of(VolumeSnapshot)
    .create({ metadata: { name, ...at }, spec: { source: { persistentVolumeClaimName: claim } } }, { dryRun });

describe('snapshots that are asked for at once', () => {
  it('do not share the room that is left, of whichever kind they are, and dry runs take none', async () => {
    await Promise.all(['x', 'y', 'z'].map((name) => ofClaim(name, 'web-root', true)));
    const asked = await Promise.allSettled([
      ofVm('a', 'web'),
      ofVm('b', 'db'),
      ofClaim('c', 'web-root'),
      ofVm('d', 'web'),
      ofClaim('e', 'db-root'),
    ]);
    const refused = asked.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    expect(refused).toHaveLength(3);
    for (const message of refused) expect(message).toContain('requested: 1Gi, used: 2Gi, limited: 2147483649');
  });
});

describe('snapshots that the controllers take', () => {
  const lab = { namespace: 'lab' };
  const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' };
  const controllers = () =>
    new Client(
      installation.server.inProcess({
        username: 'system:serviceaccount:kubevirt:kubevirt-controller',
        groups: ['system:masters'],
      }),
    );
  const backUp = (name: string, type: 'backup' | 'snapshot', annotations = {}) =>
    controllers()
      .of(HarvesterBackup)
      .create({ metadata: { name, ...lab, annotations }, spec: { source, type } });
  const take = (name: string, owner?: Persisted<HarvesterBackup>) =>
    controllers()
      .of(VirtualMachineSnapshot)
      .create({
        metadata: { name, ...lab, ...(owner && { ownerReferences: [controllerReference(owner, HarvesterBackup)] }) },
        spec: { source },
      });

  it('are limited if they stay as backups, also of those that found room at the same time', async () => {
    const { client } = installation.server;
    await client.of(Namespace).create({ metadata: { name: 'lab' } });
    const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
    await client.of(PersistentVolumeClaim).create({ metadata: { name: 'root', ...lab }, spec });
    const disks = [{ name: 'root', disk: { bus: 'virtio' } }];
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'root' } }];
    const template = { spec: { domain: { devices: { disks }, memory: { guest: '64Mi' } }, volumes } };
    await client
      .of(VirtualMachine)
      .create({ metadata: { name: 'web', ...lab }, spec: { runStrategy: 'Halted', template } });
    await client.of(HarvesterQuota).create({
      metadata: { name: QUOTA_NAME, ...lab },
      spec: { snapshotLimit: { namespaceTotalSnapshotSizeQuota: GIBIBYTE, vmTotalSnapshotSizeQuota: {} } },
    });
    const backups = await Promise.all(['a', 'b', 'c'].map((name) => backUp(name, 'snapshot')));
    const taken = await Promise.allSettled(backups.map((each) => take(`of-${each.metadata.name}`, each)));
    const refused = taken.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    expect(refused).toHaveLength(2);
    for (const message of refused) expect(message).toContain('exceeded quota of snapshots of namespace lab');
    // What is only copied from goes again.
    await take('of-clone');
    await take('of-copied', await backUp('copied', 'backup', { [FOUND_BACKUP]: 'true' }));
  });
});

describe('a reservation', () => {
  it('lasts until the snapshot is stored, or some seconds', () => {
    let now = 0;
    const reservations = new SnapshotReservations(() => now);
    reservations.hold('default', { id: 'VolumeSnapshot/a', bytes: 1, vms: [] });
    reservations.hold('default', { id: 'VolumeSnapshot/b', bytes: 2, vms: ['web'] });
    const held = (stored = '') => reservations.heldIn('default', (id) => id === stored).map(({ bytes }) => bytes);
    expect(held()).toEqual([1, 2]);
    expect(reservations.heldIn('other', () => false)).toEqual([]);
    expect(held('VolumeSnapshot/a')).toEqual([2]);
    expect(held()).toEqual([2]);
    now = 5000;
    expect(held()).toEqual([]);
  });

  it('is not waited for by those after one that was refused', async () => {
    const reservations = new SnapshotReservations();
    const order: string[] = [];
    const turn = (name: string, isRefused = false) =>
      reservations.inTurn('default', async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} ends`);
        if (isRefused) throw new Error('refused');
      });
    await Promise.allSettled([turn('first', true), turn('second')]);
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });
});
