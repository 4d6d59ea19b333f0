import { type Persisted, PersistentVolumeClaim, Pod } from '@vireo/api';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { describe, expect, it } from 'vitest';
import { unexplained, unexplainedVmi } from './causes.ts';
import { learn, lost, unrest } from './invariants.ts';
import { Ledger } from './ledger.ts';
import {
  herd,
  SET,
  snapshotOf,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceReplicaSet,
  VirtualMachineRestore,
  VirtualMachineSnapshot,
  vm,
} from './objects.ts';
import type { Host, Scene } from './scene.ts';
import { calmScene, stored } from './testing.ts';

/** A scene with one thing changed. */
const scene = (change: (calm: Scene) => Partial<Scene>): Scene => {
  const calm = calmScene();
  return { ...calm, ...change(calm) };
};
const host = (change: (calm: Host) => Partial<Host>): Scene =>
  scene((calm) => ({ host: { ...calm.host, ...change(calm.host) } }));
/** The VMI `on` with another status. */
const status = (change: object): Scene =>
  scene(({ vmis: [on, ...others] }) => ({
    vmis: [{ ...on!, status: { ...on!.status, ...change } }, ...others],
  }));
const off = (printableStatus: string, more: object = {}): Persisted<VirtualMachine> =>
  stored(VirtualMachine, 'off', { spec: vm('off', false, false).spec, status: { printableStatus, ...more } });

/** A restore that finds no snapshot. */
const waiting = (snapshot: string, vm: Persisted<VirtualMachine> | undefined): Persisted<VirtualMachineRestore> => {
  const reason = `VirtualMachineSnapshot ${snapshot} does not exist`;
  const conditions = [{ type: 'Ready', status: 'False', reason }];
  return stored(
    VirtualMachineRestore,
    'back',
    { spec: { virtualMachineSnapshotName: snapshot }, status: { complete: false, conditions } },
    vm,
  );
};

it('finds nothing wrong where nothing is', () => {
  expect(unrest(calmScene())).toEqual([]);
  expect(unrest(scene(({ vms: [on] }) => ({ restores: [waiting('gone', on)] })))).toEqual([]);
  expect(unexplained(calmScene())).toEqual([]);
});

describe('what users were promised', () => {
  const acknowledged = (): Ledger => {
    const ledger = new Ledger();
    ledger.note('on', { exists: true, runs: true, disc: 'disc-red' }, 'acknowledged');
    for (const name of ['kept', 'back', 'disc-red']) ledger.note(name, { exists: true }, 'acknowledged');
    ledger.note(SET, { exists: true, replicas: 1 }, 'acknowledged');
    return ledger;
  };

  it.each<[what: string, scene: Scene, problems: string[]]>([
    ['is kept', calmScene(), []],
    ['is not, where a VM is gone', scene(() => ({ vms: [] })), ['on: exists was acknowledged as true, and is false']],
    [
      'is not, where a VM is switched off',
      scene(({ vms: [on] }) => ({ vms: [{ ...on!, spec: { ...on!.spec, runStrategy: 'Halted' } }] })),
      ['on: runs was acknowledged as true, and is false'],
    ],
    [
      'is not, where a disc is gone',
      scene(() => ({ vms: [stored(VirtualMachine, 'on', { spec: vm('on', true, false).spec })] })),
      ['on: disc was acknowledged as disc-red, and is '],
    ],
    [
      'is not, where a snapshot is gone',
      scene(() => ({ snapshots: [] })),
      ['kept: exists was acknowledged as true, and is false'],
    ],
    [
      'is not, where a restore is gone',
      scene(() => ({ restores: [] })),
      ['back: exists was acknowledged as true, and is false'],
    ],
    [
      'is not, where a set has another size',
      scene(() => ({ set: stored(VirtualMachineInstanceReplicaSet, SET, herd(2)) })),
      [`${SET}: replicas was acknowledged as 1, and is 2`],
    ],
  ])('%s', (_, found, problems) => {
    expect(lost(found, acknowledged())).toEqual(problems);
  });

  it('is what the server has, once that is learnt', () => {
    const ledger = acknowledged();
    learn({ ...calmScene(), snapshots: [] }, ledger);
    expect(lost(calmScene(), ledger)).toEqual(['kept: exists was acknowledged as false, and is true']);
  });
});

