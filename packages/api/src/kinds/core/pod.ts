import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, opt, struct } from '../../schema.ts';
import { EvictionSchema } from '../policy/eviction.ts';
import { BindingSchema } from './binding.ts';
import { podColumns } from './podColumns.ts';
import { applyPodDefaults } from './podDefaults.ts';
import { PodSpec } from './podSpec.ts';
import { PodStatus } from './podStatus.ts';

export const PodSchema = struct('io.k8s.api.core.v1.Pod', 'Containers that run together on one node.', {
  ...objectFields,
  spec: opt(2, PodSpec, 'Desired state of the Pod.'),
  status: opt(3, PodStatus, 'Observed state of the Pod. The system writes it.'),
});
export interface Pod extends Infer<typeof PodSchema> {}

/** Whether its containers have ended and will not run again. */
export const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

export const Pod = defineKind<Pod>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  shortNames: ['po'],
  categories: ['all'],
  schema: PodSchema,
  subresources: [
    { name: 'attach', verbs: ['create', 'get'], kind: 'PodAttachOptions' },
    { name: 'binding', verbs: ['create'], kind: 'Binding', schema: BindingSchema },
    { name: 'ephemeralcontainers', verbs: ['get', 'patch', 'update'] },
    {
      name: 'eviction',
      verbs: ['create'],
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      schema: EvictionSchema,
    },
    { name: 'exec', verbs: ['create', 'get'], kind: 'PodExecOptions' },
    { name: 'log', verbs: ['get'] },
    { name: 'portforward', verbs: ['create', 'get'], kind: 'PodPortForwardOptions' },
    { name: 'resize', verbs: ['get', 'patch', 'update'] },
  ],
  columns: podColumns,
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec?.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec?.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec?.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec?.hostNetwork ?? false),
    'status.phase': ({ status }) => status?.phase ?? '',
    'status.podIP': ({ status }) => status?.podIP ?? '',
    'status.podIPs': ({ status }) => status?.podIP ?? '',
    'status.nominatedNodeName': ({ status }) => status?.nominatedNodeName ?? '',
  },
  applyDefaults: applyPodDefaults,
});
