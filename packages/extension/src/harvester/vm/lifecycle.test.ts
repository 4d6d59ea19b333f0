import { describe, expect, it } from 'vitest';
import { outcome } from '../../testing/outcome.ts';
import { vmiWith, vmWith } from '../../testing/vms.ts';
import { forceStop, pause, restart, softReboot, start, stop, unpause } from './lifecycle.ts';

const halting = (runStrategy: string) => ({
  to: 'vm',
  patch: {
    metadata: { annotations: { 'harvesterhci.io/vmRunStrategy': runStrategy } },
    spec: { runStrategy: 'Halted' },
  },
});

describe('stop', () => {
  it.each(['Always', 'RerunOnFailure', 'Once'])('halts a VM that runs %s, and remembers it', (runStrategy) => {
    expect(outcome(stop, { vm: vmWith({ runStrategy }), vmi: vmiWith() })).toEqual({
      type: 'write',
      writes: [halting(runStrategy)],
    });
  });

  it('leaves a VM alone that is off', () => {
    expect(outcome(stop, { vm: vmWith() })).toEqual({ type: 'write', writes: [] });
    expect(outcome(stop, { vm: vmWith({ runStrategy: 'Manual' }) })).toEqual({ type: 'write', writes: [] });
  });

  it('asks for the stop of a VM that is started by hand', () => {
    expect(outcome(stop, { vm: vmWith({ runStrategy: 'Manual' }), vmi: vmiWith() })).toMatchObject({
      writes: [{ to: 'vmStatus', patch: { status: { stateChangeRequests: [{ action: 'Stop', uid: 'vmi-uid' }] } } }],
    });
  });

  it('writes the field that the VM uses', () => {
    expect(outcome(stop, { vm: vmWith({ running: true }), vmi: vmiWith() })).toEqual({
      type: 'write',
      writes: [{ to: 'vm', patch: { spec: { running: false } } }],
    });
  });
});

describe('forceStop', () => {
  it('takes the guest its time and halts the VM', () => {
    expect(outcome(forceStop, { vm: vmWith({ runStrategy: 'Always' }), vmi: vmiWith() })).toMatchObject({
      writes: [{ to: 'vmi', patch: { spec: { terminationGracePeriodSeconds: 0 } } }, halting('Always')],
    });
  });

  it('hurries a VM that is stopping', () => {
    expect(outcome(forceStop, { vm: vmWith(), vmi: vmiWith() })).toMatchObject({
      writes: [{ to: 'vmi', patch: { spec: { terminationGracePeriodSeconds: 0 } } }, { to: 'vmStatus' }],
    });
  });

  it('has nothing to do where the VM is off, or has no time already', () => {
    expect(outcome(forceStop, { vm: vmWith() })).toEqual({ type: 'write', writes: [] });
    const vmi = vmiWith({ spec: { terminationGracePeriodSeconds: 0 } });
    expect(outcome(forceStop, { vm: vmWith(), vmi })).toEqual({ type: 'write', writes: [] });
  });
});

describe('refusals', () => {
  const conflict = (why: string) => `409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "web": ${why}`;
  it.each([
    [start, { vm: vmWith({ runStrategy: 'Always' }), vmi: vmiWith() }, 'VM is already running'],
    [start, { vm: vmWith({ runStrategy: 'Always' }) }, 'Always does not support manual start requests'],
    [restart, { vm: vmWith() }, 'RunStategy Halted does not support manual restart requests'],
    [restart, { vm: vmWith({ runStrategy: 'Always' }) }, 'VM is not running: Halted'],
    [pause, { vm: vmWith() }, 'VM is not running'],
    [unpause, { vm: vmWith() }, 'VM is not running'],
    [softReboot, { vm: vmWith() }, 'VM is not running'],
  ])('$name', (action, target, why) => {
    expect(outcome(action, target)).toBe(conflict(why));
  });
});

describe('what is offered', () => {
  const actions = [start, stop, restart, softReboot, pause, unpause, forceStop];
  const context = { client: undefined as never };
  const listed = (target: Parameters<typeof start.decide>[0]) =>
    actions.filter((action) => action.isListed?.(target, context)).map(({ name }) => name);

  it.each([
    ['off', { vm: vmWith() }, ['start']],
    [
      'running',
      { vm: vmWith({ runStrategy: 'RerunOnFailure' }), vmi: vmiWith() },
      ['stop', 'restart', 'softreboot', 'pause'],
    ],
    [
      'paused',
      { vm: vmWith({ runStrategy: 'RerunOnFailure' }), vmi: vmiWith({ conditions: ['Paused'] }) },
      ['stop', 'restart', 'unpause'],
    ],
    [
      'stopping',
      { vm: vmWith({ status: { printableStatus: 'Stopping' } }), vmi: vmiWith() },
      ['softreboot', 'pause', 'forceStop'],
    ],
    [
      'starting',
      { vm: vmWith({ runStrategy: 'RerunOnFailure' }), vmi: vmiWith({ phase: 'Scheduling' }) },
      ['stop', 'restart'],
    ],
    [
      'about to start',
      { vm: vmWith({ runStrategy: 'Manual', status: { stateChangeRequests: [{ action: 'Start' }] } }) },
      [],
    ],
    ['ended', { vm: vmWith({ runStrategy: 'Manual' }), vmi: vmiWith({ phase: 'Succeeded' }) }, ['start', 'restart']],
  ])('of a VM that is %s', (_, target, names) => {
    expect(listed(target)).toEqual(names);
  });
});
