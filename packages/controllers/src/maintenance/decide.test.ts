import type { Node } from '@vireo/api';
import {
  DRAIN_FORCED,
  DRAIN_REQUESTED,
  DRAIN_TAINT,
  MAINTAIN_NODE,
  MAINTAIN_STATUS,
  MAINTAIN_STRATEGY,
  RUN_STRATEGY,
} from '@vireo/api/kinds/harvester/names.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith, vmWith } from '../testing/objects.ts';
import { decideMaintenance, type Guest, nodesOf, startWrites, stopWrites } from './decide.ts';
import { closePatch, withdrawPatch } from './nodePatches.ts';

const node = (annotations: Record<string, string> = {}, spec: Node['spec'] = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', resourceVersion: '5', annotations },
  spec,
});
const asked = node({ [DRAIN_REQUESTED]: 'true' });
const forced = node({ [DRAIN_REQUESTED]: 'true', [DRAIN_FORCED]: 'true' });
const vmOf = (strategy?: string, spec: Partial<Vm['spec']> = {}, annotations: Record<string, string> = {}): Vm =>
  vmWith(spec, {}, { labels: { ...(strategy && { [MAINTAIN_STRATEGY]: strategy }) }, annotations });
const vmi = vmiWith({ phase: 'Running', nodeName: 'n1' });
const guest = (vm?: Vm): Guest => ({ vmi, ...(vm && { vm }) });
const LIVE_MIGRATABLE = { type: 'LiveMigratable', status: 'True' };
const mobile = (vm: Vm | undefined = vmOf(), spec: Partial<Vmi['spec']> = {}): Guest => ({
  vmi: vmiWith({ phase: 'Running', nodeName: 'n1', conditions: [LIVE_MIGRATABLE] }, {}, spec),
  ...(vm && { vm }),
});
const migration = { sourceNode: 'n2', targetNode: 'n1' };
const incoming = vmiWith({ phase: 'Running', nodeName: 'n2', migrationState: migration });
/** A node that takes VMs. */
const other: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n2', labels: { 'kubevirt.io/schedulable': 'true' } },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};
const elsewhere = { nodeSelector: { zone: 'b' } };
const closed = (of: Node): Node => ({ ...of, spec: { taints: [{ key: DRAIN_TAINT, effect: 'NoSchedule' }] } });

/** What was decided, in short. */
const decided = (of: Node, guests: readonly Guest[], stopped: readonly Vm[] = []): string => {
  const decision = decideMaintenance(of, guests, stopped, [other]);
  switch (decision.action) {
    case 'drain': {
      const stops = decision.stops.map(({ isRestarted }) => (isRestarted ? 'stop, start later' : 'stop'));
      const evictions = decision.evictions.map(() => 'evict');
      const moves = decision.moves.map((each) => (decision.marks.includes(each) ? 'mark' : 'move'));
      return ['drain', ...stops, ...evictions, ...moves].join(': ');
    }
    case 'complete':
    case 'resume':
      return `${decision.action} ${decision.starts.length}`;
    default:
      return decision.action;
  }
};

