import { expect, it } from 'vitest';
import type { PersistentVolumeClaim } from '../core/persistentVolumeClaim.ts';
import type { VirtualMachine } from '../kubevirt/virtualMachine.ts';
import type { VolumeSnapshot } from '../volumesnapshot/volumeSnapshot.ts';
import { snapshotSizes, vmSnapshotSize } from './snapshotSizes.ts';

const MIB = 1024 ** 2;

const vm = (name: string, claims: Record<string, string>, left: readonly string[] = []) =>
  ({
    metadata: { name },
    spec: {
      template: {
        spec: {
          volumes: Object.entries(claims).map(([volume, claimName]) => ({
            name: volume,
            persistentVolumeClaim: { claimName },
          })),
        },
      },
    },
    status: { volumeSnapshotStatuses: left.map((volume) => ({ name: volume, enabled: false })) },
  }) as unknown as VirtualMachine;

const snapshot = (claim: string, of?: string, restoreSize?: string) =>
  ({
    metadata: { ...(of && { labels: { 'snapshot.kubevirt.io/source-vm-name': of } }) },
    spec: { source: { persistentVolumeClaimName: claim } },
    ...(restoreSize && { status: { restoreSize } }),
  }) as unknown as VolumeSnapshot;

const claims: Record<string, string> = { root: '4Mi', data: '2Mi' };
const findClaim = (name: string) =>
  claims[name] && ({ status: { capacity: { storage: claims[name] } } } as unknown as PersistentVolumeClaim);
const sizes = (...snapshots: VolumeSnapshot[]) => {
  const { namespace, vms } = snapshotSizes(
    snapshots,
    [vm('web', { a: 'root' }), vm('db', { a: 'data' })],
    (name) => findClaim(name) || undefined,
  );
  return { namespace: namespace / MIB, vms: Object.fromEntries([...vms].map(([name, bytes]) => [name, bytes / MIB])) };
};

it('snapshots count for their VM, or for the one that has their claim, and all for the namespace', () => {
  expect(sizes(snapshot('root', 'web', '4Mi'), snapshot('data'), snapshot('gone', 'old', '1Mi'))).toEqual({
    namespace: 7,
    vms: { web: 4, db: 2, old: 1 },
  });
});

it('a snapshot that is being taken counts as much as its claim', () => {
  expect(sizes(snapshot('root', 'web')).vms).toEqual({ web: 4 });
});

it('a snapshot of a VM takes what its claims do, but for those that cannot be in one', () => {
  const found = (name: string) => findClaim(name) || undefined;
  expect(vmSnapshotSize(vm('web', { a: 'root', b: 'data' }), found) / MIB).toBe(6);
  expect(vmSnapshotSize(vm('web', { a: 'root', b: 'data' }, ['b']), found) / MIB).toBe(4);
});
