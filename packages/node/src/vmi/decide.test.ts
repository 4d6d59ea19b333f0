import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { DomainState } from '@vireo/libvirt';
import { describe, expect, it } from 'vitest';
import { podIn, vmiIn } from '../testing/objects.ts';
import { type Decision, decide, decideSync, nextGuestInfoMs, type ObservedVmi } from './decide.ts';
import type { DomainView } from './domainView.ts';
import { emptyCache, type VmiCache } from './localVmi.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const none = undefined;
const NODE = 'node-1';
const domain = (state: DomainState['state'], reason = 'unknown'): DomainState => ({ state, reason });
const up = domain('running', 'booted');
const startingUp = domain('paused', 'starting-up');
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();
const deleted = (seconds: number) => ({ deletionTimestamp: ago(seconds) });
/** A pod's time of deletion is when its grace is over. */
const podDeleted = (seconds: number, grace = 60) => ({
  deletionTimestamp: ago(seconds - grace),
  deletionGracePeriodSeconds: grace,
});
const noAcpi = { domain: { devices: {}, features: { acpi: { enabled: false } } } };

const decided = (
  vmi: ObservedVmi['vmi'],
  pod: ObservedVmi['pod'],
  state: ObservedVmi['domain'],
  rest: Partial<ObservedVmi> = {},
) => decide({ vmi, pod, domain: state, node: NODE, hasFiles: false, shutdownAskedAtMs: 0, nowMs: NOW, ...rest });

type Case = [what: string, ObservedVmi['vmi'], ObservedVmi['pod'], ObservedVmi['domain'], Decision['action']];

describe('a VMI on the way up', () => {
  it.each<Case>([
    ['no launcher here', vmiIn('Scheduling'), none, none, 'nothing'],
    ['a launcher whose VMI is not known yet', none, podIn('Pending'), none, 'nothing'],
    ['a launcher that came to this node', vmiIn('Scheduling'), podIn('Pending'), none, 'prepare'],
    ['one that is prepared and not handed over', vmiIn('Scheduling'), podIn('Running'), none, 'nothing'],
    ['a VMI that was handed over', vmiIn('Scheduled'), podIn('Running'), none, 'start'],
    ['one that was defined and not started', vmiIn('Scheduled'), podIn('Running'), domain('shutoff'), 'start'],
    ['a start that a dying libvirtd lost', vmiIn('Scheduled'), podIn('Running'), domain('shutoff', 'failed'), 'start'],
    ['one that libvirt still starts', vmiIn('Scheduled'), podIn('Running'), startingUp, 'nothing'],
    ['a start that libvirt gave up', vmiIn('Scheduled'), podIn('Running'), domain('shutoff', 'daemon'), 'start'],
    ['one that runs', vmiIn('Scheduled'), podIn('Running'), up, 'sync'],
    ['one that runs and said so', vmiIn('Running'), podIn('Running'), up, 'sync'],
    ['one that is paused', vmiIn('Running'), podIn('Running'), domain('paused', 'user'), 'sync'],
  ])('%s', (_, vmi, pod, state, action) => {
    expect(decided(vmi, pod, state).action).toBe(action);
  });
});

describe('a VMI whose guest has ended', () => {
  it.each<[state: DomainState['state'], reason: string, phase: string]>([
    ['shutoff', 'shutdown', 'Succeeded'],
    ['shutoff', 'saved', 'Succeeded'],
    ['shutoff', 'crashed', 'Failed'],
    ['shutoff', 'destroyed', 'Failed'],
    ['shutoff', 'daemon', 'Failed'],
    ['shutoff', 'unknown', 'Failed'],
    ['crashed', 'panicked', 'Failed'],
  ])('%s (%s): %s', (state, reason, phase) => {
    expect(decided(vmiIn('Running'), podIn('Running'), domain(state, reason))).toMatchObject({ action: 'end', phase });
  });

  it('a guest without a power button that was switched off has succeeded', () => {
    const vmi = vmiIn('Running', {}, noAcpi);
    expect(decided(vmi, podIn('Running'), domain('shutoff', 'destroyed'))).toMatchObject({ phase: 'Succeeded' });
  });

  it.each<Case>([
    ['it has vanished', vmiIn('Running'), podIn('Running'), none, 'end'],
    ['it crashed before it was reported', vmiIn('Scheduled'), podIn('Running'), domain('shutoff', 'crashed'), 'end'],
    ['its end is reported, its domain is left', vmiIn('Failed'), podIn('Failed'), domain('shutoff'), 'cleanUp'],
    ['its end is reported, not that of the launcher', vmiIn('Failed'), podIn('Running'), none, 'cleanUp'],
    ['all is reported', vmiIn('Succeeded'), podIn('Succeeded'), none, 'nothing'],
    ['the launcher is to go', vmiIn('Succeeded'), podIn('Succeeded', podDeleted(1)), none, 'cleanUp'],
  ])('%s', (_, vmi, pod, state, action) => {
    expect(decided(vmi, pod, state).action).toBe(action);
  });
});

