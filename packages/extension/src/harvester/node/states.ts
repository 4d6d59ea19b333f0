import { conditionOf, conflict, type Node, type Persisted } from '@vireo/api';
import { isInMaintenance } from '@vireo/api/kinds/harvester/maintenance.ts';
import type { Action } from '../../actions/action.ts';

export const PATCH_NODES: NonNullable<Action['needs']> = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'patch'] },
];

export const nodeConflict = ({ metadata }: Persisted<Node>, why: string) =>
  conflict({ group: '', resource: 'nodes' }, metadata.name, why);

const CONTROL_PLANE = ['control-plane', 'master', 'etcd'].map((role) => `node-role.kubernetes.io/${role}`);

const isControlPlane = ({ metadata: { labels = {} } }: Node): boolean =>
  CONTROL_PLANE.some((label) => labels[label] !== undefined);

/**
 * Why a node cannot be maintained now, whatever becomes of its VMs; undefined where it can. Which VMs are in the way is
 * not asked here: those can be forced.
 */
export function maintenanceObstacle(node: Node, nodes: readonly Node[]): string | undefined {
  if (isInMaintenance(node)) return 'it is already in maintenance, or about to be';
  if (conditionOf(node, 'Ready')?.status === 'Unknown')
    return `it is unreachable, so its VMs can neither move nor shut down; if the host is powered off: vireo node fence ${node.metadata.name}`;
  if (!isControlPlane(node)) return undefined;
  const others = nodes.filter((each) => each.metadata.name !== node.metadata.name && isControlPlane(each));
  if (others.length === 0) return 'it is the only control-plane node';
  const maintained = others.find(isInMaintenance);
  return (
    maintained &&
    `node ${maintained.metadata.name}, also a control-plane node, is in maintenance; end that maintenance first`
  );
}
