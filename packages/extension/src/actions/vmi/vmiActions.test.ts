import { describe, expect, it } from 'vitest';
import { outcome } from '../../testing/outcome.ts';
import { type InstanceParts, vmiWith, vmWith } from '../../testing/vms.ts';
import type { PlannedAction } from '../action.ts';
import { ACTIONS } from '../table.ts';

const refusal = (message: string): string =>
  `409 Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "web": ${message}`;
const unreachable = (phase: string): string =>
  `Unable to connect to VirtualMachineInstance because phase is ${phase} instead of Running or Scheduled`;
const named = (name: string) =>
  ACTIONS.find(
    (action) => action.resource === 'virtualmachineinstances' && action.name === name,
  ) as PlannedAction<'virtualmachineinstances'>;
const devices = (of: object): InstanceParts => ({ spec: { domain: { devices: of } } });
const call = (path: string, body?: object) => ({ type: 'call', path, ...(body && { body }) });
const stream = (path: string, sharing: string) => ({ type: 'stream', path, sharing });

type Case = readonly [action: string, situation: string, vmi: InstanceParts, expected: unknown];

const noAcpi = (conditions: string[]): InstanceParts => ({
  conditions,
  spec: { domain: { devices: {}, features: { acpi: { enabled: false } } } },
});

const CASES: Case[] = [
  ['pause', 'running', {}, call('pause')],
  ['pause', 'not running yet', { phase: 'Scheduled' }, refusal('VM is not running')],
  ['pause', 'paused', { conditions: ['Paused'] }, refusal('VMI is already paused')],
  [
    'pause',
    'watched by a probe',
    { spec: { livenessProbe: { tcpSocket: { port: 22 } } } },
    '403 virtualmachineinstance.kubevirt.io "web" is forbidden: Pausing VMIs with LivenessProbe is currently not supported',
  ],
  ['pause', 'watched by its agent', { spec: { livenessProbe: { guestAgentPing: {} } } }, call('pause')],
  ['unpause', 'paused', { conditions: ['Paused'] }, call('unpause')],
  ['unpause', 'running', {}, refusal('VMI is not paused')],
  ['unpause', 'ended', { phase: 'Succeeded' }, refusal('VMI is not running')],
  ['unfreeze', 'running', {}, call('unfreeze')],
  ['unfreeze', 'ended', { phase: 'Failed' }, refusal('VMI is not running')],
  ['freeze', 'ended', { phase: 'Failed' }, refusal('VMI is not running')],
  ['softreboot', 'running', {}, call('softreboot')],
  ['softreboot', 'pending', { phase: 'Pending' }, refusal('VMI is not running')],
  ['softreboot', 'paused', { conditions: ['Paused'] }, refusal('VMI is paused')],
  ['softreboot', 'deaf', noAcpi([]), refusal('VMI neither have the agent connected nor the ACPI feature enabled')],
  ['softreboot', 'without ACPI but with an agent', noAcpi(['AgentConnected']), call('softreboot')],
  ['reset', 'running', {}, call('reset')],
  ['reset', 'starting', { phase: 'Scheduled' }, call('reset')],
  [
    'reset',
    'ended',
    { phase: 'Succeeded' },
    `400 Failed to reset non-running VMI with phase Succeeded: ${unreachable('Succeeded')}`,
  ],
  ...['guestosinfo', 'userlist', 'filesystemlist'].flatMap((name): Case[] => [
    [name, 'with an agent', { conditions: ['AgentConnected'] }, call(name)],
    [name, 'without an agent', {}, refusal('VMI does not have guest agent connected')],
    [name, 'ended', { phase: 'Failed', conditions: ['AgentConnected'] }, refusal('VMI is not running')],
  ]),
  ['console', 'running', {}, stream('console', 'console')],
  ['console', 'without one', devices({ autoattachSerialConsole: false }), '400 No serial consoles are present.'],
  ['console', 'failed', { phase: 'Failed' }, refusal('VMI is in failed status')],
  ['console', 'starting', { phase: 'Scheduled' }, '400 VMI is not running'],
  ['usbredir', 'running', devices({ clientPassthrough: {} }), stream('usbredir', 'parallel')],
  [
    'usbredir',
    'not asked for',
    {},
    refusal('Not configured with USB Redirection: devices.clientPassthrough is missing'),
  ],
  ['usbredir', 'starting', { ...devices({ clientPassthrough: {} }), phase: 'Scheduled' }, '400 VMI is not running'],
  ['vnc', 'running', {}, stream('vnc', 'screen')],
  ['vnc', 'without a screen', devices({ autoattachGraphicsDevice: false }), '400 No graphics devices are present.'],
  ['vnc', 'ended', { phase: 'Succeeded' }, '400 VMI is not running'],
  ['vnc/screenshot', 'running', {}, call('screenshot')],
  [
    'vnc/screenshot',
    'without a screen',
    devices({ autoattachGraphicsDevice: false }),
    '400 No graphics devices are present.',
  ],
  ['vnc/screenshot', 'ended', { phase: 'Failed' }, '400 VMI is not running'],
];

