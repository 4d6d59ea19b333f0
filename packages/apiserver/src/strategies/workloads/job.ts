import { type FieldError, field, type Job, type JobSpec } from '@vireo/api';
import { selectorFromObject } from '@vireo/api/labelSelector.ts';
import { defineStrategy } from '../define.ts';
import { nonNegative, oneOf } from '../fields.ts';
import { immutable } from '../immutable.ts';
import { podTemplateWarnings } from '../podSpec/warnings.ts';
import { validatePodTemplate } from '../podTemplate.ts';
import { validateLabelSelector } from '../selectors.ts';

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const JOB_NAME = 'batch.kubernetes.io/job-name';
const RESTART_POLICIES = ['OnFailure', 'Never'];
/** Fields of a Job that count something. */
export const JOB_NUMBERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
] as const;

export const jobStrategy = defineStrategy<Job>({
  prepareForCreate(job) {
    job.status = {};
    if (job.spec && !job.spec.manualSelector) ownPods(job, job.spec);
  },

  validate({ spec }, { subresource }) {
    if (subresource === 'status') return [];
    return spec ? validateSpec(spec) : [field.required('spec')];
  },

  warnings: ({ spec }) => podTemplateWarnings(spec?.template),

  validateUpdate: ({ spec }, { spec: old }, { subresource }) =>
    subresource === 'status'
      ? []
      : (['completions', 'selector', 'template', 'completionMode', 'podFailurePolicy'] as const).flatMap((name) =>
          immutable(`spec.${name}`, spec?.[name], old?.[name]),
        ),
});

/** Gives the job's pods labels that no other job can have, and selects by them. */
function ownPods({ metadata }: Job, spec: JobSpec): void {
  const { uid, name } = metadata;
  if (!uid || spec.selector) return;
  spec.selector = { matchLabels: { [CONTROLLER_UID]: uid } };
  const template = spec.template ?? {};
  spec.template = {
    ...template,
    metadata: {
      ...template.metadata,
      labels: {
        ...template.metadata?.labels,
        [CONTROLLER_UID]: uid,
        'controller-uid': uid,
        ...(name && { [JOB_NAME]: name, 'job-name': name }),
      },
    },
  };
}

const validateSpec = (spec: JobSpec): FieldError[] => [
  ...JOB_NUMBERS.flatMap((name) => nonNegative(`spec.${name}`, spec[name])),
  ...oneOf('spec.completionMode', spec.completionMode, ['Indexed', 'NonIndexed']),
  ...(spec.completionMode === 'Indexed' && spec.completions === undefined
    ? [field.required('spec.completions', 'when completion mode is Indexed')]
    : []),
  ...validateSelector(spec),
  ...validatePodTemplate(spec.template, 'spec.template'),
  ...validateJobRestartPolicy(spec.template?.spec?.restartPolicy, 'spec.template.spec.restartPolicy'),
];

function validateSelector({ selector, template }: JobSpec): FieldError[] {
  if (!selector) return [field.required('spec.selector')];
  const errors = validateLabelSelector(selector, 'spec.selector');
  const labels = template?.metadata?.labels ?? {};
  if (errors.length > 0 || selectorFromObject(selector).matches(labels)) return errors;
  return [field.invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

/** A job's pods end some time, so they cannot restart for ever. */
export function validateJobRestartPolicy(policy: string | undefined, path: string): FieldError[] {
  if (!policy || policy === 'Always') return [field.required(path, 'valid values: "OnFailure", "Never"')];
  return RESTART_POLICIES.includes(policy) ? [] : [field.notSupported(path, policy, RESTART_POLICIES)];
}