describe('there is no rest', () => {
  it.each<[what: string, scene: Scene, problem: RegExp]>([
    [
      'while a VM is not what it should be',
      scene(({ vms: [on] }) => ({ vms: [on!, off('Starting')] })),
      /off should be Stopped/,
    ],
    [
      'while a VMI is left of a VM that is off',
      scene(({ vmis }) => ({
        vmis: [...vmis, stored(VirtualMachineInstance, 'off', { status: { phase: 'Failed' } })],
      })),
      /off should be Stopped/,
    ],
    [
      'while a VM is held',
      scene(({ vms: [on] }) => ({ vms: [on!, off('Stopped', { snapshotInProgress: 'kept' })] })),
      /off is held by kept/,
    ],
    ['while a set is short', scene(({ vmis: [on] }) => ({ vmis: [on!] })), /herd should have 1: there are 0/],
    [
      'while a snapshot is under way',
      scene(() => ({ snapshots: [stored(VirtualMachineSnapshot, 'kept', { status: { phase: 'InProgress' } })] })),
      /VirtualMachineSnapshot kept has not ended/,
    ],
    [
      'while a restore is under way',
      scene(({ vms: [on] }) => ({
        restores: [stored(VirtualMachineRestore, 'back', { spec: {}, status: { complete: false } }, on)],
      })),
      /VirtualMachineRestore back has not ended/,
    ],
    [
      'while a restore waits for a snapshot that is there',
      scene(({ vms: [on] }) => ({ restores: [waiting('kept', on)] })),
      /VirtualMachineRestore back has not ended/,
    ],
    [
      'while a guest runs for the API alone',
      scene(({ domains }) => ({ domains: domains!.slice(1) })),
      /storm_on is running according to the API, but not according to libvirt/,
    ],
    [
      'while a guest runs for libvirt alone',
      scene(({ domains }) => ({ domains: [...domains!, { name: 'storm_x', disc: undefined }] })),
      /storm_x is running according to libvirt, but not according to the API/,
    ],
    [
      'while a guest runs for nobody',
      host(({ guests }) => ({ guests: [...guests, { pid: 9, command: [] }] })),
      /3 QEMU processes and 2 domains/,
    ],
    [
      'while a guest runs on a host without any',
      scene(() => ({ domains: undefined })),
      /2 guests, but none should be running/,
    ],
    [
      'while libvirt has another disc in the drive',
      scene(({ domains }) => ({
        domains: [{ ...domains![0]!, disc: '/home/volumes/pv-blue/disk.img' }, domains![1]!],
      })),
      /on: the disc should be disc-red, its domain has .*pv-blue/,
    ],
    [
      'while libvirt has no disc in the drive',
      scene(({ domains }) => ({ domains: [{ ...domains![0]!, disc: undefined }, domains![1]!] })),
      /its domain has none/,
    ],
    [
      'while a VMI without a guest wants another disc',
      scene(({ vmis: [on, ...others] }) => ({
        domains: undefined,
        vmis: [{ ...on!, spec: { ...on!.spec, volumes: [] } }, ...others],
      })),
      /on: the disc should be disc-red, its VMI wants none/,
    ],
    ['while the VMI says otherwise', status({ cdromStatus: [] }), /its cdromStatus has none/],
    ['while a disc is on its way', status({ volumeStatus: [] }), /its volumeStatus is undefined/],
    [
      'while a process is left over',
      host(() => ({ strays: ['7 (qemu-img convert)'] })),
      /process 7 \(qemu-img convert\): belongs to nothing/,
    ],
    ['while files of a VM are left over', host(() => ({ files: ['gone'] })), /files of VMI gone/],
    ['while sockets of a VM are left over', host(() => ({ sockets: ['gone'] })), /sockets of VMI gone/],
    [
      'while a definition is left over',
      host(() => ({ definitions: ['storm_gone'] })),
      /definition of domain storm_gone/,
    ],
    ['while a state is left over', host(() => ({ states: ['storm_gone'] })), /state of domain storm_gone/],
    ['while a log is left over', host(() => ({ logs: ['storm_gone'] })), /log of domain storm_gone/],
    ['while a monitor is left over', host(() => ({ monitors: ['storm_go'] })), /monitor of domain storm_go/],
    ['while a disk is left over', host(() => ({ disks: ['pv-gone'] })), /files of PersistentVolume pv-gone/],
    [
      'while data of a snapshot is left over',
      host(() => ({ kept: ['state-gone'] })),
      /files of VolumeSnapshotContent state-gone/,
    ],
    [
      'while a pod is left over',
      scene(({ pods }) => ({ pods: [...pods, stored(Pod, 'launcher-x', {})] })),
      /Pod launcher-x: belongs to nothing/,
    ],
    [
      'while a claim is left over',
      scene(({ claims }) => ({ claims: [...claims, stored(PersistentVolumeClaim, 'x', {})] })),
      /PersistentVolumeClaim x: belongs to nothing/,
    ],
    ['while a volume is left over', scene(() => ({ claims: [] })), /PersistentVolume pv-red: belongs to nothing/],
    [
      'while the content of a snapshot is left over',
      scene(({ snapshotContents }) => ({
        snapshotContents: [
          ...snapshotContents,
          stored(VirtualMachineSnapshotContent, 'x', { spec: { virtualMachineSnapshotName: 'gone' } }),
        ],
      })),
      /VirtualMachineSnapshotContent x: belongs to nothing/,
    ],
    [
      'while the content of a volume snapshot is left over',
      scene(({ volumeSnapshotContents }) => ({
        volumeSnapshotContents: [
          ...volumeSnapshotContents,
          stored(VolumeSnapshotContent, 'x', { spec: { volumeSnapshotRef: { name: 'gone' } } }),
        ],
      })),
      /VolumeSnapshotContent x: belongs to nothing/,
    ],
  ])('%s', (_, found, problem) => {
    expect(unrest(found).join('\n')).toMatch(problem);
  });
});

