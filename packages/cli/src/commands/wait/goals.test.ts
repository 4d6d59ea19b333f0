import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { GOALS, type Goal } from './goals.ts';

const metadata = { name: 'web', namespace: 'default' };
const vm = (runStrategy: string, status: Vm['status'] = {}): Vm =>
  persisted({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata, spec: { runStrategy }, status }) as Vm;
const vmi = (phase: string, status: Vmi['status'] = {}): Vmi =>
  persisted({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata,
    spec: {},
    status: { ...status, phase },
  }) as Vmi;
const agent = { conditions: [{ type: 'AgentConnected', status: 'True' }] } as Vmi['status'];
const unschedulable = {
  printableStatus: 'ErrorUnschedulable',
  conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes are available' }],
} as Vm['status'];
const stopped = { printableStatus: 'Stopped' } as Vm['status'];
const deleted = (vmi: Vmi): Vmi => ({
  ...vmi,
  metadata: { ...vmi.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});
const stopOf = (uid: string) =>
  ({ stateChangeRequests: [{ action: 'Stop', uid }, { action: 'Start' }] }) as Vm['status'];
const stopRequested = stopOf(vmi('Running').metadata.uid);
const stopOfAnother = stopOf('another');
const startRequested = { stateChangeRequests: [{ action: 'Start' }] } as Vm['status'];

it.each<[what: string, Goal, { vm?: Vm; vmi?: Vmi }, string]>([
  ['a VM that runs', 'running', { vm: vm('Always'), vmi: vmi('Running') }, 'reached'],
  ['an instance without a VM that runs', 'running', { vmi: vmi('Running') }, 'reached'],
  ['a VM whose instance starts', 'running', { vm: vm('Always'), vmi: vmi('Scheduling') }, 'waiting'],
  ['a stopped VM', 'running', { vm: vm('Halted') }, 'hopeless'],
  ['a stopped VM that was just asked to start', 'running', { vm: vm('Halted', startRequested) }, 'waiting'],
  ['a stopped VM whose guest still runs', 'agent', { vm: vm('Halted'), vmi: vmi('Running', agent) }, 'reached'],
  ['a VM whose instance is being replaced', 'running', { vm: vm('Always'), vmi: deleted(vmi('Running')) }, 'waiting'],
  [
    'a VM whose instance is being replaced',
    'agent',
    { vm: vm('Always'), vmi: deleted(vmi('Running', agent)) },
    'waiting',
  ],
  [
    'a VM that was just asked to restart',
    'agent',
    { vm: vm('Always', stopRequested), vmi: vmi('Running', agent) },
    'waiting',
  ],
  [
    'a VM whose earlier instance was stopped',
    'agent',
    { vm: vm('Always', stopOfAnother), vmi: vmi('Running', agent) },
    'reached',
  ],
  ['no VM', 'running', {}, 'hopeless'],
  ['an instance without a VM that has ended', 'running', { vmi: vmi('Succeeded') }, 'hopeless'],
  ['a guest without an agent', 'agent', { vm: vm('Always'), vmi: vmi('Running') }, 'waiting'],
  ['a guest with an agent', 'agent', { vm: vm('Always'), vmi: vmi('Running', agent) }, 'reached'],
  ['a guest without an address', 'address', { vm: vm('Always'), vmi: vmi('Running') }, 'waiting'],
  ['a guest that runs', 'ssh', { vm: vm('Always'), vmi: vmi('Running') }, 'ask ssh'],
  ['a guest that does not run', 'ssh', { vm: vm('Always') }, 'waiting'],
  ['a stopped VM', 'stopped', { vm: vm('Halted') }, 'reached'],
  ['a VM that is about to start', 'stopped', { vm: vm('Always', stopped) }, 'waiting'],
  ['a stopped VM that was just asked to start', 'stopped', { vm: vm('Manual', startRequested) }, 'waiting'],
  ['a VM that is started by hand', 'stopped', { vm: vm('Manual') }, 'reached'],
  ['a VM that runs once and has not begun', 'stopped', { vm: vm('Once') }, 'waiting'],
  ['a VM that has run once', 'stopped', { vm: vm('Once', stopped) }, 'reached'],
  ['a VM that has run once', 'running', { vm: vm('Once', stopped) }, 'hopeless'],
  ['a VM that is started by hand', 'running', { vm: vm('Manual', stopped) }, 'hopeless'],
  ['a VM that is run again only after a failure', 'agent', { vm: vm('RerunOnFailure', stopped) }, 'hopeless'],
  ['a VM that is about to start', 'running', { vm: vm('Always', stopped) }, 'waiting'],
  ['a VM whose instance has ended', 'stopped', { vm: vm('Halted'), vmi: vmi('Succeeded') }, 'reached'],
  ['a VM that runs', 'stopped', { vm: vm('Always'), vmi: vmi('Running') }, 'waiting'],
  ['no VM', 'stopped', {}, 'hopeless'],
  ['no VM', 'deleted', {}, 'reached'],
  ['a VM', 'deleted', { vm: vm('Halted') }, 'waiting'],
  ['an instance whose VM is gone', 'deleted', { vmi: vmi('Running') }, 'waiting'],
])('%s, waited for as %s', (_, goal, observed, state) => {
  expect(GOALS[goal](observed, 'web').state).toBe(state);
});

it('an address that is reached is told', () => {
  const withAddress = vmi('Running', { interfaces: [{}, { ipAddress: '10.0.2.2' }] } as Vmi['status']);
  expect(GOALS.address({ vmi: withAddress }, 'web')).toEqual({ state: 'reached', detail: '10.0.2.2' });
});

it('why a VM does not run is told', () => {
  expect(GOALS.running({ vm: vm('Always', unschedulable) }, 'web')).toEqual({
    state: 'waiting',
    why: 'it is ErrorUnschedulable: 0/1 nodes are available',
  });
});
