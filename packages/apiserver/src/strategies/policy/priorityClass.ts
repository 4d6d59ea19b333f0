import { type FieldError, field, type PriorityClass } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { oneOf } from '../fields.ts';
import { immutable } from '../immutable.ts';
import type { Lookup } from '../strategy.ts';

/** Above this, a class belongs to the system. */
const MAX_USER_VALUE = 1_000_000_000;

/** The two classes of the system itself, with the values that every cluster has. */
export const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

export const priorityClassStrategy = defineStrategy<PriorityClass>({
  validate: (priority, { lookup }) => [
    ...validateReserved(priority),
    ...oneOf('preemptionPolicy', priority.preemptionPolicy, ['Never', 'PreemptLowerPriority']),
    ...validateDefault(priority, lookup),
  ],

  validateUpdate: (priority, old) => [
    ...(priority.value !== old.value ? [field.forbidden('value', 'may not be changed in an update.')] : []),
    ...immutable('preemptionPolicy', priority.preemptionPolicy, old.preemptionPolicy),
  ],
});

function validateReserved({ metadata, value }: PriorityClass): FieldError[] {
  const name = metadata.name ?? '';
  if (name.startsWith('system-')) {
    return SYSTEM_PRIORITIES[name] === value
      ? []
      : [
          field.forbidden(
            'metadata.name',
            "priority class names with 'system-' prefix are reserved for system use only. " +
              `error: ${name} is not a known system priority class`,
          ),
        ];
  }
  return (value ?? 0) > MAX_USER_VALUE
    ? [field.forbidden('value', `maximum allowed value of a user defined priority is ${MAX_USER_VALUE}`)]
    : [];
}

function validateDefault({ metadata, globalDefault }: PriorityClass, lookup: Lookup): FieldError[] {
  if (!globalDefault) return [];
  const other = lookup
    .list('scheduling.k8s.io', 'priorityclasses')
    .find((candidate) => candidate.globalDefault === true && candidate.metadata.name !== metadata.name);
  return other
    ? [
        field.forbidden(
          'globalDefault',
          `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
        ),
      ]
    : [];
}
