import { describe, expect, it } from 'vitest';
import { outcome } from '../../testing/outcome.ts';
import { type VmiParts, vmiWith, vmWith } from '../../testing/vms.ts';
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
const devices = (of: object): VmiParts => ({ spec: { domain: { devices: of } } });
const call = (path: string, body?: object) => ({ type: 'call', path, ...(body && { body }) });
const stream = (path: string, sharing: string) => ({ type: 'stream', path, sharing });

type Case = readonly [action: string, situation: string, vmi: VmiParts, expected: unknown];

const noAcpi = (conditions: string[]): VmiParts => ({
  conditions,
  spec: { domain: { devices: {}, features: { acpi: { enabled: false } } } },
});

const moving: VmiParts = { status: { phase: 'Running', migrationState: { migrationUid: 'm' } } };
const moved: VmiParts = { status: { phase: 'Running', migrationState: { migrationUid: 'm', completed: true } } };

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
  ['pause', 'moving', moving, refusal('Cannot pause or unpause VMI while VMI migration is in progress')],
  ['pause', 'moved', moved, call('pause')],
  ['unpause', 'paused', { conditions: ['Paused'] }, call('unpause')],
  [
    'unpause',
    'moving',
    { ...moving, conditions: ['Paused'] },
    refusal('Cannot pause or unpause VMI while VMI migration is in progress'),
  ],
  ['unpause', 'moved', { ...moved, conditions: ['Paused'] }, call('unpause')],
  ['unpause', 'running', {}, refusal('VMI is not paused')],
  ['unpause', 'ended', { phase: 'Succeeded' }, refusal('VMI is not running')],
  ['unfreeze', 'running', {}, call('unfreeze')],
  ['unfreeze', 'ended', { phase: 'Failed' }, refusal('VMI is not running')],
  ['freeze', 'running', {}, call('freeze', {})],
  ['freeze', 'moving', moving, refusal('Cannot freeze file systems while VMI migration is in progress')],
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
  ['console', 'running', {}, stream('console', 'exclusiveConsole')],
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
  ['vnc', 'running', {}, stream('vnc', 'exclusiveVnc')],
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

describe('actions on VMIs', () => {
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
      stream('vnc', 'exclusiveVncOrRefuse'),
    );
  });

  it('a screenshot can wake the screen', () => {
    expect(outcome(named('vnc/screenshot'), { vmi: vmiWith() }, { query: 'moveCursor=true' })).toEqual(
      call('screenshot?moveCursor=true'),
    );
  });
});

describe('a command in the guest', () => {
  const connected: VmiParts = { conditions: ['AgentConnected'] };
  const execCall = (body: object) => ({
    ...call('exec', body),
    dryRunResponse: { apiVersion: 'subresources.kubevirt.io/v1', kind: 'ExecStatus', pid: 0, exited: false },
  });
  const [exec, execStatus] = ['PUT', 'GET'].map(
    (method) =>
      ACTIONS.find(
        (action) => action.resource === 'virtualmachineinstances' && action.name === 'exec' && action.method === method,
      ) as PlannedAction<'virtualmachineinstances'>,
  ) as [PlannedAction<'virtualmachineinstances'>, PlannedAction<'virtualmachineinstances'>];

  it.each([
    ['runs', connected, { command: ['id', '-u'] }, execCall({ command: ['id', '-u'], waitSeconds: 20 })],
    [
      'has input',
      connected,
      { command: ['cat'], stdin: 'aGk=', waitSeconds: 0 },
      execCall({ command: ['cat'], waitSeconds: 0, stdin: 'aGk=' }),
    ],
    ['is missing', connected, {}, '400 command must name a program'],
    ['is empty', connected, { command: [''] }, '400 command must name a program'],
    ['has bad input', connected, { command: ['cat'], stdin: 'hi!' }, '400 stdin is not encoded in base64'],
    [
      'has more input than the agent takes',
      connected,
      { command: ['cat'], stdin: Buffer.alloc((64 << 10) + 1).toString('base64') },
      '400 stdin is larger than 64 KiB, the limit of the guest agent: write it to a file with the file subresource, and have the command read the file',
    ],
    [
      'is waited for too long',
      connected,
      { command: ['id'], waitSeconds: 60 },
      '400 waitSeconds 60 is not a number from 0 to 20',
    ],
    ['finds no agent', {}, { command: ['id'] }, refusal('VMI does not have guest agent connected')],
    [
      'finds a paused guest',
      { conditions: ['AgentConnected', 'Paused'] },
      { command: ['id'] },
      refusal('VMI is paused'),
    ],
    ['finds no guest', { ...connected, phase: 'Failed' }, { command: ['id'] }, refusal('VMI is not running')],
  ] as const)('%s', (_, parts, body, expected) => {
    expect(outcome(exec, { vmi: vmiWith(parts) }, { body })).toEqual(expected);
  });

  it.each([
    ['42', call('exec/status?pid=42&waitSeconds=20')],
    ['0', '400 pid "0" is not a number'],
    ['1&x=y', '400 pid "1&x=y" is not a number'],
  ])('is asked about by its PID %s', (pid, expected) => {
    expect(outcome(execStatus, { vmi: vmiWith(connected) }, { parameters: { pid } })).toEqual(expected);
  });
});

