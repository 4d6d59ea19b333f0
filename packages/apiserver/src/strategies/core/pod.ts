import { type FieldError, field, type Pod, type PodSpec } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { restore } from '../immutable.ts';
import { validatePodSpec } from '../podSpec/podSpec.ts';
import { podSpecWarnings } from '../podSpec/warnings.ts';
import { qosClassOf } from '../qos.ts';
import { resizedContainers, validateResize } from './podResize.ts';
import { validateEphemeralContainers, validatePodUpdate } from './podUpdate.ts';

const DEFAULT_GRACE_SECONDS = 30;

export const podStrategy = defineStrategy<Pod>({
  prepareForCreate(pod) {
    const gated = (pod.spec?.schedulingGates ?? []).length > 0;
    pod.status = {
      phase: 'Pending',
      qosClass: qosClassOf(pod.spec),
      ...(gated && { conditions: [GATED] }),
    };
  },

  prepareForUpdate(pod, old, { subresource }) {
    if (subresource === 'status' && pod.status) {
      pod.status = { ...pod.status, ...(old.status?.qosClass && { qosClass: old.status.qosClass }) };
    }
    if (subresource === 'ephemeralcontainers') {
      const { ephemeralContainers } = pod.spec ?? {};
      restore(pod, old, 'spec', 'status');
      if (pod.spec && ephemeralContainers) pod.spec = { ...pod.spec, ephemeralContainers };
    }
    if (subresource === 'resize') {
      const { containers } = pod.spec ?? {};
      restore(pod, old, 'spec', 'status');
      if (pod.spec) pod.spec = { ...pod.spec, containers: resizedContainers(pod.spec.containers, containers) ?? [] };
    }
  },

  validate(pod, { subresource, lookup }) {
    if (subresource === 'status') return [];
    if (!pod.spec) return [field.required('spec.containers')];
    const { namespace, name = '' } = pod.metadata;
    const isNew = lookup.get('', 'pods', namespace, name) === undefined;
    return [...validatePodSpec(pod.spec, 'spec'), ...(isNew ? validateNew(pod.spec) : [])];
  },

  validateUpdate(pod, old, { subresource }) {
    if (subresource === '') return validatePodUpdate(pod, old);
    if (subresource === 'resize') return validateResize(pod, old);
    return subresource === 'ephemeralcontainers' ? validateEphemeralContainers(pod, old) : [];
  },

  warnings: (pod) => podSpecWarnings(pod.spec, 'spec'),

  graceSeconds(pod, requested) {
    const ended = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    if (!pod.spec?.nodeName || ended) return 0;
    const current = pod.metadata.deletionGracePeriodSeconds;
    const wanted = requested !== undefined && requested < 0 ? 1 : requested;
    if (current !== undefined) return wanted === undefined ? current : Math.min(current, wanted);
    return wanted ?? pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  },
});

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
} as const;

const validateNew = (spec: PodSpec): FieldError[] => [
  ...((spec.ephemeralContainers ?? []).length > 0
    ? [field.forbidden('spec.ephemeralContainers', 'cannot be set on create')]
    : []),
  ...(spec.nodeName && (spec.schedulingGates ?? []).length > 0
    ? [field.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
    : []),
];