describe('a VMI that is deleted', () => {
  const running = podIn('Running');
  const shutdown = (remainingMs: number): Decision => ({ action: 'shutdown', againAfterMs: 3000, remainingMs });
  it.each<[what: string, Partial<ObservedVmi>, Decision]>([
    ['first the button', { vmi: vmiIn('Running', deleted(0)) }, shutdown(31_000)],
    [
      'then patience',
      { vmi: vmiIn('Running', deleted(1)), shutdownAskedAtMs: NOW - 1000 },
      { action: 'waitForShutdown', againAfterMs: 2000 },
    ],
    [
      'then the button again, for guests that were booting',
      { vmi: vmiIn('Running', deleted(4)), shutdownAskedAtMs: NOW - 4000 },
      shutdown(27_000),
    ],
    [
      'no longer than the grace',
      { vmi: vmiIn('Running', deleted(29)), shutdownAskedAtMs: NOW - 2500 },
      { action: 'waitForShutdown', againAfterMs: 500 },
    ],
    ['the plug after the grace', { vmi: vmiIn('Running', deleted(31)) }, { action: 'destroy' }],
    [
      'the plug at once where there is no grace',
      { vmi: vmiIn('Running', deleted(0), { terminationGracePeriodSeconds: 0 }) },
      { action: 'destroy' },
    ],
    ['the plug where there is no button', { vmi: vmiIn('Running', deleted(0), noAcpi) }, { action: 'destroy' }],
    [
      'the plug for a paused guest',
      { vmi: vmiIn('Running', deleted(0)), domain: domain('paused', 'user') },
      { action: 'destroy' },
    ],
    ['the plug when the end is reported already', { vmi: vmiIn('Failed') }, { action: 'destroy' }],
    [
      'a launcher that is deleted takes its guest along, in order',
      { pod: podIn('Running', podDeleted(0)) },
      shutdown(31_000),
    ],
    [
      'in the time that whoever deleted it has left',
      { pod: podIn('Running', podDeleted(6, 5)) },
      { action: 'destroy' },
    ],
  ])('%s', (_, rest, decision) => {
    expect(decided(vmiIn('Running'), running, up, rest)).toEqual(decision);
  });

  it.each<Case>([
    ['it was not handed over', vmiIn('Scheduling', deleted(0)), podIn('Pending', podDeleted(0)), none, 'cleanUp'],
    ['it was about to start', vmiIn('Scheduled', deleted(0)), podIn('Running', podDeleted(0)), none, 'end'],
    ['it was defined', vmiIn('Scheduled', deleted(0)), podIn('Running'), domain('shutoff'), 'end'],
  ])('%s', (_, vmi, pod, state, action) => {
    expect(decided(vmi, pod, state).action).toBe(action);
  });
});

/** A VMI on a node. */
const on = (nodeName: string, phase: string, migrationState?: object, metadata = {}): Vmi => {
  const vmi = vmiIn(phase, metadata);
  return { ...vmi, status: { ...vmi.status, nodeName, ...(migrationState && { migrationState }) } };
};