describe('a failure is explained', () => {
  const crashing = (conditions: object[]): Scene => scene(() => ({ vms: [off('CrashLoopBackOff', { conditions })] }));
  const failed = (reason: string): Scene =>
    scene(() => ({
      snapshots: [
        stored(VirtualMachineSnapshot, 'kept', {
          ...snapshotOf('on', 'kept'),
          status: { phase: 'Failed', conditions: [{ type: 'Failure', status: 'True', reason }] },
        }),
      ],
    }));

  it.each<[what: string, scene: Scene, isExplained: boolean]>([
    ['by a condition with a message', crashing([{ type: 'Ready', status: 'False', message: 'the guest died' }]), true],
    [
      'not by conditions that say that all is well',
      crashing([{ type: 'Ready', status: 'True', message: 'fine' }]),
      false,
    ],
    ['not by a condition without a message', crashing([{ type: 'Ready', status: 'False' }]), false],
    ['of a snapshot by its reason', failed('the content of the snapshot was deleted'), true],
    ['not by the time that has passed alone', failed('snapshot deadline exceeded'), false],
    [
      'not of a restore that says nothing',
      scene(() => ({ restores: [stored(VirtualMachineRestore, 'back', { status: { complete: false } })] })),
      false,
    ],
  ])('%s', (_, found, isExplained) => {
    expect(unexplained(found).length === 0).toBe(isExplained);
  });

  it('of a VMI as well', () => {
    const vmi = stored(VirtualMachineInstance, 'on', { status: { phase: 'Failed' } });
    expect(unexplainedVmi(vmi)).toEqual(['VMI on has failed and no condition says why']);
  });
});
