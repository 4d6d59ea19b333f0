import { type FieldError, field, type LabelSelector, type PodTemplateSpec } from '@vireo/api';
import { selectorFromObject } from '@vireo/api/labelSelector.ts';
import { immutable } from './immutable.ts';
import { validatePodSpec } from './podSpec/podSpec.ts';
import { selectsEverything, validateLabelSelector, validateLabels } from './selectors.ts';

/** The pod that a workload makes: its labels and its spec. */
export function validatePodTemplate(template: PodTemplateSpec | undefined, path: string): FieldError[] {
  if (!template) return [field.required(path)];
  const { spec } = template;
  return [
    ...validateLabels(template.metadata?.labels, `${path}.labels`),
    ...(spec ? validatePodSpec(spec, `${path}.spec`) : [field.required(`${path}.spec.containers`)]),
    ...((spec?.ephemeralContainers ?? []).length > 0
      ? [field.forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}

/** A workload must select the pods that it makes, or it would make pods for ever. */
export function validateSelectorOfTemplate(
  selector: LabelSelector | undefined,
  template: PodTemplateSpec | undefined,
  kind: 'deployment' | 'replicaset' | 'daemonset' | 'statefulset',
): FieldError[] {
  if (!selector) return [field.required('spec.selector')];
  const errors = validateLabelSelector(selector, 'spec.selector');
  if (selectsEverything(selector)) {
    return [...errors, field.invalid('spec.selector', selector, `empty selector is invalid for ${kind}`)];
  }
  if (errors.length > 0) return errors;
  const labels = template?.metadata?.labels ?? {};
  return selectorFromObject(selector).matches(labels)
    ? []
    : [field.invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

/** Long-running workloads restart their containers whatever happens, and have no end to wait for. */
export function validateAlwaysRestarts(
  template: PodTemplateSpec | undefined,
  kind: 'ReplicaSet' | 'DaemonSet' | 'StatefulSet' | 'ReplicationController',
): FieldError[] {
  const path = 'spec.template.spec';
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  return [
    ...(restartPolicy && restartPolicy !== 'Always'
      ? [field.notSupported(`${path}.restartPolicy`, restartPolicy, ['Always'])]
      : []),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [field.forbidden(`${path}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

/** A changed selector would orphan the pods that are there. */
export const immutableSelector = (selector: LabelSelector | undefined, old: LabelSelector | undefined): FieldError[] =>
  immutable('spec.selector', selector, old);