describe('a guest that moves', () => {
  const JOB = { 'kubevirt.io/migrationJobUID': 'm1' };
  const target = (phase: string, metadata = {}) => podIn(phase, { name: 'target', labels: JOB, ...metadata });
  const state = {
    migrationUid: 'm1',
    sourceNode: 'node-2',
    targetNode: NODE,
    sourcePod: 'source',
    targetPod: 'target',
  };
  const coming = (more = {}) => on('node-2', 'Running', { ...state, ...more });
  const incoming = domain('paused', 'migration');
  const givenUp = coming({ startTimestamp: ago(9), failureReason: 'this node was given up' });

  it.each<[...Case, rest?: Partial<ObservedVmi>]>([
    ['has a launcher before the hand-over', on('node-2', 'Running'), target('Pending'), none, 'prepareTarget'],
    [
      'has a launcher of an image that no node has, for a test',
      on('node-2', 'Running'),
      target('Pending', { annotations: { 'kubevirt.io/func-test-migration-target-image-override': 'none' } }),
      none,
      'nothing',
    ],
    ['has one that waits for the hand-over', on('node-2', 'Running'), target('Running'), none, 'nothing'],
    ['is expected from the hand-over on', coming(), target('Running'), none, 'receive'],
    ['was here before', coming(), target('Pending'), domain('shutoff', 'migrated'), 'cleanUp'],
    ['is on its way', coming(), target('Running'), incoming, 'nothing', { isReceiving: true }],
    ['was on its way to an agent that ended', coming(), target('Running'), incoming, 'discard'],
    [
      'is on its way to a launcher that goes',
      coming(),
      target('Running', podDeleted(0)),
      incoming,
      'discard',
      { isReceiving: true },
    ],
    [
      'comes by post-copy to a launcher that goes',
      coming(),
      target('Running', podDeleted(0)),
      domain('running', 'postcopy'),
      'nothing',
      { isReceiving: true },
    ],
    ['has come', coming(), target('Running'), domain('running', 'migrated'), 'takeOver'],
    ['has come paused', coming(), target('Running'), domain('paused', 'user'), 'takeOver'],
    ['has come to a launcher that goes', coming(), target('Running', podDeleted(0)), up, 'takeOver'],
    [
      'comes at this moment to a launcher that goes',
      coming(),
      target('Running', podDeleted(0)),
      up,
      'nothing',
      { isReceiving: true },
    ],
    ['does not come', coming({ failed: true, completed: true }), target('Running'), none, 'cleanUp'],
    ['does not come, and its domain waits', coming({ failed: true }), target('Running'), incoming, 'destroy'],
    ['does not come, and its launcher says so', coming({ failed: true }), target('Failed'), none, 'nothing'],
    ['does not come, for its launcher goes', coming(), target('Running', podDeleted(0)), none, 'cleanUp'],
    ['was given up here, and runs', givenUp, target('Running'), up, 'destroy'],
    ['was given up here, and its domain waits', givenUp, target('Running'), incoming, 'destroy', { isReceiving: true }],
    ['was given up here, and runs without a launcher', givenUp, none, up, 'destroy'],
    ['was given up here, and nothing runs', givenUp, target('Running'), none, 'cleanUp'],
    ['is here and said so', on(NODE, 'Running', { ...state, completed: true }), target('Running'), up, 'sync'],
  ])('to this node %s', (_, vmi, pod, observed, action, rest) => {
    expect(decided(vmi, pod, observed, rest).action).toBe(action);
  });

  const source = podIn('Running', { name: 'source' });
  const leaving = (more = {}) =>
    on(NODE, 'Running', { ...state, sourceNode: NODE, targetNode: 'node-2', startTimestamp: ago(1), ...more });
  const gone = domain('shutoff', 'migrated');
  const left = on('node-2', 'Running', { ...state, sourceNode: NODE, targetNode: 'node-2', completed: true });

  it.each<[...Case, rest?: Partial<ObservedVmi>]>([
    ['is moved', leaving(), source, up, 'sync', { sending: 'moving' }],
    ['was being moved by an agent that ended', leaving(), source, up, 'sync'],
    ['stands still for the switch', leaving(), source, incoming, 'sync', { sending: 'moving' }],
    ['has just gone', leaving(), source, gone, 'nothing', { sending: 'moving' }],
    ['has gone for certain', leaving(), source, gone, 'cleanUp', { sending: 'moved' }],
    [
      'has gone for certain, and its VMI does not say so',
      leaving(),
      podIn('Succeeded', { name: 'source' }),
      none,
      'confirmArrival',
      { sending: 'moved' },
    ],
    [
      'has gone for certain with its launcher, and its VMI does not say so',
      leaving(),
      none,
      none,
      'confirmArrival',
      { sending: 'moved' },
    ],
    ['has gone, and its domain is left', leaving(), source, incoming, 'destroy', { sending: 'moved' }],
    ['has gone, and nobody remembers', leaving(), source, gone, 'settleMove'],
    ['has gone, and nothing is left', leaving(), source, none, 'settleMove'],
    ['is elsewhere', left, source, gone, 'cleanUp'],
    ['is elsewhere, and its domain is left', left, source, incoming, 'destroy'],
    ['is elsewhere, and its move ends its domain', left, source, incoming, 'nothing', { sending: 'moving' }],
    ['is elsewhere, and its move has ended its domain', left, source, gone, 'nothing', { sending: 'moving' }],
    ['is elsewhere, and its launcher says so', left, podIn('Succeeded', { name: 'source' }), none, 'nothing'],
    ['is elsewhere, and its launcher is gone', left, none, none, 'nothing'],
    ['stays, and still stands', leaving({ failed: true, completed: true }), source, incoming, 'goOn'],
    ['stays, and runs', leaving({ failed: true, completed: true }), source, up, 'sync'],
    ['ended on the way', leaving({ failed: true }), source, domain('shutoff', 'shutdown'), 'end'],
  ])('from this node %s', (_, vmi, pod, observed, action, rest) => {
    expect(decided(vmi, pod, observed, rest).action).toBe(action);
  });
});

