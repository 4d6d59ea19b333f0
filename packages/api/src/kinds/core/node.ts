import { conditionOf } from '../../conditions.ts';
import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, opt, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { NodeSpec } from './nodeSpec.ts';
import { NodeStatus } from './nodeStatus.ts';

export const NodeSchema = struct('io.k8s.api.core.v1.Node', 'A worker node of the cluster, which runs pods.', {
  ...objectFields,
  spec: opt(2, NodeSpec, 'Desired state of the Node.'),
  status: opt(3, NodeStatus, 'Observed state of the Node. The system writes it.'),
});
export interface Node extends Infer<typeof NodeSchema> {}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

/** Ready, NotReady or Unknown, and whether pods are kept away. */
export function nodeStatus({ spec, status }: Node): string {
  const ready = conditionOf({ status }, 'Ready');
  const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
  if (spec?.unschedulable) words.push('SchedulingDisabled');
  return words.join(',');
}

/** The roles that labels give to the node. */
export function nodeRoles({ metadata }: Node): string {
  const labels = Object.entries(metadata.labels ?? {});
  const roles = labels.flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return key.slice(ROLE_PREFIX.length);
    return key === 'kubernetes.io/role' ? value : '';
  });
  return [...new Set(roles.filter((role) => role !== ''))].sort().join(',') || '<none>';
}

const addressOf = ({ status }: Node, wanted: string): string =>
  status?.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>';

export const Node = defineKind<Node>({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  shortNames: ['no'],
  schema: NodeSchema,
  generation: false,
  subresources: [{ name: 'proxy', verbs: ['create', 'delete', 'get', 'patch', 'update'], kind: 'NodeProxyOptions' }],
  columns: [
    {
      name: 'Status',
      type: 'string',
      description: 'Whether the node is Ready, and whether it takes new pods.',
      value: (node) => nodeStatus(node),
    },
    {
      name: 'Roles',
      type: 'string',
      description: 'Roles of the node, from its labels.',
      value: (node) => nodeRoles(node),
    },
    ageColumn,
    {
      name: 'Version',
      type: 'string',
      description: 'Version of the node agent (kubelet).',
      value: ({ status }) => status?.nodeInfo?.kubeletVersion ?? '',
    },
    {
      name: 'Internal-IP',
      type: 'string',
      priority: 1,
      description: 'Address within the cluster.',
      value: (node) => addressOf(node, 'InternalIP'),
    },
    {
      name: 'External-IP',
      type: 'string',
      priority: 1,
      description: 'Address for access from outside the cluster.',
      value: (node) => addressOf(node, 'ExternalIP'),
    },
    {
      name: 'OS-Image',
      type: 'string',
      priority: 1,
      description: 'Operating system of the node.',
      value: ({ status }) => status?.nodeInfo?.osImage || '<unknown>',
    },
    {
      name: 'Kernel-Version',
      type: 'string',
      priority: 1,
      description: "Version of the node's kernel.",
      value: ({ status }) => status?.nodeInfo?.kernelVersion || '<unknown>',
    },
    {
      name: 'Container-Runtime',
      type: 'string',
      priority: 1,
      description: 'Container runtime and its version.',
      value: ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>',
    },
  ],
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec?.unschedulable ?? false) },
  applyDefaults: ({ status }) => {
    if (status?.capacity) status.allocatable ??= { ...status.capacity };
  },
});