describe('a directory of the node', () => {
  it.each([
    ['is shared', {}, { path: '/srv/site' }, call('mount', { path: '/srv/site', name: 'site', readOnly: false })],
    [
      'has another name, and is only read',
      {},
      { path: '/srv/site/', name: 'www', readOnly: true },
      call('mount', { path: '/srv/site/', name: 'www', readOnly: true }),
    ],
    ['is named from somewhere', {}, { path: 'site' }, '400 path "site" is not an absolute path of the node'],
    ['is all of them', {}, { path: '/' }, expect.stringMatching(/^400 name "" is not valid: at most 36 letters/)],
    [
      'has a long name',
      {},
      { path: '/srv', name: 'x'.repeat(37) },
      expect.stringMatching(/^400 name "x+" is not valid/),
    ],
    ['finds no guest', { phase: 'Failed' }, { path: '/srv' }, refusal('VMI is not running')],
  ] as const)('%s', (_, parts, body, expected) => {
    expect(outcome(named('mount'), { vmi: vmiWith(parts as VmiParts) }, { body })).toEqual(expected);
  });

  it('is for whom the cluster allows it, where it allows disks of nodes', () => {
    for (const name of ['mount', 'unmount', 'mounts'])
      expect(named(name)).toMatchObject({ minimumRole: 'none', gate: 'HostDisk' });
    expect(outcome(named('unmount'), { vmi: vmiWith() }, { body: { name: 'site' } })).toEqual(
      call('unmount', { name: 'site' }),
    );
  });
});

describe('a file of the guest', () => {
  const vmi = vmiWith({ conditions: ['AgentConnected'] });
  const [read, write] = ['GET', 'PUT'].map(
    (method) =>
      ACTIONS.find(
        ({ name, method: of }) => name === 'file' && of === method,
      ) as PlannedAction<'virtualmachineinstances'>,
  ) as [PlannedAction<'virtualmachineinstances'>, PlannedAction<'virtualmachineinstances'>];

  it.each([
    ['path=/a%26b c&offset=5', call('file/read?path=%2Fa%26b+c&offset=5')],
    ['path=C:\\x', call('file/read?path=C%3A%5Cx&offset=0')],
    ['path=notes', '400 path "notes" is not an absolute path of the guest'],
    ['', '400 path "" is not an absolute path of the guest'],
    ['path=/a&offset=-1', '400 offset "-1" is not a number of bytes'],
  ])('is read: %s', (query, expected) => {
    expect(outcome(read, { vmi }, { query })).toEqual(expected);
  });

  it.each([
    [{ path: '/a', content: 'aGk=' }, call('file/write', { path: '/a', content: 'aGk=', append: false })],
    [{ path: '/a', content: '', append: true }, call('file/write', { path: '/a', content: '', append: true })],
    [{ path: '../a', content: '' }, '400 path "../a" is not an absolute path of the guest'],
    [{ path: '/a', content: '{}' }, '400 content is not encoded in base64'],
  ])('is written: %j', (body, expected) => {
    expect(outcome(write, { vmi }, { body })).toEqual(expected);
  });

  it('needs an agent', () => {
    expect(outcome(write, { vmi: vmiWith() }, { body: { path: '/a', content: '' } })).toBe(
      refusal('VMI does not have guest agent connected'),
    );
  });
});

describe('portforward', () => {
  type Forward = readonly [parameters: Record<string, string>, parts: VmiParts, expected: unknown];
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
  it.each(cases)('%o of a VMI that is %o', (parameters, parts, expected) => {
    expect(outcome(named('portforward'), { vmi: vmiWith(parts) }, { parameters })).toEqual(expected);
  });

  const ofVm = ACTIONS.find(
    (action) => action.resource === 'virtualmachines' && action.name === 'portforward',
  ) as PlannedAction<'virtualmachines'>;

  it('of a VM goes to its VMI', () => {
    const target = { vm: vmWith({ status: { created: true } }), vmi: vmiWith() };
    expect(outcome(ofVm, target, { parameters: { port: '22' } })).toEqual(stream('portforward/22/tcp', 'parallel'));
  });

  it('of a VM that is off is refused', () => {
    expect(outcome(ofVm, { vm: vmWith() }, { parameters: { port: '22' } })).toBe(
      '409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "web": VMI is not started',
    );
  });
});

describe('what is not implemented', () => {
  it('says so, with the name of the action and what is missing', () => {
    expect(outcome(named('backup'), { vmi: vmiWith() })).toBe(
      '501 virtualmachineinstances/backup of "web" is part of KubeVirt\'s API, but Vireo does not implement it: ' +
        'a backup needs checkpoints, by which QEMU knows which blocks have changed, and Vireo does not make them; ' +
        'use a VirtualMachineSnapshot or a VirtualMachineExport',
    );
  });

  it('names the hardware that it needs', () => {
    expect(outcome(named('sev/setupsession'), { vmi: vmiWith() })).toContain('AMD processors with SEV (/dev/sev)');
  });
});
