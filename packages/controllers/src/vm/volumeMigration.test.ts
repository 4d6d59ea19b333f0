import type { PersistentVolumeClaim } from '@vireo/api';
import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { withCurrentVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import { describe, expect, it } from 'vitest';
import { vmiWith, vmWith } from '../testing/objects.ts';
import { restartRequired } from './restartRequired.ts';
import { decide } from './runStrategy.ts';
import { vmStatus } from './status.ts';
import { decideVolumeUpdate, type VolumeUpdate } from './volumeMigration.ts';

type Spec = Vmi['spec'];
type Disk = NonNullable<NonNullable<Spec['domain']['devices']>['disks']>[number];

const now = new Date('2026-01-01T12:00:00Z');
const migratable = { conditions: [{ type: 'StorageLiveMigratable', status: 'True' }] };

/** A guest with a disk on each of the claims, by volume. */
const spec = (claims: Readonly<Record<string, string>>, disk: Partial<Disk> = { disk: { bus: 'virtio' } }): Spec => ({
  domain: { devices: { disks: Object.keys(claims).map((name) => ({ name, ...disk })) }, firmware: { uuid: 'u' } },
  volumes: Object.entries(claims).map(([name, claimName]) => ({ name, persistentVolumeClaim: { claimName } })),
});
const vm = (wanted: Spec, updateVolumesStrategy = 'Migration', status: VmStatus = {}): Vm =>
  vmWith({ updateVolumesStrategy, template: { spec: wanted } }, status);
const vmi = (has: Spec, status: VmiStatus = migratable): Vmi => vmiWith({ phase: 'Running', ...status }, {}, has);

/** Claims exist unless their names say otherwise, and several nodes have those that begin with `shared`. */
const claimOf = (name: string): PersistentVolumeClaim | undefined =>
  name.startsWith('missing')
    ? undefined
    : {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name },
        spec: { accessModes: [name.startsWith('shared') ? 'ReadWriteMany' : 'ReadWriteOnce'] },
      };
const decided = (wanted: Vm, has: Vmi): VolumeUpdate => decideVolumeUpdate(wanted.spec, has, claimOf);

const moving: VmiStatus = {
  ...migratable,
  migratedVolumes: [
    { volumeName: 'root', sourcePVCInfo: { claimName: 'old' }, destinationPVCInfo: { claimName: 'new' } },
  ],
};

