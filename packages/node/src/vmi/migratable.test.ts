import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { describe, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { evictionWarning, type MigrationSite, migrationConditions, migrationMethod } from './migratable.ts';

const SITE: MigrationSite = { podNetwork: 'routed', isSharedClaim: () => true };

const of = (
  spec: Partial<VirtualMachineInstance['spec']>,
  accessModes: string[] = [],
  site: Partial<MigrationSite> = {},
) => {
  const claimed = { name: 'v', target: 'vda', persistentVolumeClaimInfo: { claimName: 'data', accessModes } };
  const { LiveMigratable: whole, StorageLiveMigratable: rest } = migrationConditions(
    { ...vmiIn('Running', {}, spec), status: { volumeStatus: [claimed] } },
    { ...SITE, ...site },
  );
  return [whole.status, whole.reason, rest.status, rest.reason];
};
const claim = { name: 'v', persistentVolumeClaim: { claimName: 'data' } };
const onPodNetwork = {
  networks: [{ name: 'default', pod: {} }],
  domain: { devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
};
const sharedHostDisk = { name: 'v', hostDisk: { path: '/x', type: 'Disk', shared: true } };
const noInvtsc = { name: 'invtsc', policy: 'disable' };
const REQUIREMENT = 'live migration requires that all PVCs must be shared (using ReadWriteMany access mode)';

describe('a guest can move', () => {
  it.each<[string, Partial<VirtualMachineInstance['spec']>, string[]]>([
    ['with nothing of its own', {}, []],
    ['with a claim that many may use', { volumes: [claim] }, ['ReadWriteMany']],
    ['with cloud-init data, which is made anew', { volumes: [{ name: 'v', cloudInitNoCloud: { userData: 'x' } }] }, []],
    ['with a container disk, which is copied', { volumes: [{ name: 'v', containerDisk: { image: 'x' } }] }, []],
    ['with an empty disk, which is copied', { volumes: [{ name: 'v', emptyDisk: { capacity: '1Gi' } }] }, []],
    ['with an address of its own, which it keeps', onPodNetwork, []],
    ['with a disk of its host that other hosts have too', { volumes: [sharedHostDisk] }, []],
    ['with a CPU model that has a name', { domain: { devices: {}, cpu: { model: 'Milan' } } }, []],
    ['without a feature of its processor', { domain: { devices: {}, cpu: { features: [noInvtsc] } } }, []],
  ])('%s', (_, spec, modes) => {
    expect(of(spec, modes)).toEqual(['True', undefined, 'True', undefined]);
  });
});

describe('a guest cannot move', () => {
  it.each<[string, Partial<VirtualMachineInstance['spec']>, string[], boolean | undefined]>([
    ['with a claim of one node', { volumes: [claim] }, ['ReadWriteOnce'], false],
    ['with a claim that many may use on one node', { volumes: [claim] }, ['ReadWriteMany'], false],
    ['with a shared claim that one may use', { volumes: [claim] }, ['ReadWriteOnce'], true],
    ['with a claim of which nothing is known', { volumes: [claim] }, ['ReadWriteMany'], undefined],
    ['with a disk of its host', { volumes: [{ name: 'v', hostDisk: { path: '/x', type: 'Disk' } }] }, [], false],
  ])('%s, but its disk could', (_, spec, modes, isShared) => {
    expect(of(spec, modes, { isSharedClaim: () => isShared })).toEqual([
      'False',
      'DisksNotLiveMigratable',
      'True',
      undefined,
    ]);
  });

  const domain = (more: object): Partial<VirtualMachineInstance['spec']> => ({ domain: { devices: {}, ...more } });
  const withDevices = (devices: object) => domain({ devices });
  it.each<[string, Partial<VirtualMachineInstance['spec']>, string, string]>([
    [
      'with a device of its host',
      withDevices({ hostDevices: [{ name: 'card', deviceName: 'vendor.example/card' }] }),
      'HostDeviceNotLiveMigratable',
      'VMI specifies non-migratable generic PCI host device',
    ],
    [
      'with a GPU',
      withDevices({ gpus: [{ name: 'gpu', deviceName: 'vendor.example/gpu' }] }),
      'HostDeviceNotLiveMigratable',
      'VMI specifies non-migratable GPU device',
    ],
    [
      'with two GPUs',
      withDevices({ gpus: ['a', 'b'].map((name) => ({ name, deviceName: 'vendor.example/gpu' })) }),
      'HostDeviceNotLiveMigratable',
      'VMI specifies too many GPUs',
    ],
    ['with SEV', domain({ launchSecurity: { sev: {} } }), 'SEVNotLiveMigratable', 'VMI uses SEV'],
    ['with SEV-SNP', domain({ launchSecurity: { snp: {} } }), 'SEVNotLiveMigratable', 'VMI uses SEV'],
    ['with TDX', domain({ launchSecurity: { tdx: {} } }), 'TDXNotLiveMigratable', 'VMI uses TDX'],
    [
      'with all of Hyper-V',
      domain({ features: { hypervPassthrough: { enabled: true } } }),
      'HypervPassthroughNotLiveMigratable',
      'VMI uses hyperv passthrough',
    ],
    [
      'that Hyper-V tells of moves',
      domain({ features: { hyperv: { reenlightenment: {} } } }),
      'NoTSCFrequencyNotLiveMigratable',
      'HyperV Reenlightenment VMIs cannot migrate when TSC Frequency is not exposed on the cluster: guest timers might be inconsistent',
    ],
    [
      'with a counter that never changes its speed',
      domain({ cpu: { features: [{ name: 'invtsc', policy: 'require' }] } }),
      'NoTSCFrequencyNotLiveMigratable',
      'VMI has the invtsc CPU feature, and its TSC frequency is not exposed on the cluster',
    ],
    [
      'with directories of its host',
      withDevices({ filesystems: [{ name: 'f', virtiofs: {} }] }),
      'VirtIOFSNotLiveMigratable',
      'VMI uses virtiofs',
    ],
  ])('%s, and its disks neither', (_, spec, reason, message) => {
    expect(migrationConditions(vmiIn('Running', {}, spec), SITE)).toEqual({
      LiveMigratable: { status: 'False', reason, message },
      StorageLiveMigratable: { status: 'False', reason: 'NotMigratable', message: `${reason}: ${message}` },
    });
  });

  it('with the CPU model of a host that does not name it', () => {
    const site = { ...SITE, withoutHostModel: 'a' };
    const { LiveMigratable: found } = migrationConditions(vmiIn('Running', {}, domain({ cpu: { cores: 1 } })), site);
    expect(found).toEqual({
      status: 'False',
      reason: 'CPUModeLiveMigratable',
      message: 'the node "a" does not allow migration with host-model',
    });
    const named = vmiIn('Running', {}, domain({ cpu: { model: 'Milan' } }));
    expect(migrationConditions(named, site).LiveMigratable.status).toBe('True');
  });

  it('with its disks if it has reserved one of them', () => {
    const vmi = vmiIn('Running', {}, withDevices({ disks: [{ name: 'v', lun: { reservation: true } }] }));
    expect(migrationConditions(vmi, SITE)).toMatchObject({
      LiveMigratable: { status: 'True' },
      StorageLiveMigratable: {
        message: 'PersistentReservationNotLiveMigratable: VMI uses SCSI persistent reservation',
      },
    });
  });

  it("on QEMU's own network, and its disks neither", () => {
    const site = { podNetwork: 'user' } as const;
    expect(of(onPodNetwork, [], site)).toEqual(['False', 'InterfaceNotLiveMigratable', 'False', 'NotMigratable']);
  });

  it('and is told why in the words of KubeVirt', () => {
    const message = (isShared: boolean | undefined) =>
      migrationConditions(
        {
          ...vmiIn('Running', {}, { volumes: [claim] }),
          status: {
            volumeStatus: [
              {
                name: 'v',
                target: 'vda',
                persistentVolumeClaimInfo: { claimName: 'data', accessModes: ['ReadWriteOnce'] },
              },
            ],
          },
        },
        { ...SITE, isSharedClaim: () => isShared },
      ).LiveMigratable.message;
    expect(message(false)).toBe(`cannot migrate VMI: PVC data is not shared, ${REQUIREMENT}`);
    expect(message(undefined)).toBe(`cannot migrate VMI: Unable to determine if PVC data is shared, ${REQUIREMENT}`);
  });
});

it.each<[string, Partial<VirtualMachineInstance['spec']>]>([
  ['LiveMigration', { volumes: [claim] }],
  ['LiveMigration', { volumes: [claim, { name: 'c', cloudInitNoCloud: { userData: 'x' } }] }],
  ['BlockMigration', { volumes: [claim, { name: 'c', containerDisk: { image: 'x' } }] }],
])('the method is %s', (method, spec) => {
  expect(migrationMethod(vmiIn('Running', {}, spec))).toBe(method);
});

describe('a guest that is to move off its node when that is drained', () => {
  const cannot = (message: string) => ({ conditions: [{ type: 'LiveMigratable', status: 'False', message }] });
  const vmi = (evictionStrategy: string | undefined, status = {}) => ({
    ...vmiIn('Running', {}, evictionStrategy === undefined ? {} : { evictionStrategy }),
    status,
  });
  const text = 'EvictionStrategy is set but vmi is not migratable; VMI uses SEV';
  it.each([
    ['and cannot', vmi('LiveMigrate'), 'None', text],
    ['by the word of the cluster, and cannot', vmi(undefined), 'LiveMigrate', text],
    ['and cannot for another reason', vmi('LiveMigrate', cannot('VMI uses TDX')), 'None', text],
    ['and still cannot', vmi('LiveMigrate', cannot('VMI uses SEV')), 'None', undefined],
    ['if it can', vmi('LiveMigrateIfPossible'), 'None', undefined],
    ['not at all', vmi(undefined), 'None', undefined],
  ])('%s: the warning is said once', (_, before, fallback, expected) => {
    expect(evictionWarning(before, cannot('VMI uses SEV'), fallback)).toBe(expected);
  });
});