describe('a node whose maintenance is asked for', () => {
  it.each<[string, Node, Guest[], string]>([
    ['is maintained at once when nothing runs on it', asked, [], 'enter'],
    ['is not, while a VM runs that could not move', asked, [guest(vmOf())], 'refuse'],
    ['nor while a VMI of no VM runs', asked, [guest()], 'refuse'],
    ['nor for a VM whose strategy is to move', asked, [guest(vmOf('Migrate'))], 'refuse'],
    ['stops a VM that allows it', asked, [guest(vmOf('Shutdown'))], 'drain: stop'],
    [
      'stops one that is to run again on another node',
      asked,
      [guest(vmOf('ShutdownAndRestartAfterEnable'))],
      'drain: stop, start later',
    ],
    [
      'stops one that is to run again afterwards',
      asked,
      [guest(vmOf('ShutdownAndRestartAfterDisable'))],
      'drain: stop, start later',
    ],
    ['refuses all where one VM is in the way', asked, [guest(vmOf('Shutdown')), guest(vmOf())], 'refuse'],
    ['by force stops every VM', forced, [guest(vmOf())], 'drain: stop'],
    ['by force ends VMIs of no VM', forced, [guest()], 'drain: evict'],
    ['moves a VM that can move', asked, [mobile()], 'drain: move'],
    ['moves it by force too, and stops others', forced, [mobile(), guest(vmOf())], 'drain: stop: move'],
    ['moves a VMI of no VM', asked, [mobile(undefined)], 'drain: move'],
    ['shuts down a VM that would rather not move', asked, [mobile(vmOf('Shutdown'))], 'drain: stop'],
    ['is not, where no node takes the VM', asked, [mobile(vmOf(), elsewhere)], 'refuse'],
    ['by force stops a VM that no node takes', forced, [mobile(vmOf(), elsewhere)], 'drain: stop'],
    ['waits for a node that takes it once VMs leave', closed(asked), [mobile(vmOf(), elsewhere)], 'drain: move'],
    ['marks VMs that others move', asked, [{ ...mobile(), isMovedByOthers: true }], 'drain: mark'],
    ['waits for a guest that starts', asked, [{ vmi: vmiWith({ phase: 'Scheduled', nodeName: 'n1' }) }], 'drain'],
    ['waits for a guest that a migration brings', asked, [{ vmi: incoming, vm: vmOf() }], 'drain'],
    [
      'waits for what is going',
      forced,
      [{ vmi: vmiWith({ phase: 'Running' }, deleting) }, guest(vmOf(undefined, { runStrategy: 'Halted' }))],
      'drain',
    ],
  ])('%s', (_, of, guests, expected) => {
    expect(decided(of, guests)).toBe(expected);
  });
});

it.each<[string, Vmi, string[]]>([
  ['that runs', vmi, ['n1']],
  ['whose launcher is placed', vmiWith({ phase: 'Scheduling', activePods: { pod: 'n2' } }), ['n2']],
  ['that has moved', vmiWith({ phase: 'Running', nodeName: 'n1', activePods: { old: 'n2', now: 'n1' } }), ['n1']],
  ['that waits', vmiWith({ phase: 'Pending' }), []],
  ['that moves', incoming, ['n2', 'n1']],
  ['that could not move', vmiWith({ nodeName: 'n2', migrationState: { ...migration, failed: true } }), ['n2']],
])('a VMI %s is on its nodes', (_, of, nodes) => {
  expect(nodesOf(of)).toEqual(nodes);
});

describe('a node in maintenance', () => {
  const running = node({ [MAINTAIN_STATUS]: 'running' });
  const runningByForce = node({ [MAINTAIN_STATUS]: 'running', [DRAIN_FORCED]: 'true' });
  const afterEnable = vmOf('ShutdownAndRestartAfterEnable');
  const afterDisable = vmOf('ShutdownAndRestartAfterDisable');

  it.each<[string, Node, Guest[], Vm[], string]>([
    ['stops what came while it was closed', running, [guest(afterEnable)], [], 'drain: stop, start later'],
    ['waits for the last guest', running, [{ vmi: vmiWith({ phase: 'Running' }, deleting) }], [], 'drain'],
    ['is not maintained where what came may not be shut down', running, [guest(vmOf())], [], 'refuse'],
    ['by force stops that as well', runningByForce, [guest(vmOf())], [], 'drain: stop'],
    ['starts those elsewhere that need not wait', running, [], [afterEnable, afterDisable], 'complete 1'],
    ['does nothing more', node({ [MAINTAIN_STATUS]: 'completed' }), [], [afterDisable], 'none'],
    ['no more starts all that it had stopped', node(), [], [afterEnable, afterDisable], 'resume 2'],
    ['no more, and never was, does nothing', node(), [], [], 'none'],
  ])('%s', (_, of, guests, stopped, expected) => {
    expect(decided(of, guests, stopped)).toBe(expected);
  });

  it('is closed once', () => {
    const taint = { key: DRAIN_TAINT, value: 'draining', effect: 'NoSchedule' };
    const other = { key: 'x', effect: 'NoSchedule' };
    expect(closePatch(node({}, { taints: [other] }))).toEqual({
      spec: { unschedulable: true, taints: [other, taint] },
    });
    expect(closePatch(node({}, { unschedulable: true, taints: [taint] }))).toBeUndefined();
  });

  it('is open again when nothing comes of it, if it was closed for that', () => {
    const taint = { key: DRAIN_TAINT, value: 'draining', effect: 'NoSchedule' };
    const other = { key: 'x', effect: 'NoSchedule' };
    const metadata = { annotations: { [DRAIN_REQUESTED]: null, [DRAIN_FORCED]: null, [MAINTAIN_STATUS]: null } };
    expect(withdrawPatch(node({}, { unschedulable: true, taints: [taint, other] }))).toEqual({
      metadata,
      spec: { unschedulable: false, taints: [other] },
    });
    expect(withdrawPatch(node({}, { unschedulable: true, taints: [other] }))).toEqual({ metadata });
  });
});

