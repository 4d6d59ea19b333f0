import type { Node } from '@vireo/api';
import { DRAIN_REQUESTED, DRAIN_TAINT } from '@vireo/api/kinds/harvester/names.ts';
import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { expect, it } from 'vitest';
import { vmiWith } from '../testing/objects.ts';
import { decideEvacuation, type EvacuationState } from './decide.ts';

const nodeWith = (
  annotations: Record<string, string> = {},
  taints: NonNullable<Node['spec']>['taints'] = [],
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', annotations },
  spec: { taints },
});
const drainTaint = { key: 'kubevirt.io/drain', effect: 'NoSchedule' } as const;
const tainted = nodeWith({}, [drainTaint]);
const maintained = nodeWith({ [DRAIN_REQUESTED]: 'true' }, [{ key: DRAIN_TAINT, effect: 'NoSchedule' }]);

type Case = Partial<EvacuationState> & { readonly status?: VmiStatus };
const decided = ({ status, ...more }: Case): string => {
  const conditions = [{ type: 'LiveMigratable', status: 'True' }];
  const { isRequested, migrateFrom } = decideEvacuation({
    vmi: vmiWith({ phase: 'Running', nodeName: 'n1', activePods: { a: 'n1' }, conditions, ...status }),
    node: nodeWith(),
    strategy: 'LiveMigrate',
    drainTaintKey: 'kubevirt.io/drain',
    isShutDownForMaintenance: false,
    isMigrating: false,
    ...more,
  });
  return [isRequested ? 'requested' : 'stays', ...(migrateFrom ? [`migrates from ${migrateFrom}`] : [])].join(', ');
};
const marked = { evacuationNodeName: 'n1' };

it.each<[string, Case, string]>([
  ['that nobody wants to leave', {}, 'stays'],
  ['that is marked', { status: marked }, 'requested, migrates from n1'],
  ['that is marked and migrates', { status: marked, isMigrating: true }, 'requested'],
  ['that has moved since it was marked', { status: { ...marked, nodeName: 'n2' } }, 'requested'],
  ['with two launchers', { status: { ...marked, activePods: { a: 'n1', b: 'n2' } } }, 'requested'],
  ['that cannot move', { status: { ...marked, conditions: [] } }, 'requested'],
  ['that does not run yet', { status: { ...marked, phase: 'Scheduled' } }, 'requested'],
  ['that others move', { status: marked, strategy: 'External' }, 'requested'],
  ['whose strategy is None by now', { status: marked, strategy: 'None' }, 'requested'],
  ['on a tainted node', { node: tainted }, 'stays, migrates from n1'],
  ['on a tainted node, if possible', { node: tainted, strategy: 'LiveMigrateIfPossible' }, 'stays, migrates from n1'],
  ['without a strategy on a tainted node', { node: tainted, strategy: 'None' }, 'stays'],
  ['where another taint counts', { node: tainted, drainTaintKey: 'example.com/leave' }, 'stays'],
  ['whose node is maintained', { node: maintained, strategy: 'None' }, 'stays, migrates from n1'],
  ['that is shut down for maintenance', { node: maintained, isShutDownForMaintenance: true }, 'stays'],
  ['that others move from a maintained node', { node: maintained, strategy: 'External' }, 'stays'],
  ['whose node only waits for maintenance', { node: nodeWith({ [DRAIN_REQUESTED]: 'true' }) }, 'stays'],
])('a VMI %s', (_, state, expected) => {
  expect(decided(state)).toBe(expected);
});