describe('volumes that a VM has on other claims than its guest', () => {
  it('move there, with the data', () => {
    const update = decided(vm(spec({ root: 'new' })), vmi(spec({ root: 'old' })));
    expect(update).toEqual({
      action: 'migrate',
      volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'new' } }],
      migrated: [
        {
          volumeName: 'root',
          sourcePVCInfo: { claimName: 'old', accessModes: ['ReadWriteOnce'] },
          destinationPVCInfo: { claimName: 'new', accessModes: ['ReadWriteOnce'] },
        },
      ],
    });
  });

  const hostDisk = (shared: boolean) => ({ name: 'local', hostDisk: { path: '/disk.img', type: 'Disk', shared } });
  it('move beside a disk of the host that other hosts have, too', () => {
    const beside = (claim: string): Spec => ({
      ...spec({ root: claim }),
      volumes: [...(spec({ root: claim }).volumes ?? []), hostDisk(true)],
    });
    expect(decided(vm(beside('new')), vmi(beside('old'))).action).toBe('migrate');
  });

  const hotpluggable: Spec = {
    ...spec({}),
    domain: { devices: { disks: [{ name: 'data', disk: { bus: 'scsi' } }] }, firmware: { uuid: 'u' } },
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'old', hotpluggable: true } }],
  };
  const shares: Spec = {
    domain: { devices: { filesystems: [{ name: 'root', virtiofs: {} }] } },
    volumes: spec({ root: 'old' }).volumes,
  };
  it.each<[string, Vm, Vmi, VolumeUpdate]>([
    [
      'change with the next start by default',
      vm(spec({ root: 'new' }), 'Replacement'),
      vmi(spec({ root: 'old' })),
      { action: 'none' },
    ],
    ['stay if they are there', vm(spec({ root: 'old' })), vmi(spec({ root: 'old' })), { action: 'none' }],
    [
      'wait until the node has said whether the guest can move',
      vm(spec({ root: 'new' })),
      vmi(spec({ root: 'old' }), {}),
      { action: 'none' },
    ],
    [
      'wait for a claim that does not exist',
      vm(spec({ root: 'missing-1' })),
      vmi(spec({ root: 'old' })),
      { action: 'wait', message: "One of the destination volumes doesn't exist: missing-1" },
    ],
    [
      'are refused if the guest cannot move',
      vm(spec({ root: 'new' })),
      vmi(spec({ root: 'old' }), {
        conditions: [{ type: 'StorageLiveMigratable', status: 'False', message: 'VMI uses SEV' }],
      }),
      { action: 'refuse', message: "cannot migrate the volumes as the VMI isn't migratable: VMI uses SEV" },
    ],
    [
      'are refused if another disk could not come along',
      vm(spec({ root: 'new', data: 'stays' })),
      vmi(spec({ root: 'old', data: 'stays' })),
      {
        action: 'refuse',
        message: 'cannot migrate the VM. The volume data is RWO and not included in the migration volumes',
      },
    ],
    [
      'are refused if a disk of the host could not come along',
      vm({ ...spec({ root: 'new' }), volumes: [...(spec({ root: 'new' }).volumes ?? []), hostDisk(false)] }),
      vmi({ ...spec({ root: 'old' }), volumes: [...(spec({ root: 'old' }).volumes ?? []), hostDisk(false)] }),
      {
        action: 'refuse',
        message: 'cannot migrate the VM. The volume local is a disk of the host and cannot move to a claim',
      },
    ],
    [
      'are refused if they can come and go',
      vm({
        ...hotpluggable,
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'new', hotpluggable: true } }],
      }),
      vmi(hotpluggable),
      { action: 'refuse', message: 'invalid volumes to update with migration: hotplugged: [data]' },
    ],
    [
      'are refused if they are directories',
      vm({ ...shares, volumes: spec({ root: 'new' }).volumes }),
      vmi(shares),
      { action: 'refuse', message: 'invalid volumes to update with migration: filesystems: [root]' },
    ],
    [
      'are refused if others share them, and are devices',
      vm(spec({ a: 'new-a', b: 'new-b' }, { shareable: true, lun: {} })),
      vmi(spec({ a: 'old-a', b: 'old-b' }, { shareable: true, lun: {} })),
      { action: 'refuse', message: 'invalid volumes to update with migration: shareable: [a b] luns: [a b]' },
    ],
    [
      'are refused if the guest only reads them',
      vm(spec({ root: 'new' }, { cdrom: { bus: 'sata' } })),
      vmi(spec({ root: 'old' }, { cdrom: { bus: 'sata' } })),
      { action: 'refuse', message: 'invalid volumes to update with migration: read-only: [root]' },
    ],
    ['move once', vm(spec({ root: 'new' })), vmi(spec({ root: 'new' }), moving), { action: 'none' }],
    [
      'go back to where they are',
      vm(spec({ root: 'old' })),
      vmi(spec({ root: 'new' }), moving),
      { action: 'cancel', volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'old' } }] },
    ],
    [
      'go back if they are to change with the next start after all',
      vm(spec({ root: 'new' }), 'Replacement'),
      vmi(spec({ root: 'new' }), moving),
      { action: 'cancel', volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'old' } }] },
    ],
    [
      'go nowhere else meanwhile',
      vm(spec({ root: 'third' })),
      vmi(spec({ root: 'new' }), moving),
      { action: 'fail', message: 'The volume can only be reverted to the previous version during the update' },
    ],
  ])('%s', (_, wanted, has, expected) => {
    expect(decided(wanted, has)).toEqual(expected);
  });

  it('go with other disks that several nodes have', () => {
    const [from, to] = [
      { root: 'old', data: 'shared' },
      { root: 'new', data: 'shared' },
    ].map((each) => spec(each));
    expect(decided(vm(to!), vmi(from!)).action).toBe('migrate');
  });

  it('need no restart, neither while they move nor afterwards', () => {
    const rollout = { isStaged: false };
    const [started, current] = [vm(spec({ root: 'old' })).spec, vm(spec({ root: 'new' })).spec];
    const later = { ...current, updateVolumesStrategy: 'Replacement' };
    expect(restartRequired(started, current, vmi(spec({ root: 'old' })), rollout)).toBeUndefined();
    expect(restartRequired(started, later, vmi(spec({ root: 'new' })), rollout)).toBeUndefined();
    expect(restartRequired(started, later, vmi(spec({ root: 'old' })), rollout)).toMatchObject({
      type: 'RestartRequired',
    });
  });

  it('are for the guest where they come from until they have moved', () => {
    const before = withCurrentVolumes(vmi(spec({ root: 'new' }), moving));
    expect(before.spec.volumes).toEqual([{ name: 'root', persistentVolumeClaim: { claimName: 'old' } }]);
    const [volume] = withCurrentVolumes(
      vmiWith(moving, {}, { ...spec({}), volumes: [{ name: 'root', dataVolume: { name: 'new' } }] }),
    ).spec.volumes!;
    expect(volume).toEqual({ name: 'root', persistentVolumeClaim: { claimName: 'old' } });
  });
});

