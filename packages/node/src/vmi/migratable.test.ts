import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { describe, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { type MigrationSite, migrationConditions, migrationMethod } from './migratable.ts';

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
const REQUIREMENT = 'live migration requires that all PVCs must be shared (using ReadWriteMany access mode)';

describe('a guest can move', () => {
  it.each<[string, Partial<VirtualMachineInstance['spec']>, string[]]>([
    ['with nothing of its own', {}, []],
    ['with a claim that many may use', { volumes: [claim] }, ['ReadWriteMany']],
    ['with cloud-init data, which is made anew', { volumes: [{ name: 'v', cloudInitNoCloud: { userData: 'x' } }] }, []],
    ['with a container disk, which is copied', { volumes: [{ name: 'v', containerDisk: { image: 'x' } }] }, []],
    ['with an empty disk, which is copied', { volumes: [{ name: 'v', emptyDisk: { capacity: '1Gi' } }] }, []],
    ['with an address of its own, which it keeps', onPodNetwork, []],
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
