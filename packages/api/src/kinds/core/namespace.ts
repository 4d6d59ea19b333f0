import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const NamespaceSpec = struct('io.k8s.api.core.v1.NamespaceSpec', '', {
  finalizers: opt(1, list(string, 'atomic')),
});
export interface NamespaceSpec extends Infer<typeof NamespaceSpec> {}

export const NamespaceCondition = struct('io.k8s.api.core.v1.NamespaceCondition', '', {
  lastTransitionTime: opt(4, time),
  message: opt(6, string),
  reason: opt(5, string),
  status: req(2, string),
  type: req(1, string),
});
export interface NamespaceCondition extends Infer<typeof NamespaceCondition> {}

export const NamespaceStatus = struct('io.k8s.api.core.v1.NamespaceStatus', '', {
  conditions: opt(2, list(NamespaceCondition, ['type']), { patch: 'merge', key: 'type' }),
  phase: opt(1, string, { default: 'Active' }),
});
export interface NamespaceStatus extends Infer<typeof NamespaceStatus> {}

export const NamespaceSchema = struct('io.k8s.api.core.v1.Namespace', '', {
  ...objectFields,
  spec: opt(2, NamespaceSpec),
  status: opt(3, NamespaceStatus),
});
export interface Namespace extends Infer<typeof NamespaceSchema> {}

export const Namespace = defineKind<Namespace>({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  shortNames: ['ns'],
  schema: NamespaceSchema,
  generation: false,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  subresources: [{ name: 'finalize', verbs: ['update'] }],
  columns: [
    {
      name: 'Status',
      type: 'string',
      description: 'The phase of the namespace.',
      value: (namespace) => namespace.status?.phase,
    },
    ageColumn,
  ],
  selectableFields: { 'status.phase': (namespace) => namespace.status?.phase ?? '' },
  applyDefaults: (namespace) => {
    const { name } = namespace.metadata;
    if (name) namespace.metadata.labels = { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': name };
  },
});
