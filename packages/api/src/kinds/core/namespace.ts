import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const NamespaceSpec = struct('io.k8s.api.core.v1.NamespaceSpec', 'Finalizers of a namespace.', {
  finalizers: opt(1, list(string, 'atomic'), 'Finalizers that must be removed before the namespace is deleted.'),
});
export interface NamespaceSpec extends Infer<typeof NamespaceSpec> {}

export const NamespaceCondition = struct('io.k8s.api.core.v1.NamespaceCondition', 'A condition of a namespace.', {
  lastTransitionTime: opt(4, time, 'When the status of the condition last changed.'),
  message: opt(6, string, 'Human-readable details about the last transition.'),
  reason: opt(5, string, 'Reason for the last transition as one CamelCase word.'),
  status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
  type: req(1, string, 'Name of the condition, such as Ready.'),
});
export interface NamespaceCondition extends Infer<typeof NamespaceCondition> {}

export const NamespaceStatus = struct('io.k8s.api.core.v1.NamespaceStatus', 'Observed state of a namespace.', {
  conditions: opt(2, list(NamespaceCondition, ['type']), {
    patch: 'merge',
    key: 'type',
    doc: 'Conditions of the object.',
  }),
  phase: opt(1, string, { default: 'Active', doc: 'Lifecycle phase of the namespace: Active or Terminating.' }),
});
export interface NamespaceStatus extends Infer<typeof NamespaceStatus> {}

export const NamespaceSchema = struct(
  'io.k8s.api.core.v1.Namespace',
  'A scope for names. Deleting it deletes all objects in it.',
  {
    ...objectFields,
    spec: opt(2, NamespaceSpec, 'Finalizers of the namespace.'),
    status: opt(3, NamespaceStatus, 'Observed state of the Namespace. The system writes it.'),
  },
);
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
