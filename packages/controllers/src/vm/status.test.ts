import type { Condition } from '@vireo/api/kinds/kubevirt/conditions.ts';
import type { VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { describe, expect, it } from 'vitest';
import { vmiWith, vmWith } from '../testing/objects.ts';
import { canWait, type Observed, vmStatus } from './status.ts';

const now = new Date('2026-01-01T12:00:00Z');
const plain: Observed = { isStopping: false, storage: 'ready', now, random: () => 0 };
const condition = (type: string, status: string, reason?: string): Condition => ({
  type,
  status,
  ...(reason && { reason }),
});
const gist = (status: VmStatus) =>
  (status.conditions ?? []).map(({ type, status: is, reason }) => [type, is, reason].filter(Boolean).join(' '));

describe('the status of a VM', () => {
  it('is Stopped without a VMI', () => {
    const status = vmStatus(vmWith({ runStrategy: 'Halted' }), undefined, plain);
    expect(status).toMatchObject({ created: false, ready: false, printableStatus: 'Stopped' });
    expect(gist(status)).toEqual(['Ready False VMINotExists']);
    expect(status.runStrategy).toBeUndefined();
    expect(status.observedGeneration).toBeUndefined();
  });

  it('names the disk that it waits for until it has a VMI', () => {
    const unfilled = { type: 'DataVolumesReady', status: 'False', reason: 'NotAllDVsReady', message: 'DataVolume a' };
    const waiting = vmStatus(vmWith(), undefined, { ...plain, storage: 'provisioning', unfilled });
    expect(gist(waiting)).toEqual(['Ready False VMINotExists', 'DataVolumesReady False NotAllDVsReady']);
    const filled = vmStatus({ ...vmWith(), status: waiting }, undefined, plain);
    expect(gist(filled)).toEqual(['Ready False VMINotExists']);
  });

  it('is Starting with a VMI that has no status yet', () => {
    const status = vmStatus(
      vmWith(),
      vmiWith({ phase: 'Pending' }, { annotations: { 'kubevirt.io/vm-generation': '2' } }),
      plain,
    );
    expect(gist(status)).toEqual(['Ready False VMIConditionMissing']);
    expect(status).toMatchObject({
      created: true,
      printableStatus: 'Starting',
      observedGeneration: 2,
      desiredGeneration: 3,
      runStrategy: 'Always',
    });
  });

  it('mirrors the conditions of its VMI and forgets those that are gone', () => {
    const before = [
      condition('Ready', 'False', 'X'),
      condition('AgentConnected', 'True'),
      condition('ManualRecoveryRequired', 'True'),
    ];
    const conditions = [condition('LiveMigratable', 'False', 'Y'), condition('Ready', 'True')];
    const status = vmStatus(vmWith({}, { conditions: before }), vmiWith({ phase: 'Running', conditions }), plain);
    expect(gist(status)).toEqual(['Ready True', 'LiveMigratable False Y']);
    expect(status.ready).toBe(true);
  });

  it('has a failure while it lasts', () => {
    const failure = condition('Failure', 'True', 'FailedCreate');
    const failed = vmStatus(vmWith(), undefined, { ...plain, failure });
    expect(gist(failed)).toContain('Failure True FailedCreate');
    expect(gist(vmStatus(vmWith({}, failed), undefined, plain))).toEqual(['Ready False VMINotExists']);
  });

  it('is not ready with a guest that has ended, whatever its launcher last said', () => {
    const ended = vmiWith({ phase: 'Succeeded', conditions: [condition('Ready', 'True')] });
    expect(vmStatus(vmWith(), ended, plain).ready).toBe(false);
  });

  it('does not change when nothing has changed', () => {
    const vmi = vmiWith({ phase: 'Running', conditions: [condition('Ready', 'True')] });
    const once = vmStatus(vmWith(), vmi, plain);
    expect(vmStatus(vmWith({}, once), vmi, { ...plain, now: new Date(0) })).toEqual(once);
  });

  it('says which volumes a snapshot could hold', () => {
    const volumes = [
      { name: 'root', persistentVolumeClaim: { claimName: 'c' } },
      { name: 'seed', cloudInitNoCloud: { userData: 'x' } },
    ];
    const template = { spec: { domain: { devices: {} }, volumes } };
    expect(vmStatus(vmWith({ template }), undefined, plain).volumeSnapshotStatuses).toEqual([
      {
        name: 'root',
        enabled: false,
        reason: 'No VolumeSnapshotClass: Volume snapshots are not configured for the storage of volume [root]',
      },
      { name: 'seed', enabled: false, reason: 'Snapshot is not supported for this volumeSource type [seed]' },
    ]);
  });
});

describe('a change that can wait', () => {
  const starting: VmStatus = { created: true, conditions: [condition('Ready', 'False', 'A')] };
  it.each<[boolean, string, VmStatus]>([
    [true, 'another reason', { ...starting, conditions: [condition('Ready', 'False', 'B')] }],
    [
      true,
      'a condition of the VMI',
      { ...starting, conditions: [...starting.conditions!, condition('AgentConnected', 'True')] },
    ],
    [false, 'ready now', { ...starting, conditions: [condition('Ready', 'True')] }],
    [
      false,
      'a restart is needed',
      { ...starting, conditions: [...starting.conditions!, condition('RestartRequired', 'True')] },
    ],
    [false, 'anything but conditions', { ...starting, printableStatus: 'Running' }],
  ])('%s: %s', (expected, _, after) => {
    const changed = Object.keys(after).filter(
      (key) => key !== 'created' && (key !== 'conditions' || after.conditions !== starting.conditions),
    );
    expect(canWait(starting, after, Object.fromEntries(changed.map((key) => [key, true])))).toBe(expected);
  });
});
