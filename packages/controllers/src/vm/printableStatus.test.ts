import type { Condition } from '@vireo/api/kinds/kubevirt/conditions.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith, vmWith } from '../testing/objects.ts';
import { type Facts, printableStatus } from './printableStatus.ts';

const shown = (facts: Partial<Facts>): string =>
  printableStatus({
    vm: vmWith(),
    vmi: undefined,
    isStopping: false,
    storage: 'ready',
    startFailure: undefined,
    ...facts,
  });

const phase = (name: string, status: VmiStatus = {}): Vmi => vmiWith({ phase: name, ...status });
const outOfSync = (reason: string): Condition[] => [{ type: 'Synchronized', status: 'False', reason }];
const unschedulable: Condition[] = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
const paused: Condition[] = [{ type: 'Paused', status: 'True' }];
const startFailure = { consecutiveFailCount: 1 };

describe('printableStatus', () => {
  it.each<[expected: string, when: string, facts: Partial<Facts>]>([
    ['Terminating', 'the VM is being deleted', { vm: vmWith({}, {}, deleting), vmi: phase('Running') }],
    ['Stopping', 'its VMI is being deleted', { vmi: vmiWith({ phase: 'Running' }, deleting) }],
    ['Stopping', 'its VMI is about to be deleted', { vmi: phase('Running'), isStopping: true }],
    ['Stopped', 'the deleted VMI has ended', { vmi: vmiWith({ phase: 'Succeeded' }, deleting), isStopping: true }],
    [
      'Migrating',
      'a migration is under way',
      { vmi: phase('Running', { migrationState: { startTimestamp: '2026-01-01T00:00:00Z' } }) },
    ],
    [
      'Running',
      'the migration is over',
      { vmi: phase('Running', { migrationState: { startTimestamp: '2026-01-01T00:00:00Z', completed: true } }) },
    ],
    ['Paused', 'the guest is held', { vmi: phase('Running', { conditions: paused }) }],
    ['Running', 'the guest runs', { vmi: phase('Running') }],
    ['Running', 'the guest runs, whatever its volumes say', { vmi: phase('Running'), storage: 'provisioning' }],
    [
      'ErrorPvcNotFound',
      'a claim is missing',
      { vmi: phase('Pending', { conditions: outOfSync('FailedPvcNotFound') }) },
    ],
    ['DataVolumeError', 'a DataVolume failed', { storage: 'failed' }],
    ['ErrorUnschedulable', 'no node fits', { vmi: phase('Scheduling', { conditions: unschedulable }) }],
    ['Provisioning', 'a DataVolume is being filled', { storage: 'provisioning' }],
    ['WaitingForVolumeBinding', 'a claim has no volume yet', { storage: 'waitingForBinding' }],
    ['ErrImagePull', 'an image cannot be had', { vmi: phase('Scheduling', { conditions: outOfSync('ErrImagePull') }) }],
    [
      'ErrImagePull',
      'the name of an image is none',
      { vmi: phase('Scheduling', { conditions: outOfSync('InvalidImageName') }) },
    ],
    [
      'ImagePullBackOff',
      'an image was tried several times',
      { vmi: phase('Scheduling', { conditions: outOfSync('ImagePullBackOff') }) },
    ],
    ['Starting', 'the VMI has just been made', { vmi: phase('') }],
    ['Starting', 'Pending', { vmi: phase('Pending') }],
    ['Starting', 'Scheduling', { vmi: phase('Scheduling') }],
    ['Starting', 'Scheduled', { vmi: phase('Scheduled') }],
    ['Starting', 'another try after failed ones', { vmi: phase('Scheduled'), startFailure }],
    ['CrashLoopBackOff', 'starts keep failing', { startFailure }],
    ['CrashLoopBackOff', 'the failed VMI is still there', { vmi: phase('Failed'), startFailure }],
    [
      'Stopped',
      'failed starts of a VM that is started by hand',
      { vm: vmWith({ runStrategy: 'Manual' }), startFailure },
    ],
    ['Stopped', 'there is no VMI', {}],
    ['Stopped', 'the guest shut itself down', { vmi: phase('Succeeded') }],
    ['Stopped', 'a VM that was stopped had errors', { vmi: phase('Failed', { conditions: unschedulable }) }],
    ['WaitingForReceiver', 'a VM comes from another cluster', { vmi: phase('WaitingForSync') }],
    ['Unknown', 'its node does not answer', { vmi: phase('Unknown') }],
  ])('%s: %s', (expected, _, facts) => {
    expect(shown(facts)).toBe(expected);
  });
});
