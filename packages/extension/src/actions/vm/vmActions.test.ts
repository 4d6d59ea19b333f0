import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { outcome } from '../../testing/outcome.ts';
import { vmiWith, vmWith } from '../../testing/vms.ts';
import type { Write } from '../action.ts';
import { restart } from './restart.ts';
import { start } from './start.ts';
import { stop } from './stop.ts';

type Case = readonly [situation: string, vm: Vm, vmi: Vmi | undefined, body: object, expected: string | Write[]];

const refusal = (message: string): string =>
  `409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "web": ${message}`;
const strategy = (runStrategy: string, status?: VirtualMachine['status']) => vmWith({ runStrategy, status });
const requests = (...stateChangeRequests: object[]): Write => ({
  to: 'vmStatus',
  patch: { status: { stateChangeRequests } },
});
const spec = (patch: object): Write => ({ to: 'vm', patch: { spec: patch } });
const grace = (seconds: number, before: number | null): Write => ({
  to: 'vmi',
  patch: { spec: { terminationGracePeriodSeconds: seconds } },
  undo: { spec: { terminationGracePeriodSeconds: before } },
});
const STOP = { action: 'Stop', uid: 'vmi-uid' };
const START = { action: 'Start' };
const PAUSED_START = { action: 'Start', data: { paused: 'true' } };
const live = vmiWith();
const failed = vmiWith({ phase: 'Failed' });
const succeeded = vmiWith({ phase: 'Succeeded' });
const pending = { stateChangeRequests: [STOP] };

const STARTS: Case[] = [
  ['halted', strategy('Halted'), undefined, {}, [spec({ runStrategy: 'Always' })]],
  ['halted by the old field', vmWith({ running: false }), undefined, {}, [spec({ running: true })]],
  ['halted, to be held', strategy('Halted'), undefined, { paused: true }, [requests(PAUSED_START)]],
  ['halted, its end still there', strategy('Halted'), succeeded, {}, [spec({ runStrategy: 'Always' })]],
  ['manual', strategy('Manual'), undefined, {}, [requests(START)]],
  ['manual, to be held', strategy('Manual'), undefined, { paused: true }, [requests(PAUSED_START)]],
  ['manual, ended', strategy('Manual'), failed, {}, [requests(STOP, START)]],
  ['rerun on failure', strategy('RerunOnFailure'), undefined, {}, [requests(START)]],
  ['rerun on failure, ended well', strategy('RerunOnFailure'), succeeded, {}, [requests(STOP, START)]],
  [
    'rerun on failure, failed',
    strategy('RerunOnFailure'),
    failed,
    {},
    refusal('RerunOnFailure does not support starting VM from failed state'),
  ],
  ['always', strategy('Always'), undefined, {}, refusal('Always does not support manual start requests')],
  ['once', strategy('Once'), undefined, {}, refusal('Once does not support manual start requests')],
  [
    'waiting for its data',
    strategy('WaitAsReceiver'),
    undefined,
    {},
    refusal('WaitAsReceiver does not support manual start requests'),
  ],
  ['running', strategy('Manual'), live, {}, refusal('VM is already running')],
  ['about to run', strategy('Halted'), vmiWith({ phase: 'Scheduling' }), {}, refusal('VM is already running')],
  ['created a moment ago', strategy('Manual'), vmiWith({ phase: '' }), {}, [requests(START)]],
  [
    'something asked for already',
    strategy('Manual', pending),
    undefined,
    {},
    refusal('unable to complete request: stop/start already underway'),
  ],
  [
    'in need of recovery',
    strategy('Halted', {
      conditions: [{ type: 'ManualRecoveryRequired', status: 'True', message: 'volumes are half moved' }],
    }),
    undefined,
    {},
    refusal('VM needs manual recovery first: volumes are half moved'),
  ],
  [
    'having failed to start',
    strategy('Manual', { startFailure: { consecutiveFailCount: 3 } }),
    undefined,
    {},
    [{ to: 'vmStatus', patch: { status: { stateChangeRequests: [START], startFailure: null } } }],
  ],
];