describe('a VM', () => {
  const lock = { resourceVersion: '7' };

  it.each<[string, Vm, boolean, object]>([
    [
      'is halted, and how it ran is kept',
      vmOf(),
      false,
      { patch: { metadata: { ...lock, annotations: { [RUN_STRATEGY]: 'Always' } }, spec: { runStrategy: 'Halted' } } },
    ],
    [
      'that is to run again knows for which node it was stopped',
      vmOf(undefined, { runStrategy: 'RerunOnFailure' }),
      true,
      {
        patch: {
          metadata: { ...lock, annotations: { [RUN_STRATEGY]: 'RerunOnFailure', [MAINTAIN_NODE]: 'n1' } },
          spec: { runStrategy: 'Halted' },
        },
      },
    ],
    [
      'of the old form is switched off by that',
      vmOf(undefined, { runStrategy: undefined, running: true }),
      true,
      { patch: { metadata: { ...lock, annotations: { [MAINTAIN_NODE]: 'n1' } }, spec: { running: false } } },
    ],
    [
      'that is started by hand is asked to stop',
      vmOf(undefined, { runStrategy: 'Manual' }),
      true,
      {
        patch: { metadata: { ...lock, annotations: { [MAINTAIN_NODE]: 'n1' } } },
        request: { action: 'Stop', uid: 'vmi-uid' },
      },
    ],
    [
      'that has been reported is not reported again',
      vmWith({ runStrategy: 'Manual' }, { stateChangeRequests: [{ action: 'Stop', uid: 'vmi-uid' }] }),
      false,
      {},
    ],
  ])('%s', (_, vm, isRestarted, expected) => {
    expect(stopWrites(vm, vmi, 'n1', isRestarted)).toEqual(expected);
  });

  const forgotten = { annotations: { [MAINTAIN_NODE]: null } };
  it.each<[string, Vm, object]>([
    [
      'runs as before',
      vmOf(undefined, { runStrategy: 'Halted' }, { [RUN_STRATEGY]: 'Always' }),
      { patch: { metadata: { ...lock, ...forgotten }, spec: { runStrategy: 'Always' } } },
    ],
    [
      'of which nobody knows how it ran runs until it succeeds',
      vmOf(undefined, { runStrategy: 'Halted' }),
      { patch: { metadata: { ...lock, ...forgotten }, spec: { runStrategy: 'RerunOnFailure' } } },
    ],
    [
      'of the old form is switched on by that',
      vmOf(undefined, { runStrategy: undefined, running: false }),
      { patch: { metadata: { ...lock, ...forgotten }, spec: { running: true } } },
    ],
    [
      'that is started by hand is asked to start',
      vmOf(undefined, { runStrategy: 'Manual' }),
      { patch: { metadata: forgotten }, request: { action: 'Start' } },
    ],
    ['that somebody has switched on is left alone', vmOf(), { patch: { metadata: forgotten } }],
  ])('%s', (_, vm, expected) => {
    expect(startWrites(vm)).toEqual(expected);
  });
});
