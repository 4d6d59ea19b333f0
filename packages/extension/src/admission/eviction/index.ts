import { ApiError, type KubeObject, type Persisted, Pod } from '@vireo/api';
import { launcherOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import {
  DESCHEDULER,
  DESCHEDULER_SOURCE,
  EVICTION_SOURCE_ANNOTATION,
  REQUESTED_BY_ANNOTATION,
  vmiOfLauncher,
} from '@vireo/api/kinds/kubevirt/eviction.ts';
import { LAUNCHER_APP } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Eviction } from '@vireo/api/kinds/policy/eviction.ts';
import type { Client } from '@vireo/kube';
import { type Admission, type AdmissionContext, ALLOWED, type ValidatingRule } from '../rule.ts';
import { attachmentEviction, type EvictionDecision, launcherEviction } from './decide.ts';

const SHARED = {
  type: 'validating',
  kinds: [Pod],
  subresource: { name: 'eviction', kind: { group: 'policy', kind: 'Eviction' } },
  operations: ['CREATE'],
  sideEffects: 'NoneOnDryRun',
} as const;

/** Moves guests to another node when somebody wants their launcher pods to go, as `kubectl drain` does. */
export const launcherEvictions: ValidatingRule<Eviction> = {
  ...SHARED,
  webhook: 'virt-launcher-eviction-interceptor.kubevirt.io',
  path: '/launcher-eviction-validate',
  matchConditions: [{ name: 'only-virt-launchers', expression: `request.name.startsWith('${LAUNCHER_APP}')` }],
  validate: (admission, context) =>
    answer(admission, context, async (pod) => {
      const vmi = await vmiOf(pod, context.client);
      const strategy = vmi?.spec.evictionStrategy ?? (await context.config()).evictionStrategy;
      return { vmi, decision: launcherEviction(pod, vmi, strategy) };
    }),
};

/** Keeps the attachment pods of hotplugged volumes as long as the guest needs them. */
export const attachmentEvictions: ValidatingRule<Eviction> = {
  ...SHARED,
  webhook: 'hotplug-pod-eviction-interceptor.kubevirt.io',
  path: '/hotplug-pod-eviction-validate',
  matchConditions: [{ name: 'only-hotplug-pods', expression: `request.name.startsWith('hp-volume-')` }],
  validate: (admission, context) =>
    answer(admission, context, async (pod) => {
      const of = launcherOf(pod);
      const launcher = of && (await context.client.of(Pod).find(of.name, { namespace: pod.metadata.namespace }));
      const vmi = launcher?.metadata.uid === of?.uid ? launcher && (await vmiOf(launcher, context.client)) : undefined;
      return { vmi, decision: attachmentEviction(pod, vmi) };
    }),
};

interface Answer {
  readonly vmi: Vmi | undefined;
  readonly decision: EvictionDecision;
}

/** What cannot be looked up is denied in a way that has clients try again. */
async function answer(
  { object: eviction, name, namespace, isDryRun }: Admission<Eviction & KubeObject>,
  { client }: AdmissionContext,
  look: (pod: Persisted<Pod>) => Promise<Answer>,
) {
  try {
    const pod = await client.of(Pod).find(name ?? '', { namespace });
    if (!pod) return ALLOWED;
    const { vmi, decision } = await look(pod);
    if (decision.action === 'allow') return ALLOWED;
    const isTried = isDryRun || (eviction.deleteOptions?.dryRun ?? []).length > 0;
    if (decision.action === 'evacuate' && vmi && !isTried) await mark(vmi, decision.node, eviction, client);
    throw tryAgain(decision.message);
  } catch (error) {
    if (error instanceof ApiError && error.code !== 429) throw tryAgain(error.message);
    throw error;
  }
}

/** The code that `kubectl drain` and the descheduler wait on. */
const tryAgain = (message: string): ApiError => new ApiError(undefined, message, undefined, 429);

async function vmiOf(pod: Pod, client: Client): Promise<Vmi | undefined> {
  const of = vmiOfLauncher(pod);
  const vmi = of && (await client.of(Vmi).find(of.name, { namespace: pod.metadata.namespace }));
  return vmi?.metadata.uid === of?.uid ? vmi : undefined;
}

/** Tells the controllers which node the guest is to leave. */
async function mark(vmi: Vmi, node: string, eviction: Eviction, client: Client): Promise<void> {
  const isDescheduled = eviction.metadata.annotations?.[REQUESTED_BY_ANNOTATION] === DESCHEDULER;
  await client.of(Vmi).patchExactly(vmi, {
    ...(isDescheduled && { metadata: { annotations: { [EVICTION_SOURCE_ANNOTATION]: DESCHEDULER_SOURCE } } }),
    status: { evacuationNodeName: node },
  });
}