describe('a guest whose launcher is gone', () => {
  it.each<Case>([
    ['runs on', on(NODE, 'Running'), none, up, 'nothing'],
    ['runs on while its node is taken for silent', on(NODE, 'Unknown'), none, up, 'nothing'],
    ['gets another', on(NODE, 'Running'), podIn('Pending'), up, 'sync'],
    ['and that was not started yet waits for another', on(NODE, 'Scheduled'), none, none, 'nothing'],
    ['and whose VMI is deleted is shut down', on(NODE, 'Running', none, deleted(0)), none, up, 'shutdown'],
    ['and whose VMI was given up ends at once', on(NODE, 'Failed'), none, up, 'destroy'],
    ['and that has ended is reported', on(NODE, 'Running'), none, domain('shutoff', 'shutdown'), 'end'],
    ['and that has vanished is reported', on(NODE, 'Running'), none, none, 'end'],
    ['and that has vanished in a silence is reported', on(NODE, 'Unknown'), none, none, 'end'],
    ['and that another node had is not ours to report', on('node-2', 'Running'), none, none, 'nothing'],
    ['and that was reported leaves its domain', on(NODE, 'Failed'), none, domain('shutoff'), 'cleanUp'],
  ])('%s', (_, vmi, pod, state, action) => {
    expect(decided(vmi, pod, state).action).toBe(action);
  });

  it('ends if the launcher was deleted by force while the node listened', () => {
    expect(decided(on(NODE, 'Running'), none, up, { isLauncherKilled: true })).toEqual({ action: 'destroy' });
  });
});

describe('a launcher that was deleted while its node was silent', () => {
  const gone = podIn('Running', podDeleted(0));
  it.each<Case>([
    ['goes without its guest', on(NODE, 'Unknown'), gone, up, 'releaseLauncher'],
    ['goes with its guest if the VMI is deleted', on(NODE, 'Unknown', none, deleted(0)), gone, up, 'shutdown'],
    ['goes with a guest that has ended', on(NODE, 'Unknown'), gone, none, 'end'],
  ])('%s', (_, vmi, pod, state, action) => {
    expect(decided(vmi, pod, state).action).toBe(action);
  });
});

