import { runStrategyOf, type Vm, type VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith, vmWith } from '../testing/objects.ts';
import { decide, isSetToStart } from './runStrategy.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const nothing = undefined;
const running = vmiWith({ phase: 'Running' });
const succeeded = vmiWith({ phase: 'Succeeded' });
const failed = vmiWith({ phase: 'Failed' });
const going = vmiWith({ phase: 'Running' }, deleting);

type Requests = VmStatus['stateChangeRequests'];
const none: Requests = [];
const start: Requests = [{ action: 'Start' }];
const startPaused: Requests = [{ action: 'Start', data: { paused: 'true' } }];
const stop: Requests = [{ action: 'Stop', uid: 'vmi-uid' }];
const stopOther: Requests = [{ action: 'Stop', uid: 'an-older-one' }];
const restart: Requests = [{ action: 'Stop', uid: 'vmi-uid' }, { action: 'Start' }];

const decided = (runStrategy: string, vmi: Vmi | undefined, stateChangeRequests: Requests, status: VmStatus = {}) => {
  const decision = decide(vmWith({ runStrategy }, { stateChangeRequests, ...status }), vmi, NOW);
  if (decision.action === 'start' && decision.paused) return 'start paused';
  return decision.action === 'stop' && decision.thenStart ? 'stop, then start' : decision.action;
};

describe('run strategy × VMI × request', () => {
  it.each<[strategy: string, state: string, vmi: Vmi | undefined, request: Requests, expected: string]>([
    ['Always', 'no VMI', nothing, none, 'start'],
    ['Always', 'no VMI, a paused start', nothing, startPaused, 'start paused'],
    ['Always', 'a running one', running, none, 'none'],
    ['Always', 'a running one, stop', running, stop, 'stop'],
    ['Always', 'a running one, restart', running, restart, 'stop'],
    ['Always', 'a running one, stop of another', running, stopOther, 'none'],
    ['Always', 'one that succeeded', succeeded, none, 'stop'],
    ['Always', 'one that failed', failed, none, 'stop'],
    ['Always', 'one that goes', going, none, 'none'],

    ['RerunOnFailure', 'a running one', running, none, 'none'],
    ['RerunOnFailure', 'a running one, stop', running, stop, 'stop'],
    ['RerunOnFailure', 'one that failed', failed, none, 'stop, then start'],
    ['RerunOnFailure', 'one that succeeded', succeeded, none, 'stop'],
    ['RerunOnFailure', 'no VMI, start', nothing, start, 'start'],
    ['RerunOnFailure', 'no VMI, never run', nothing, none, 'start'],

    ['Manual', 'no VMI', nothing, none, 'none'],
    ['Manual', 'no VMI, start', nothing, start, 'start'],
    ['Manual', 'no VMI, paused start', nothing, startPaused, 'start paused'],
    ['Manual', 'a running one', running, none, 'none'],
    ['Manual', 'a running one, stop', running, stop, 'stop'],
    ['Manual', 'a running one, restart', running, restart, 'stop'],
    ['Manual', 'one that failed', failed, none, 'none'],
    ['Manual', 'one that succeeded', succeeded, none, 'none'],

    ['Halted', 'no VMI', nothing, none, 'none'],
    ['Halted', 'no VMI, start', nothing, startPaused, 'switchOn'],
    ['Halted', 'a running one', running, none, 'stop'],
    ['Halted', 'one that goes', going, none, 'none'],

    ['Once', 'no VMI', nothing, none, 'start'],
    ['Once', 'a running one', running, none, 'none'],
    ['Once', 'one that failed', failed, none, 'none'],
    ['Once', 'one that succeeded', succeeded, none, 'none'],

    ['SomethingNew', 'no VMI', nothing, none, 'none'],
  ])('%s: %s', (strategy, _, vmi, requests, expected) => {
    expect(decided(strategy, vmi, requests)).toBe(expected);
  });

  it('a VM that has run under RerunOnFailure stays down', () => {
    expect(decided('RerunOnFailure', nothing, none, { runStrategy: 'RerunOnFailure' })).toBe('none');
  });

  it.each([
    ['Always', 'wait'],
    ['RerunOnFailure', 'wait'],
    ['Once', 'wait'],
    // Somebody asked for it.
    ['Manual', 'start'],
  ])('%s after failed starts: %s', (strategy, expected) => {
    const startFailure = { consecutiveFailCount: 1, retryAfterTimestamp: '2026-01-01T12:00:10Z' };
    expect(decided(strategy, nothing, start, { startFailure })).toBe(expected);
  });

  it('a VM that was changed after a failed start is started at once', () => {
    const startFailure = { consecutiveFailCount: 1, retryAfterTimestamp: '2026-01-01T12:00:10Z' };
    const { generation = 0 } = vmWith().metadata;
    expect(decided('Always', nothing, none, { startFailure, desiredGeneration: generation - 1 })).toBe('start');
    expect(decided('Always', nothing, none, { startFailure, desiredGeneration: generation })).toBe('wait');
  });

  it('a VM is started again once the back-off is over', () => {
    const startFailure = { consecutiveFailCount: 1, retryAfterTimestamp: '2026-01-01T12:00:00Z' };
    expect(decided('Always', nothing, none, { startFailure })).toBe('start');
  });
});

it.each<[Partial<Vm['spec']>, string]>([
  [{ runStrategy: 'Manual' }, 'Manual'],
  [{ runStrategy: undefined, running: true }, 'Always'],
  [{ runStrategy: undefined, running: false }, 'Halted'],
])('the run strategy of %j is %s', (spec, expected) => {
  expect(runStrategyOf(vmWith(spec))).toBe(expected);
});

it.each<[string, Vmi | undefined, Requests, boolean]>([
  ['Always', nothing, none, true],
  ['Once', nothing, none, true],
  ['Halted', running, none, false],
  ['Manual', nothing, none, false],
  ['Manual', nothing, start, true],
  ['Manual', running, none, true],
  ['RerunOnFailure', succeeded, none, false],
])('%s is set to start', (runStrategy, vmi, stateChangeRequests, expected) => {
  expect(isSetToStart(vmWith({ runStrategy }, { stateChangeRequests }), vmi)).toBe(expected);
});