describe('a VM whose guest ended while its volumes moved', () => {
  const observed = { isStopping: false, storage: 'ready', now, random: () => 0 } as const;
  const update = { volumeUpdateState: { volumeMigrationState: { migratedVolumes: moving.migratedVolumes } } };
  const recovery = (status: VmStatus) => status.conditions?.find(({ type }) => type === 'ManualRecoveryRequired');

  it('tells which volumes move as long as the guest runs', () => {
    const status = vmStatus(vm(spec({ root: 'new' })), vmi(spec({ root: 'new' }), moving), observed);
    expect(status).toMatchObject(update);
    expect(recovery(status)).toBeUndefined();
  });

  it.each<[string, Vmi | undefined]>([
    ['has ended', vmiWith({ phase: 'Failed', ...moving }, {}, spec({ root: 'new' }))],
    ['is gone', undefined],
  ])('is not started if the guest %s', (_, ended) => {
    const before = vm(spec({ root: 'new' }), 'Migration', update);
    const status = vmStatus(before, ended, observed);
    expect(status).toMatchObject(update);
    expect(recovery(status)).toMatchObject({
      status: 'True',
      reason: 'VMI was removed or was final during the volume migration',
      message: expect.stringContaining('volume root is on claim old, and only in part on new'),
    });
    expect(decide(before, undefined, now.getTime())).toEqual({ action: 'none' });
  });

  it.each<[string, Vm]>([
    ['has its former claims again', vm(spec({ root: 'old' }), 'Migration', update)],
    ['is to use the new ones as they are', vm(spec({ root: 'new' }), 'Replacement', update)],
  ])('starts when it %s', (_, recovered) => {
    expect(decide(recovered, undefined, now.getTime())).toEqual({ action: 'start', paused: false });
    const status = vmStatus(recovered, undefined, observed);
    expect(status.volumeUpdateState).toBeUndefined();
    expect(recovery(status)).toBeUndefined();
  });

  it('is well if the volumes had moved before', () => {
    const ended = vmiWith({ phase: 'Succeeded' }, {}, spec({ root: 'new' }));
    const status = vmStatus(vm(spec({ root: 'new' }), 'Migration', update), ended, observed);
    expect(status.volumeUpdateState).toBeUndefined();
    expect(recovery(status)).toBeUndefined();
  });
});