describe('what belongs to no VMI', () => {
  const [arriving, leaving] = [{ targetNode: NODE }, { sourceNode: NODE }];
  it.each<Case>([
    ['a guest without objects', none, none, up, 'destroy'],
    ['a guest whose VMI is gone', none, podIn('Running'), up, 'destroy'],
    ['a guest whose VMI is on another node', on('node-2', 'Running'), none, up, 'destroy'],
    ['a guest that comes from another node', on('node-2', 'Running', arriving), none, up, 'nothing'],
    ['a guest that has gone to another node', on('node-2', 'Running', leaving), none, up, 'nothing'],
    [
      'a guest that a migration has left',
      on('node-2', 'Running', { ...leaving, completed: true }),
      none,
      up,
      'destroy',
    ],
    ['a guest that did not arrive', on('node-2', 'Running', { ...arriving, failed: true }), none, up, 'destroy'],
    ['a domain', none, none, domain('shutoff'), 'cleanUp'],
    ['a launcher that is to go', none, podIn('Running', podDeleted(0)), none, 'cleanUp'],
  ])('%s', (_, vmi, pod, state, action) => {
    expect(decided(vmi, pod, state).action).toBe(action);
  });

  it('files are removed', () => {
    expect(decided(none, none, none, { hasFiles: true })).toEqual({ action: 'cleanUp' });
  });
});

