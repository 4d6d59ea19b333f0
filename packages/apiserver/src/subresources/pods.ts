import {
  ApiError,
  badRequest,
  conflict,
  field,
  invalid,
  type Persisted,
  type Pod,
  timestamp,
  type UnknownObject,
  unavailable,
} from '@vireo/api';
import { type ApiResponse, type NodeLogs, objectResponse } from '@vireo/kube';
import type { VerbContext } from '../core.ts';
import { admitAction } from '../verbs/admitAction.ts';
import { readBodyAs } from '../verbs/draft.ts';
import { current } from '../verbs/get.ts';
import { type WriteOptions, writeOptions } from '../verbs/options.ts';
import { updateObject } from '../verbs/update.ts';

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** `POST pods/NAME/binding`: the scheduler's decision. A pod is bound once. */
export async function bindPod(context: VerbContext): Promise<ApiResponse> {
  const options = writeOptions(context.request.query, 'CreateOptions');
  const { object, warnings } = await readBodyAs(context.request, 'Binding', options.fieldValidation);
  if (object.metadata.name && object.metadata.name !== context.info.name)
    throw badRequest(`name in URL does not match name in Binding object: ${object.metadata.name}`);
  const action = { kind: { group: '', version: 'v1', kind: 'Binding' }, object, dryRun: options.dryRun };
  return admitAction(context, action, warnings, (admitted) => bind(admitted, object, options, warnings));
}

async function bind(
  context: VerbContext,
  binding: UnknownObject,
  options: WriteOptions,
  warnings: string[],
): Promise<ApiResponse> {
  const { info } = context;
  const nodeName = boundNode(binding);
  await updateObject(
    context,
    (old) => {
      const pod = old as UnknownObject & Pod;
      const why = whyUnbindable(pod);
      if (why) throw conflict({ group: '', resource: 'pods/binding' }, info.name, why);
      const { uid, resourceVersion, annotations } = binding.metadata;
      return {
        ...pod,
        metadata: {
          ...pod.metadata,
          uid,
          resourceVersion,
          annotations: { ...pod.metadata.annotations, ...annotations },
        },
        spec: { ...pod.spec, nodeName },
        status: { ...pod.status, conditions: withPodScheduled(pod.status?.conditions ?? []) },
      } as UnknownObject;
    },
    options,
    warnings,
    { by: 'server' },
  );
  return objectResponse(SUCCESS, 201, { warnings });
}

function boundNode({ target, metadata }: UnknownObject): string {
  const { kind = '', name = '' } = (target ?? {}) as { kind?: string; name?: string };
  const errors = [
    ...(kind === '' || kind === 'Node' ? [] : [field.notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [field.required('target.name')] : []),
  ];
  if (errors.length > 0) throw invalid('', 'Binding', metadata.name ?? '', errors);
  return name;
}

function whyUnbindable({ metadata, spec }: Pod): string | undefined {
  if (metadata.deletionTimestamp) return `pod ${metadata.name} is being deleted, cannot be assigned to a host`;
  if (spec?.nodeName) return `pod ${metadata.name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
  if (spec?.schedulingGates?.length) return `pod ${metadata.name} has non-empty .spec.schedulingGates`;
  return undefined;
}

type PodConditions = NonNullable<NonNullable<Pod['status']>['conditions']>;

const withPodScheduled = (conditions: PodConditions): PodConditions => [
  ...conditions.filter(({ type }) => type !== 'PodScheduled'),
  { type: 'PodScheduled', status: 'True', lastTransitionTime: timestamp() },
];

/** Decides whether a pod may be evicted, and books the disruption. Throws the refusal. */
export type EvictionGate = (pod: UnknownObject, dryRun: boolean) => Promise<void>;

/** `POST pods/NAME/eviction`: a deletion that asks the disruption budgets first. */
export const evictPod =
  (gate: EvictionGate, remove: (context: VerbContext, options: UnknownObject) => Promise<void>) =>
  async (context: VerbContext): Promise<ApiResponse> => {
    const sent = writeOptions(context.request.query, 'CreateOptions');
    const { object: eviction, warnings } = await readBodyAs(context.request, 'Eviction', sent.fieldValidation);
    if (eviction.metadata.name && eviction.metadata.name !== context.info.name)
      throw badRequest(`name in URL does not match name in Eviction object: ${eviction.metadata.name}`);
    const action = {
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      object: eviction,
      dryRun: sent.dryRun,
    };
    await admitAction(context, action, warnings, async (admitted) => {
      const { object } = current(admitted);
      const options = (eviction.deleteOptions ?? {}) as UnknownObject;
      const { dryRun: asked, preconditions } = options as { dryRun?: string[]; preconditions?: object };
      const dryRun = sent.dryRun || (asked ?? []).length > 0;
      await gate(object, dryRun);
      // What was booked with the budget is this pod, not one that has its name by now.
      const exactly = { uid: object.metadata.uid, ...preconditions };
      await remove(admitted, { ...options, preconditions: exactly, ...(dryRun && { dryRun: ['All'] }) });
    });
    return objectResponse(SUCCESS, 201, { warnings });
  };

/** `GET pods/NAME/log`. */
export const podLog =
  (connectionTo: (nodeName: string) => NodeLogs | undefined) =>
  async (context: VerbContext): Promise<ApiResponse> => {
    const { info, request } = context;
    const pod = current(context).object as UnknownObject & Persisted<Pod>;
    const container = containerOf(pod, request.query.get('container') ?? '');
    const nodeName = pod.spec?.nodeName;
    if (!nodeName) throw badRequest(`pod ${info.name} does not have a host assigned`);
    if (request.query.get('previous') === 'true' && !hasPrevious(pod, container))
      throw badRequest(`previous terminated container "${container}" in pod "${info.name}" not found`);
    const connection = connectionTo(nodeName);
    if (!connection)
      throw unavailable(`the log of pod "${info.name}" is on node "${nodeName}", which is not connected`);
    return connection.podLog(pod, container, request.query, request.signal);
  };

function hasPrevious({ status }: Pod, container: string): boolean {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.some(({ name, lastState }) => name === container && lastState?.terminated !== undefined);
}

function containerOf(pod: Pod, wanted: string): string {
  const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(({ name }) => name);
  if (wanted) {
    if (!all.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${pod.metadata.name}`);
    return wanted;
  }
  const fallback = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  if (fallback && all.includes(fallback)) return fallback;
  const containers = (pod.spec?.containers ?? []).map(({ name }) => name);
  if (containers.length === 1) return containers[0] as string;
  throw badRequest(
    `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${containers.join(' ')}]`,
  );
}

/** Streams into containers need a node that runs containers; ours runs VMIs. */
export const noContainerStreams = async ({ info }: VerbContext): Promise<ApiResponse> => {
  throw new ApiError('MethodNotAllowed', `${info.subresource} is not available: pods in Vireo have no containers`);
};
