import { describe, expect, it } from 'vitest';
import { instance, machine } from '../../testing/machines.ts';
import { outcome } from '../../testing/outcome.ts';
import { forceStop, pause, restart, softReboot, start, stop, unpause } from './lifecycle.ts';

const halting = (runStrategy: string) => ({
  to: 'vm',
  patch: {
    metadata: { annotations: { 'harvesterhci.io/vmRunStrategy': runStrategy } },
    spec: { runStrategy: 'Halted' },
  },
});

describe('stop', () => {
  it.each(['Always', 'RerunOnFailure', 'Once'])('halts a machine that runs %s, and remembers it', (runStrategy) => {
    expect(outcome(stop, { vm: machine({ runStrategy }), vmi: instance() })).toEqual({
      type: 'write',
      writes: [halting(runStrategy)],
    });
  });

  it('leaves a machine alone that is off', () => {
    expect(outcome(stop, { vm: machine() })).toEqual({ type: 'write', writes: [] });
    expect(outcome(stop, { vm: machine({ runStrategy: 'Manual' }) })).toEqual({ type: 'write', writes: [] });
  });

  it('asks for the stop of a machine that is started by hand', () => {
    expect(outcome(stop, { vm: machine({ runStrategy: 'Manual' }), vmi: instance() })).toMatchObject({
      writes: [{ to: 'vmStatus', patch: { status: { stateChangeRequests: [{ action: 'Stop', uid: 'vmi-uid' }] } } }],
    });
  });

  it('writes the field that the machine uses', () => {
    expect(outcome(stop, { vm: machine({ running: true }), vmi: instance() })).toEqual({
      type: 'write',
      writes: [{ to: 'vm', patch: { spec: { running: false } } }],
    });
  });
});

describe('forceStop', () => {
  it('takes the guest its time and halts the machine', () => {
    expect(outcome(forceStop, { vm: machine({ runStrategy: 'Always' }), vmi: instance() })).toMatchObject({
      writes: [{ to: 'vmi', patch: { spec: { terminationGracePeriodSeconds: 0 } } }, halting('Always')],
    });
  });

  it('hurries a machine that is stopping', () => {
    expect(outcome(forceStop, { vm: machine(), vmi: instance() })).toMatchObject({
      writes: [{ to: 'vmi', patch: { spec: { terminationGracePeriodSeconds: 0 } } }, { to: 'vmStatus' }],
    });
  });

  it('has nothing to do where the machine is off, or has no time already', () => {
    expect(outcome(forceStop, { vm: machine() })).toEqual({ type: 'write', writes: [] });
    const vmi = instance({ spec: { terminationGracePeriodSeconds: 0 } });
    expect(outcome(forceStop, { vm: machine(), vmi })).toEqual({ type: 'write', writes: [] });
  });
});

describe('refusals', () => {
  const conflict = (why: string) => `409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "web": ${why}`;
  it.each([
    [start, { vm: machine({ runStrategy: 'Always' }), vmi: instance() }, 'VM is already running'],
    [start, { vm: machine({ runStrategy: 'Always' }) }, 'Always does not support manual start requests'],
    [restart, { vm: machine() }, 'RunStategy Halted does not support manual restart requests'],
    [restart, { vm: machine({ runStrategy: 'Always' }) }, 'VM is not running: Halted'],
    [pause, { vm: machine() }, 'VM is not running'],
    [unpause, { vm: machine() }, 'VM is not running'],
    [softReboot, { vm: machine() }, 'VM is not running'],
  ])('$name', (action, target, why) => {
    expect(outcome(action, target)).toBe(conflict(why));
  });
});

describe('what is offered', () => {
  const actions = [start, stop, restart, softReboot, pause, unpause, forceStop];
  const context = { client: undefined as never };
  const offered = (target: Parameters<typeof start.decide>[0]) =>
    actions.filter((action) => action.offered?.(target, context)).map(({ name }) => name);

  it.each([
    ['off', { vm: machine() }, ['start']],
    [
      'running',
      { vm: machine({ runStrategy: 'RerunOnFailure' }), vmi: instance() },
      ['stop', 'restart', 'softreboot', 'pause'],
    ],
    [
      'paused',
      { vm: machine({ runStrategy: 'RerunOnFailure' }), vmi: instance({ conditions: ['Paused'] }) },
      ['stop', 'restart', 'unpause'],
    ],
    [
      'stopping',
      { vm: machine({ status: { printableStatus: 'Stopping' } }), vmi: instance() },
      ['softreboot', 'pause', 'forceStop'],
    ],
    [
      'starting',
      { vm: machine({ runStrategy: 'RerunOnFailure' }), vmi: instance({ phase: 'Scheduling' }) },
      ['stop', 'restart'],
    ],
    [
      'about to start',
      { vm: machine({ runStrategy: 'Manual', status: { stateChangeRequests: [{ action: 'Start' }] } }) },
      [],
    ],
    ['ended', { vm: machine({ runStrategy: 'Manual' }), vmi: instance({ phase: 'Succeeded' }) }, ['start', 'restart']],
  ])('of a machine that is %s', (_, target, names) => {
    expect(offered(target)).toEqual(names);
  });
});