describe('a running guest', () => {
  const view: DomainView = { machineType: 'q35', diskTargets: {}, drives: {}, interfaces: {}, isAgentConnected: false };
  const withAgent = { isAgentConnected: true };
  const settled = (cache: Partial<VmiCache> = {}): VmiCache => ({
    ...emptyCache(),
    isFreezeRestored: true,
    checksums: {},
    ...cache,
  });
  const drive = (source?: string) => ({ cd: { target: 'sda', isTrayOpen: false, source } });
  const cdrom = (...volumes: object[]) => ({ domain: { devices: { disks: [{ name: 'cd', cdrom: {} }] } }, volumes });
  const claim = (name: string, more = {}) => ({ name, persistentVolumeClaim: { claimName: name, ...more } });
  const hotplugged = claim('data', { hotpluggable: true });
  const disks = { domain: { devices: { disks: [{ name: 'data', disk: {} }] } } };
  const leaving = { name: 'data', target: 'sdb', hotplugVolume: {}, persistentVolumeClaimInfo: { claimName: 'data' } };
  const byAgent = {
    propagationMethod: { qemuGuestAgent: { users: ['ada'] } },
    source: { secret: { secretName: 's' } },
  };
  const credentials = { accessCredentials: [{ sshPublicKey: byAgent }] };
  const synced = (msAgo: number) => ({ checkedAtMs: NOW - msAgo, condition: { status: 'True' } as const });
  const guestInfo = (...addresses: string[]) => ({ os: {}, interfaces: [{ name: 'eth0', mac: '', addresses }] });

  interface Guest {
    readonly spec?: object;
    readonly status?: object;
    readonly view?: Partial<DomainView>;
    readonly state?: DomainState;
    readonly cache?: VmiCache;
  }
  const guest = ({ spec, status, view: more, state = up, cache = settled() }: Guest) => {
    const vmi = vmiIn('Running', {}, spec);
    return {
      vmi: { ...vmi, status: { ...vmi.status, ...status } },
      domain: { state, view: { ...view, ...more } },
      cache,
    };
  };

  it.each<[what: string, Guest, steps: string[]]>([
    ['that is as it should be', {}, []],
    ['that was just found', { cache: emptyCache() }, ['forgetFreeze', 'readChecksums']],
    [
      'with an agent that was just found',
      { cache: emptyCache(), view: withAgent },
      ['restoreFreeze', 'readGuestInfo', 'readChecksums'],
    ],
    [
      'whose agent has gone',
      { cache: settled({ isFrozen: true, guestInfoReadAtMs: NOW }) },
      ['forgetFreeze', 'forgetGuestInfo'],
    ],
    [
      'whose agent was asked a while ago',
      { cache: settled({ guestInfoReadAtMs: NOW - 3000 }), view: withAgent },
      ['readGuestInfo'],
    ],
    ['whose agent was just asked', { cache: settled({ guestInfoReadAtMs: NOW - 2999 }), view: withAgent }, []],
    [
      'with an address',
      { cache: settled({ guestInfoReadAtMs: NOW - 59_000, guestInfo: guestInfo('10.0.2.15') }), view: withAgent },
      [],
    ],
    ['that is paused', { state: domain('paused', 'user'), view: withAgent }, []],
    [
      'whose link is to go down',
      {
        spec: { domain: { devices: { interfaces: [{ name: 'a', state: 'down' }] } } },
        view: { interfaces: { a: { mac: '', linkState: 'up', queueCount: 1 } } },
      },
      ['setLinks'],
    ],
    [
      'that lacks a card',
      {
        spec: {
          domain: { devices: { interfaces: [{ name: 'lab', bridge: {} }] } },
          networks: [{ name: 'lab', multus: { networkName: 'lab' } }],
        },
      },
      ['plugCards'],
    ],
    [
      'with credentials that were never handed over',
      { spec: credentials, view: withAgent, cache: settled({ guestInfoReadAtMs: NOW }) },
      ['syncCredentials'],
    ],
    [
      'with credentials that were checked a while ago',
      { spec: credentials, view: withAgent, cache: settled({ guestInfoReadAtMs: NOW, credentials: synced(10_000) }) },
      ['syncCredentials'],
    ],
    [
      'with credentials that were just checked',
      { spec: credentials, view: withAgent, cache: settled({ guestInfoReadAtMs: NOW, credentials: synced(9_999) }) },
      [],
    ],
    ['with credentials and without an agent', { spec: credentials }, ['forgetCredentials']],
    ['that lacks a disk', { spec: { ...disks, volumes: [hotplugged] } }, ['plugDisks']],
    [
      'that has a disk too many',
      { status: { volumeStatus: [leaving] }, view: { diskTargets: { data: 'sdb' } } },
      ['plugDisks', 'closeUnplugged'],
    ],
    [
      'whose disk was leaving when the agent was restarted',
      { status: { volumeStatus: [leaving] } },
      ['closeUnplugged'],
    ],
    [
      'that is shutting down and lacks a disk',
      { spec: { ...disks, volumes: [hotplugged] }, state: domain('shutdown') },
      [],
    ],
    ['with an empty drive', { spec: cdrom(), view: { drives: drive() } }, []],
    ['with a disc that is to go', { spec: cdrom(), view: { drives: drive('/iso') } }, ['changeMedia']],
    [
      'whose drive should hold a claim',
      { spec: cdrom(claim('cd', { hotpluggable: true })), view: { drives: drive('/iso') } },
      ['changeMedia'],
    ],
    ['with the disc that it was started with', { spec: cdrom(claim('cd')), view: { drives: drive('/iso') } }, []],
    [
      'whose memory is to be dumped',
      { spec: { volumes: [{ name: 'dump', memoryDump: { claimName: 'dumps', hotpluggable: true } }] } },
      ['dumpMemory'],
    ],
  ])('%s', (_, given, expected) => {
    expect(decideSync(guest(given), NOW).map(({ step }) => step)).toEqual(expected);
  });

  it('is looked at for news of its agent, and never without one', () => {
    const after = (cache: Partial<VmiCache>, isAgentConnected = true) =>
      nextGuestInfoMs(guest({ cache: settled(cache), view: { isAgentConnected } }), NOW);
    expect(after({}, false)).toBeUndefined();
    expect(after({})).toBe(3_000);
    expect(after({ guestInfoReadAtMs: NOW - 10_000, guestInfo: guestInfo('10.0.2.15') })).toBe(50_000);
    expect(after({ guestInfoReadAtMs: NOW - 59_000, guestInfo: guestInfo('10.0.2.15') })).toBe(3_000);
    const plugged = {
      guestInfoReadAtMs: NOW - 1_000,
      guestInfo: guestInfo('10.0.2.15'),
      cardPluggedAtMs: NOW - 20_000,
    };
    expect(after(plugged)).toBe(3_000);
    expect(after({ ...plugged, cardPluggedAtMs: NOW - 30_000 })).toBe(59_000);
  });
});