describe('actions on instances', () => {
  it.each(CASES)('%s: %s', (name, _situation, parts, expected) => {
    expect(outcome(named(name), { vmi: vmiWith(parts) })).toEqual(expected);
  });

  it('freeze hands its timeout to the node', () => {
    const body = { unfreezeTimeout: '5m' };
    expect(outcome(named('freeze'), { vmi: vmiWith() }, { body })).toEqual(call('freeze', body));
  });

  it('unpause waits for a snapshot', () => {
    const target = {
      vm: vmWith({ status: { snapshotInProgress: 'nightly' } }),
      vmi: vmiWith({ conditions: ['Paused'] }),
    };
    expect(outcome(named('unpause'), target)).toBe(refusal('VM snapshot "nightly" in progress'));
  });

  it('vnc can be asked to leave an open session alone', () => {
    expect(outcome(named('vnc'), { vmi: vmiWith() }, { query: 'preserveSession=true' })).toEqual(
      stream('vnc', 'screenUnlessTaken'),
    );
  });

  it('a screenshot can wake the screen', () => {
    expect(outcome(named('vnc/screenshot'), { vmi: vmiWith() }, { query: 'moveCursor=true' })).toEqual(
      call('screenshot?moveCursor=true'),
    );
  });
});

describe('portforward', () => {
  type Forward = readonly [parameters: Record<string, string>, parts: InstanceParts, expected: unknown];
  const cases: Forward[] = [
    [{ port: '22' }, {}, stream('portforward/22/tcp', 'parallel')],
    [{ port: '53', protocol: 'udp' }, {}, stream('portforward/53/udp', 'parallel')],
    [{ port: '0' }, {}, '400 port "0" is not a number from 1 to 65535'],
    [{ port: '65536' }, {}, '400 port "65536" is not a number from 1 to 65535'],
    [{ port: 'ssh' }, {}, '400 port "ssh" is not a number from 1 to 65535'],
    [{ port: '22', protocol: 'sctp' }, {}, '400 protocol "sctp" is neither tcp nor udp'],
    [{ port: '22' }, { phase: 'Pending' }, `400 ${unreachable('Pending')}`],
    [{ port: '22' }, { conditions: ['Paused'] }, refusal('VMI is paused')],
    [{ port: '22' }, { status: { interfaces: [] } }, '400 VMI has no network interfaces'],
  ];
  it.each(cases)('%o of an instance that is %o', (parameters, parts, expected) => {
    expect(outcome(named('portforward'), { vmi: vmiWith(parts) }, { parameters })).toEqual(expected);
  });

  const ofVm = ACTIONS.find(
    (action) => action.resource === 'virtualmachines' && action.name === 'portforward',
  ) as PlannedAction<'virtualmachines'>;

  it('of a machine goes to its instance', () => {
    const target = { vm: vmWith({ status: { created: true } }), vmi: vmiWith() };
    expect(outcome(ofVm, target, { parameters: { port: '22' } })).toEqual(stream('portforward/22/tcp', 'parallel'));
  });

  it('of a machine that is off is refused', () => {
    expect(outcome(ofVm, { vm: vmWith() }, { parameters: { port: '22' } })).toBe(
      '409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "web": VMI is not started',
    );
  });
});

describe('what is not done yet', () => {
  it('says so, with the name of the action', () => {
    const migrate = ACTIONS.find(({ name }) => name === 'migrate') as PlannedAction<'virtualmachines'>;
    expect(outcome(migrate, { vm: vmWith() })).toBe(
      `501 virtualmachines/migrate of "web" is part of KubeVirt's API, but Vireo does not do it yet: machines do not move between nodes`,
    );
  });
});
