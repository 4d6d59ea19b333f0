import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { DiskSource } from '@vireo/hypervisor';
import { describe, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import type { DriveView } from './domainView.ts';
import {
  type DriveState,
  driveStatuses,
  insertedClaim,
  type Medium,
  mediaCondition,
  mediumChange,
  wantedMedium,
  withMedia,
} from './drives.ts';

const disc = (path: string): DiskSource => ({ kind: 'file', path, format: 'raw', directIo: false });
const drive = (source?: string, isTrayOpen = false): DriveView => ({ target: 'sda', isTrayOpen, source });

/** A VMI with a drive `cd`: what it should hold, and what its status says that it holds. */
function vmi(wanted?: { claim: string; isFixed?: boolean }, reported?: string): VirtualMachineInstance {
  const source = wanted && { claimName: wanted.claim, ...(!wanted.isFixed && { hotpluggable: true }) };
  const base = vmiIn(
    'Running',
    {},
    {
      domain: { devices: { disks: [{ name: 'cd', cdrom: { bus: 'sata' } }] } },
      volumes: source ? [{ name: 'cd', persistentVolumeClaim: source }] : [],
    },
  );
  const status = { name: 'cd', target: 'sda', hotplugVolume: {}, persistentVolumeClaimInfo: { claimName: reported } };
  return { ...base, status: { ...base.status, ...(reported && { volumeStatus: [status] }) } };
}

describe('what a drive should hold', () => {
  it.each<[string, VirtualMachineInstance, object]>([
    ['nothing without a volume', vmi(), { type: 'nothing' }],
    ['a claim that comes and goes', vmi({ claim: 'iso' }), { type: 'claim', claim: 'iso' }],
    ['what it was started with', vmi({ claim: 'iso', isFixed: true }), { type: 'fixed' }],
    ['nothing once the spec has no such drive', vmiIn('Running'), { type: 'nothing' }],
  ])('%s', (_, of, expected) => {
    expect(wantedMedium(of, 'cd')).toEqual(expected);
  });
});

describe('the medium of a drive', () => {
  const problem = { reason: 'FailedPvcNotFound', message: 'x' } as const;
  const missing: Medium = { type: 'missing', claim: 'iso', problem };
  const inserted: Medium = { type: 'disc', claim: 'iso', source: disc('/iso') };
  it.each<[string, DriveView, Medium, string | undefined, object | undefined]>([
    ['a disc comes', drive(), inserted, undefined, { to: disc('/iso') }],
    ['one that is in stays', drive('/iso'), inserted, 'iso', undefined],
    ['one is exchanged for another', drive('/old'), inserted, 'old', { to: disc('/iso') }],
    ['one goes', drive('/iso'), { type: 'nothing' }, 'iso', { to: undefined }],
    ['an empty drive stays empty', drive(), { type: 'nothing' }, undefined, undefined],
    ['what it was started with stays', drive('/iso'), { type: 'fixed' }, undefined, undefined],
    ['the old one goes though the new one is not there yet', drive('/old'), missing, 'old', { to: undefined }],
    ['a disc stays whose claim was deleted', drive('/iso'), missing, 'iso', undefined],
    ['nothing comes while there is none', drive(), missing, undefined, undefined],
  ])('%s', (_, before, medium, inside, expected) => {
    expect(mediumChange(before, medium, inside)).toEqual(expected);
  });
});

describe('the status of a drive', () => {
  const inserted: Medium = { type: 'disc', claim: 'iso', source: disc('/iso') };
  const locked = { reason: 'TrayLocked', message: 'locked' } as const;
  const size = { source: '/iso', sizeBytes: 4096, isReadable: true };
  const driveStatus = (of: VirtualMachineInstance, view: DriveView, state: DriveState) =>
    withMedia(of, of.status?.volumeStatus ?? [], { cd: view }, { cd: state }).map(
      ({ phase, target, reason, persistentVolumeClaimInfo: info, size: bytes }) =>
        [phase, target, reason, info?.claimName, bytes].join(' '),
    );

  it('follows a disc from the claim to the drive and out again', () => {
    const missing = { type: 'missing', claim: 'iso', problem: { reason: 'PVCNotReady', message: 'x' } } as const;
    expect(driveStatus(vmi({ claim: 'iso' }), drive(), { medium: missing, problem: missing.problem })).toEqual([
      'Pending  PVCNotReady iso ',
    ]);
    expect(driveStatus(vmi({ claim: 'iso' }), drive(), { medium: inserted })).toEqual([
      'MountedToPod  VolumeMountedToPod iso ',
    ]);
    expect(driveStatus(vmi({ claim: 'iso' }), drive('/iso'), { medium: inserted, disc: size })).toEqual([
      'Ready sda VolumeReady iso 4096',
    ]);
    const waiting = { medium: { type: 'nothing' }, problem: locked, disc: size } as const;
    expect(driveStatus(vmi(undefined, 'iso'), drive('/iso'), waiting)).toEqual(['Detaching sda TrayLocked iso 4096']);
    expect(driveStatus(vmi(undefined, 'iso'), drive(), { medium: { type: 'nothing' } })).toEqual([]);
  });

  it('an exchange that waits names the claim that is still in the drive', () => {
    const waiting = { medium: inserted, problem: locked };
    expect(driveStatus(vmi({ claim: 'iso' }, 'old'), drive('/old'), waiting)).toEqual([
      'Detaching sda TrayLocked old ',
    ]);
    expect(insertedClaim(vmi({ claim: 'iso' }, 'old'), 'cd', drive('/old'), inserted)).toBe('old');
  });

  it('nothing is known of a drive that has the name of a property of every object', () => {
    const drives = { constructor: drive() };
    expect(withMedia(vmi(), [], drives, {})).toEqual([]);
    expect(driveStatuses(vmi(), drives, {})).toEqual([{ name: 'constructor', target: 'sda', tray: 'closed' }]);
  });

  it('every drive tells what is in it, and how its tray is', () => {
    const state = { medium: inserted, disc: { ...size, isReadable: false } };
    expect(driveStatuses(vmi({ claim: 'iso' }), { cd: drive('/iso') }, { cd: state })).toEqual([
      {
        name: 'cd',
        target: 'sda',
        tray: 'closed',
        claimName: 'iso',
        size: 4096,
        message: expect.stringMatching(/ISO/),
      },
    ]);
    expect(driveStatuses(vmi(), { cd: drive(undefined, true) }, {})).toEqual([
      { name: 'cd', target: 'sda', tray: 'open' },
    ]);
  });

  it('a problem of a drive becomes a condition', () => {
    expect(mediaCondition({ cd: { medium: { type: 'nothing' }, problem: locked } })).toEqual({
      status: 'False',
      reason: 'TrayLocked',
      message: 'locked',
    });
    expect(mediaCondition({ cd: { medium: { type: 'nothing' } } })).toBeUndefined();
  });
});