const STOPS: Case[] = [
  ['always', strategy('Always'), live, {}, [spec({ runStrategy: 'Halted' })]],
  ['always, by the old field', vmWith({ running: true }), live, {}, [spec({ running: false })]],
  ['always, nothing there', strategy('Always'), undefined, {}, [spec({ runStrategy: 'Halted' })]],
  [
    'always, being restarted',
    strategy('Always', { stateChangeRequests: [STOP, START] }),
    live,
    {},
    [{ to: 'vmStatus', patch: { status: { stateChangeRequests: null } } }, spec({ runStrategy: 'Halted' })],
  ],
  ['once', strategy('Once'), live, {}, [spec({ runStrategy: 'Halted' })]],
  ['always, quickly', strategy('Always'), live, { gracePeriod: 0 }, [grace(0, null), spec({ runStrategy: 'Halted' })]],
  ['always, quickly, ended', strategy('Always'), failed, { gracePeriod: 0 }, [spec({ runStrategy: 'Halted' })]],
  ['manual', strategy('Manual'), live, {}, [requests(STOP)]],
  ['manual, a start pending', strategy('Manual', { stateChangeRequests: [START] }), live, {}, [requests(STOP)]],
  ['manual, nothing there', strategy('Manual'), undefined, {}, refusal('VM is not running')],
  ['manual, ended', strategy('Manual'), succeeded, {}, refusal('VM is not running')],
  ['rerun on failure', strategy('RerunOnFailure'), live, {}, [requests(STOP)]],
  ['rerun on failure, ended', strategy('RerunOnFailure'), failed, {}, refusal('VM is not running')],
  ['halted', strategy('Halted'), undefined, {}, refusal('VM is not running')],
  ['halted, ended', strategy('Halted'), failed, { gracePeriod: 0 }, refusal('VM is not running')],
  [
    'halted, on its way down',
    strategy('Halted'),
    live,
    {},
    refusal('Halted only supports manual stop requests with a shorter graceperiod'),
  ],
  [
    'halted, on its way down, no quicker',
    strategy('Halted'),
    vmiWith({ spec: { terminationGracePeriodSeconds: 10 } }),
    { gracePeriod: 10 },
    refusal('Halted only supports manual stop requests with a shorter graceperiod'),
  ],
  [
    'halted, on its way down, quicker',
    strategy('Halted'),
    vmiWith({ spec: { terminationGracePeriodSeconds: 10 } }),
    { gracePeriod: 1 },
    [grace(1, 10), requests(STOP)],
  ],
  [
    'halted, quicker than the default',
    strategy('Halted'),
    live,
    { gracePeriod: 29 },
    [grace(29, null), requests(STOP)],
  ],
  ['in no time', strategy('Always'), live, { gracePeriod: -1 }, '400 gracePeriod has to be greater or equal to 0'],
  [
    'waiting for its data',
    strategy('WaitAsReceiver'),
    live,
    {},
    refusal('WaitAsReceiver does not support manual stop requests'),
  ],
];

const RESTARTS: Case[] = [
  ['always', strategy('Always'), live, {}, [requests(STOP, START)]],
  ['manual', strategy('Manual'), live, {}, [requests(STOP, START)]],
  ['rerun on failure, ended', strategy('RerunOnFailure'), failed, {}, [requests(STOP, START)]],
  ['by force', strategy('Always'), live, { gracePeriodSeconds: 0 }, [grace(1, null), requests(STOP, START)]],
  [
    'with grace',
    strategy('Always'),
    live,
    { gracePeriodSeconds: 5 },
    '400 For force restart, only gracePeriod=0 is supported for now',
  ],
  [
    'in no time',
    strategy('Always'),
    live,
    { gracePeriodSeconds: -1 },
    '400 gracePeriod has to be greater or equal to 0',
  ],
  ['halted', strategy('Halted'), live, {}, refusal('RunStategy Halted does not support manual restart requests')],
  ['once', strategy('Once'), live, {}, refusal('RunStategy Once does not support manual restart requests')],
  ['nothing there', strategy('Always'), undefined, {}, refusal('VM is not running: Halted')],
  [
    'something asked for already',
    strategy('Always', pending),
    live,
    {},
    refusal('unable to complete request: stop/start already underway'),
  ],
  [
    'its volumes changing',
    strategy('Always', { conditions: [{ type: 'VolumesChange', status: 'True' }] }),
    live,
    {},
    refusal('a volume change is in progress'),
  ],
];

const decision = (writes: string | Write[]) => (typeof writes === 'string' ? writes : { type: 'write', writes });

describe.each([
  ['start', start, STARTS],
  ['stop', stop, STOPS],
  ['restart', restart, RESTARTS],
] as const)('%s of a VM', (_, action, cases) => {
  it.each(cases)('%s', (_situation, vm, vmi, body, expected) => {
    expect(outcome(action, { vm, vmi }, { body })).toEqual(decision(expected));
  });
});
