import type { Persisted, Pod } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { podIn, vmiIn } from '../testing/objects.ts';
import { pendingAttachments, removableAttachments } from './attachments.ts';
import type { DriveView } from './domainView.ts';

const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

/** Names the claim `iso` in the drive `cd`, and `data` as a disk. */
const attachment = (metadata: object = {}, phase = 'Running'): Persisted<Pod> =>
  ({
    metadata: { name: 'hp-volume-x', ...metadata },
    spec: {
      volumes: ['data', 'cd'].map((name) => ({
        name,
        persistentVolumeClaim: { claimName: name === 'cd' ? 'iso' : name },
      })),
    },
    status: { phase },
  }) as unknown as Persisted<Pod>;

describe('an attachment pod that is to go', () => {
  const drive = (source?: string): DriveView => ({ target: 'sda', isTrayOpen: false, source });
  const free = (
    {
      disks = [],
      cd = drive(),
      inside = 'iso',
      state = 'running',
      open = [],
    }: {
      disks?: string[];
      cd?: DriveView;
      inside?: string;
      state?: 'running' | 'shutoff';
      open?: string[];
    },
    others: Persisted<Pod>[] = [],
    dump?: object,
  ) => {
    const volumeStatus = [
      { name: 'cd', target: 'sda', hotplugVolume: {}, persistentVolumeClaimInfo: { claimName: inside } },
      { name: 'data', target: 'sdb', hotplugVolume: {}, persistentVolumeClaimInfo: { claimName: 'data' } },
    ];
    const vmi = vmiIn('Running');
    const targets = Object.fromEntries([...disks, 'cd'].map((name) => [name, 'sdx']));
    const view = { machineType: '', diskTargets: targets, drives: { cd }, interfaces: {}, isAgentConnected: false };
    return removableAttachments({
      vmi: { ...vmi, status: { ...vmi.status, volumeStatus } },
      domain: { state: { state, reason: 'unknown' } as never, view },
      attachments: [attachment(going), ...others],
      cache: {
        dump: dump as never,
        unplugged: new Map(open.map((name) => [`/${name}`, { name, target: 'sdx', askedAtMs: 0, isOut: true }])),
      },
    }).length;
  };

  it.each([
    ['goes when all it names is out', free({}), 1],
    ['stays while the guest has a disk of it', free({ disks: ['data'] }), 0],
    ['stays while its disc is in the drive', free({ cd: drive('/iso') }), 0],
    ['goes when another disc is in the drive', free({ cd: drive('/other'), inside: 'other' }), 1],
    ['goes when another pod names all of it', free({ disks: ['data'] }, [attachment()]), 1],
    ['stays while that other one does not run', free({ disks: ['data'] }, [attachment({}, 'Pending')]), 0],
    ['goes when the guest has ended', free({ disks: ['data'], state: 'shutoff' }), 1],
    ['stays while QEMU has the file of its disk open', free({ open: ['data'] }), 0],
    ['stays while memory is written to its claim', free({}, [], { claim: 'data' }), 0],
    ['goes when that is done', free({}, [], { claim: 'data', endedAtMs: 1 }), 1],
  ])('%s', (_, free, expected) => {
    expect(free).toBe(expected);
  });
});

it('an attachment pod is taken with its launcher, and not with one that goes', () => {
  const pods = [attachment({}, 'Pending'), attachment(), attachment(going, 'Pending')];
  expect(pendingAttachments(podIn('Running'), pods)).toEqual([pods[0]]);
  expect(pendingAttachments(podIn('Succeeded'), pods)).toEqual([]);
  expect(pendingAttachments({ ...podIn('Running'), metadata: going }, pods)).toEqual([]);
});
