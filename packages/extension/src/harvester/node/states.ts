import { conflict, type Node, type Persisted } from '@vireo/api';
import { DRAIN_REQUESTED, MAINTAIN_STATUS } from '@vireo/api/kinds/harvester/names.ts';
import type { Action } from '../../actions/action.ts';

export const PATCH_NODES: NonNullable<Action['needs']> = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'patch'] },
];

export const nodeConflict = ({ metadata }: Persisted<Node>, why: string) =>
  conflict({ group: '', resource: 'nodes' }, metadata.name, why);

/** Whether the node is maintained, or somebody has asked for it. */
export const isInMaintenance = ({ metadata: { annotations = {} } }: Node): boolean =>
  Boolean(annotations[MAINTAIN_STATUS] || annotations[DRAIN_REQUESTED]);

const CONTROL_PLANE = ['control-plane', 'master', 'etcd'].map((role) => `node-role.kubernetes.io/${role}`);

const isControlPlane = ({ metadata: { labels = {} } }: Node): boolean =>
  CONTROL_PLANE.some((label) => labels[label] !== undefined);

/** Why a node cannot be maintained now; undefined where it can. A node that only runs VMs always can. */
export function maintenanceObstacle(node: Node, nodes: readonly Node[]): string | undefined {
  if (!isControlPlane(node)) return undefined;
  const others = nodes.filter((each) => each.metadata.name !== node.metadata.name && isControlPlane(each));
  if (others.length === 0) return 'it is the only control-plane node';
  const maintained = others.find(isInMaintenance);
  return (
    maintained &&
    `node ${maintained.metadata.name}, also a control-plane node, is in maintenance; end that maintenance first`
  );
}
