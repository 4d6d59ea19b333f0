import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith, vmWith } from '../testing/objects.ts';
import type { VmActions } from './act.ts';
import { reconcileVm, type VmState } from './reconcile.ts';
import { startedSpec, startRevision } from './revision.ts';

/** Notes what is done, in order, in a word each. */
function noting(refusals: Partial<Record<'start' | 'stop', Error>> = {}): { act: VmActions; done: string[] } {
  const done: string[] = [];
  const refuse = (what: 'start' | 'stop') => {
    if (refusals[what]) throw refusals[what];
  };
  const act: VmActions = {
    async patchVm(vm, patch) {
      done.push(`patch VM ${JSON.stringify(patch)}`);
      return vm;
    },
    async writeStatus(vm, status) {
      done.push(`status ${status.printableStatus}${requests(status)}`);
      return { ...vm, status };
    },
    async createDataVolume(_, { metadata }) {
      done.push(`create DataVolume ${metadata.name}`);
    },
    async start() {
      done.push('start');
      refuse('start');
      return vmiWith({ phase: 'Pending' });
    },
    async stop() {
      done.push('stop');
      refuse('stop');
    },
    async patchVmi(vmi, patch) {
      done.push(`patch VMI ${JSON.stringify(patch)}`);
      return vmi;
    },
    async deleteRevision({ metadata }) {
      done.push(`delete ${metadata.name}`);
    },
  };
  return { act, done };
}
const requests = ({ stateChangeRequests = [] }: VmStatus): string =>
  stateChangeRequests.length > 0 ? ` [${stateChangeRequests.map(({ action }) => action)}]` : '';

const state = (vm: Vm, vmi?: Vmi, more: Partial<VmState> = {}): VmState => ({
  vm,
  vmi,
  revisions: [],
  typed: { spec: vm.spec, started: vmi && startedSpec(vmi, more.revisions ?? []) },
  storage: 'ready',
  disks: { claim: () => undefined, dataVolume: () => undefined },
  config: clusterConfig(undefined),
  now: new Date('2026-01-01T12:00:00Z'),
  random: () => 0,
  ...more,
});
const now = () => undefined;
const later = (ms: number) => ({ requeueAfterMs: ms });

describe('what is done, and in which order', () => {
  it.each<[string, VmState, string[]]>([
    ['the status shows a start after it happened', state(vmWith()), ['start', 'status Starting']],
    [
      'the status shows a stop before it happens',
      state(vmWith(), vmiWith({ phase: 'Failed' })),
      ['status CrashLoopBackOff', 'stop'],
    ],
    [
      'a rerun is asked for before what failed is gone',
      state(
        vmWith({ runStrategy: 'RerunOnFailure' }),
        vmiWith({ phase: 'Failed', phaseTransitionTimestamps: [{ phase: 'Running' }] }),
      ),
      ['status Stopped [Start]', 'stop'],
    ],
    [
      'an ended VMI is let go after the status of its VM shows the end',
      state(vmWith(), vmiWith({ phase: 'Failed' }, deleting)),
      [
        'status CrashLoopBackOff',
        'patch VMI {"metadata":{"finalizers":["kubevirt.io/foregroundDeleteVirtualMachine"]}}',
      ],
    ],
    [
      'a halted VM is switched on',
      state(vmWith({ runStrategy: 'Halted' }, { stateChangeRequests: [{ action: 'Start' }] })),
      ['patch VM {"spec":{"runStrategy":"Always"}}'],
    ],
    [
      'in its old form too',
      state(vmWith({ runStrategy: undefined, running: false }, { stateChangeRequests: [{ action: 'Start' }] })),
      ['patch VM {"spec":{"running":true}}'],
    ],
    [
      'a deleted VM stops its VMI',
      state(vmWith({}, {}, deleting), vmiWith({ phase: 'Running' })),
      ['status Terminating', 'stop'],
    ],
    ['and goes when that is gone', state(vmWith({}, {}, deleting)), ['patch VM {"metadata":{"finalizers":[]}}']],
    [
      'unless the VMI is to outlive it',
      state(
        vmWith({}, {}, { ...deleting, finalizers: ['kubevirt.io/virtualMachineControllerFinalize', 'orphan'] }),
        vmiWith({ phase: 'Running' }),
      ),
      ['patch VM {"metadata":{"finalizers":["orphan"]}}'],
    ],
    [
      'a deleted VM that is not ours any more is left alone',
      state(vmWith({}, {}, { ...deleting, finalizers: [] })),
      [],
    ],
  ])('%s', async (_, given, expected) => {
    const { act, done } = noting();
    await reconcileVm(given, act, now);
    expect(done).toEqual(expected);
  });

  it('old revisions go after a start', async () => {
    const revisions = [1, 2, 3].map((generation) =>
      persisted({
        ...startRevision(vmWith({}, {}, { generation })),
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
      }),
    );
    const { act, done } = noting();
    await reconcileVm(state(vmWith(), undefined, { revisions }), act, now);
    expect(done).toEqual([
      'start',
      'status Starting',
      'delete revision-start-vm-vm-uid-1',
      'delete revision-start-vm-vm-uid-2',
    ]);
  });

  it.each<['start' | 'stop', VmState, string]>([
    ['start', state(vmWith()), 'FailedCreate'],
    ['stop', state(vmWith(), vmiWith({ phase: 'Succeeded' })), 'FailedDelete'],
  ])('a %s that is refused is a condition, and is tried again', async (what, given, reason) => {
    const { act } = noting({ [what]: new Error('no') });
    const reasons: (string | undefined)[] = [];
    const write: VmActions['writeStatus'] = async (vm, status) => {
      reasons.push(status.conditions?.find(({ type }) => type === 'Failure')?.reason);
      return vm;
    };
    await expect(reconcileVm(given, { ...act, writeStatus: write }, now)).rejects.toThrow('no');
    expect(reasons.at(-1)).toBe(reason);
  });

  it('a VM waits for the end of its back-off', async () => {
    const startFailure = { consecutiveFailCount: 1, retryAfterTimestamp: '2026-01-01T12:00:07Z' };
    const { act, done } = noting();
    const result = await reconcileVm(state(vmWith({}, { startFailure })), act, now);
    expect([done, result]).toEqual([['status CrashLoopBackOff'], { requeueAfterMs: 7000 }]);
  });

  it('a status change that can wait is postponed, but not the end of a VMI', async () => {
    const ended = vmiWith({ phase: 'Succeeded', phaseTransitionTimestamps: [{ phase: 'Running' }] }, deleting);
    let settled: VmStatus = {};
    const write: VmActions['writeStatus'] = async (vm, status) => {
      settled = status;
      return vm;
    };
    await reconcileVm(state(vmWith(), ended), { ...noting().act, writeStatus: write }, now);
    const { act, done } = noting();
    const more = vmiWith({ ...ended.status, conditions: [{ type: 'AgentConnected', status: 'True' }] }, deleting);
    const result = await reconcileVm(state(vmWith({}, settled), more), act, later);
    expect(result).toEqual({ requeueAfterMs: 3000 });
    expect(done).toEqual(['patch VMI {"metadata":{"finalizers":["kubevirt.io/foregroundDeleteVirtualMachine"]}}']);
  });
});
