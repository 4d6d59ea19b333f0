import { expect, it } from 'vitest';
import type { Vm, Vmi } from '../../data/kinds.ts';
import { disksOf } from './lines.ts';

const metadata = { name: 'web', namespace: 'shop' };
const root = { name: 'root', disk: { bus: 'virtio' }, bootOrder: 1 };
const drive = { name: 'cdrom', cdrom: { bus: 'sata' } };
const rootVolume = { name: 'root', dataVolume: { name: 'web-root' } };
const spec = (disks: object[], volumes: object[]) => ({ domain: { devices: { disks } }, volumes }) as Vmi['spec'];
const vmOf = (disks: object[], volumes: object[]): Vm => ({
  metadata,
  spec: { template: { spec: spec(disks, volumes) } },
});
const vmiOf = (disks: object[], volumes: object[], status: object): Vmi => ({
  metadata,
  spec: spec(disks, volumes),
  status: { phase: 'Running', ...status },
});

it('disks of a machine that is off come from its spec, with the sizes of their claims', () => {
  const claim = {
    metadata: { name: 'web-root' },
    spec: { storageClassName: 'local' },
    status: { capacity: { storage: '2Gi' } },
  };
  expect(disksOf(vmOf([root, drive], [rootVolume]), undefined, [claim])).toMatchObject([
    {
      name: 'root',
      kind: 'disk',
      bus: 'virtio',
      source: { kind: 'DataVolume', name: 'web-root', claim: 'web-root' },
      sizeBytes: 2 ** 31,
      storageClass: 'local',
      bootOrder: 1,
      isHotpluggable: false,
      state: { label: 'Off' },
    },
    { name: 'cdrom', kind: 'cdrom', source: undefined, state: { label: 'Empty' } },
  ]);
});

it('what the agent reports of partitions is what is used of their disk', () => {
  const vmi = vmiOf([root], [rootVolume], { volumeStatus: [{ name: 'root', target: 'vda' }] });
  const filesystems = [
    { diskName: 'vda1', usedBytes: 1, totalBytes: 10 },
    { diskName: 'vda2', usedBytes: 2, totalBytes: 20 },
    { diskName: 'vdaa1', usedBytes: 50, totalBytes: 99 },
  ];
  expect(disksOf(undefined, vmi, [], filesystems)).toMatchObject([
    { device: 'vda', used: { usedBytes: 3, totalBytes: 30 }, state: { tone: 'ok', label: 'In use' } },
  ]);
});

const disc = { name: 'cdrom', persistentVolumeClaim: { claimName: 'iso', hotpluggable: true } };

it.each<[string, object[], object[], object, object]>([
  [
    'an empty drive',
    [],
    [],
    { cdromStatus: [{ name: 'cdrom', tray: 'open' }] },
    { tone: 'off', label: 'Empty, tray open' },
  ],
  ['a disc that was asked for', [disc], [], {}, { tone: 'busy', label: 'Waiting to be plugged in' }],
  [
    'a disc whose claim is missing',
    [disc],
    [disc],
    { volumeStatus: [{ name: 'cdrom', phase: 'Pending', reason: 'FailedPvcNotFound', message: 'no claim iso' }] },
    { tone: 'err', label: 'Claim not found', reason: 'no claim iso' },
  ],
  [
    'a disc in its drive',
    [disc],
    [disc],
    { volumeStatus: [{ name: 'cdrom', phase: 'Ready' }], cdromStatus: [{ name: 'cdrom', claimName: 'iso' }] },
    { tone: 'ok', label: 'Disc inserted' },
  ],
  [
    'a disc that no guest can read',
    [disc],
    [disc],
    { volumeStatus: [{ name: 'cdrom', phase: 'Ready' }], cdromStatus: [{ name: 'cdrom', message: 'no file system' }] },
    { tone: 'warn', label: 'Disc inserted', reason: 'no file system' },
  ],
  [
    'a disc that the guest holds',
    [],
    [],
    { volumeStatus: [{ name: 'cdrom', phase: 'Detaching', reason: 'TrayLocked', message: 'unmount it' }] },
    { tone: 'warn', label: 'Tray locked by the guest', reason: 'unmount it' },
  ],
])('%s', (_, wanted, running, status, state) => {
  const [line] = disksOf(vmOf([drive], wanted), vmiOf([drive], running, status));
  expect(line?.state).toMatchObject(state);
});

it('a change that cannot be plugged waits for a restart', () => {
  const [, line] = disksOf(vmOf([root, drive], [rootVolume]), vmiOf([root], [rootVolume], {}));
  expect(line).toMatchObject({ name: 'cdrom', state: { label: 'After a restart' } });
});

it('a disk that is on its way out is shown until it is gone', () => {
  const vmi = vmiOf([root], [rootVolume], {
    volumeStatus: [
      { name: 'root', target: 'vda' },
      { name: 'extra', phase: 'Detaching', persistentVolumeClaimInfo: { claimName: 'data' } },
    ],
  });
  expect(disksOf(vmOf([root], [rootVolume]), vmi)[1]).toMatchObject({
    name: 'extra',
    source: { name: 'data' },
    isInSpec: false,
    state: { tone: 'busy', label: 'Detaching' },
  });
});
