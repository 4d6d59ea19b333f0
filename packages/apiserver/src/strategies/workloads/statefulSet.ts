import { type FieldError, field, type StatefulSet, type StatefulSetSpec } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { nonNegative, oneOf } from '../fields.ts';
import { sameValue } from '../immutable.ts';
import { isZero, validateIntOrPercent } from '../intOrPercent.ts';
import { podTemplateWarnings } from '../podSpec/warnings.ts';
import { validateAlwaysRestarts, validatePodTemplate, validateSelectorOfTemplate } from '../podTemplate.ts';

/** What can change once the set is there. */
const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

export const statefulSetStrategy = defineStrategy<StatefulSet>({
  prepareForCreate(set) {
    set.status = { replicas: 0, availableReplicas: 0 };
  },

  validate({ spec }, { subresource }) {
    if (subresource === 'status') return [];
    return spec ? validateSpec(spec) : [field.required('spec')];
  },

  warnings: ({ spec }) => podTemplateWarnings(spec?.template),

  validateUpdate({ spec }, { spec: old }, { subresource }) {
    if (subresource === 'status' || sameValue(fixed(spec), fixed(old))) return [];
    const [last, ...others] = [...MUTABLE].reverse().map((name) => `'${name}'`);
    const names = `${others.reverse().join(', ')} and ${last}`;
    return [field.forbidden('spec', `updates to statefulset spec for fields other than ${names} are forbidden`)];
  },
});

function fixed(spec: StatefulSetSpec | undefined): object {
  return Object.fromEntries(
    Object.entries(spec ?? {}).filter(([name]) => !(MUTABLE as readonly string[]).includes(name)),
  );
}

const validateSpec = (spec: StatefulSetSpec): FieldError[] => [
  ...(['OrderedReady', 'Parallel'].includes(spec.podManagementPolicy ?? '')
    ? []
    : [
        field.invalid(
          'spec.podManagementPolicy',
          spec.podManagementPolicy ?? '',
          "must be 'OrderedReady' or 'Parallel'",
        ),
      ]),
  ...validateUpdateStrategy(spec),
  ...(['whenDeleted', 'whenScaled'] as const).flatMap((name) =>
    oneOf(`spec.persistentVolumeClaimRetentionPolicy.${name}`, spec.persistentVolumeClaimRetentionPolicy?.[name], [
      'Delete',
      'Retain',
    ]),
  ),
  ...nonNegative('spec.replicas', spec.replicas),
  ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
  ...nonNegative('spec.ordinals.start', spec.ordinals?.start),
  ...validateSelectorOfTemplate(spec.selector, spec.template, 'statefulset'),
  ...validatePodTemplate(spec.template, 'spec.template'),
  ...validateAlwaysRestarts(spec.template, 'StatefulSet'),
];

function validateUpdateStrategy({ updateStrategy }: StatefulSetSpec): FieldError[] {
  const path = 'spec.updateStrategy';
  const rolling = updateStrategy?.rollingUpdate;
  switch (updateStrategy?.type) {
    case 'OnDelete':
      return rolling
        ? [field.invalid(`${path}.rollingUpdate`, rolling, "only allowed for updateStrategy 'RollingUpdate'")]
        : [];
    case 'RollingUpdate':
      return [
        ...nonNegative(`${path}.rollingUpdate.partition`, rolling?.partition),
        ...validateIntOrPercent(rolling?.maxUnavailable, `${path}.rollingUpdate.maxUnavailable`),
        ...(isZero(rolling?.maxUnavailable)
          ? [field.invalid(`${path}.rollingUpdate.maxUnavailable`, rolling?.maxUnavailable, 'cannot be 0')]
          : []),
      ];
    default:
      return [field.invalid(path, updateStrategy ?? {}, "must be 'RollingUpdate' or 'OnDelete'")];
  }
}
