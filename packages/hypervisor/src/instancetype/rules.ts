import { type FieldError, fieldError } from '@vireo/api';
import type { VirtualMachineInstancetypeSpec } from '@vireo/api/kinds/instancetype/instancetypeSpec.ts';
import type { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import { DEPRECATED_TOPOLOGIES } from '@vireo/api/kinds/instancetype/topologies.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { when } from '../validation/rule.ts';
import { MATCHER_FIELDS, type Matcher, type MatcherField } from './matcher.ts';
import { preferredTopology, spreadOptions } from './topology.ts';

/** What is wrong with an instance type beyond its shape. */
export const instancetypeRules = ({ memory }: VirtualMachineInstancetypeSpec): FieldError[] =>
  when(
    memory.overcommitPercent && memory.hugepages,
    'spec.memory.overcommitPercent',
    'spec.memory.overcommitPercent and spec.memory.hugepages should not be requested together.',
  );

/** What an instance type should no longer say. */
export const instancetypeWarnings = ({ launchSecurity }: VirtualMachineInstancetypeSpec): string[] =>
  launchSecurity
    ? ['launchSecurity is deprecated and will be removed in a future release. Use preference instead.']
    : [];

/** What is wrong with a preference beyond its shape. */
export function preferenceRules(preference: VirtualMachinePreferenceSpec): FieldError[] {
  const { ratio, across } = spreadOptions(preference);
  return when(
    preferredTopology(preference) === 'spread' && across === 'CoresThreads' && ratio !== 2,
    'spec.cpu.spreadOptions.ratio',
    'only a ratio of 2 (1 core 2 threads) is allowed when spreading vCPUs over cores and threads',
  );
}

/** What a preference should no longer say. */
export function preferenceWarnings({ cpu }: VirtualMachinePreferenceSpec): string[] {
  const topology = cpu?.preferredCPUTopology ?? '';
  const now = DEPRECATED_TOPOLOGIES[topology];
  return now
    ? [`PreferredCPUTopology ${topology} is deprecated for removal in a future release, please use ${now} instead`]
    : [];
}

const POLICIES = ['Ignore', 'Reject'];

/** What is wrong with how a VM names its instance type and preference. `old`: the VM before the change. */
export const matcherRules = (vm: VirtualMachine, old?: VirtualMachine): FieldError[] =>
  MATCHER_FIELDS.flatMap((field) => {
    const matcher = vm.spec[field];
    if (!matcher) return [];
    const before = old?.spec[field];
    return [...(before ? staleRevision(field, matcher, before) : []), ...ofMatcher(field, matcher)];
  });

/** A revision of the old name is not one of the new name. */
const staleRevision = (field: MatcherField, now: Matcher, before: Matcher): FieldError[] =>
  when(
    before.revisionName && now.name !== before.name && now.revisionName === before.revisionName,
    `spec.${field}.revisionName`,
    'the Matcher Name has been updated without updating the RevisionName',
  );

function ofMatcher(field: MatcherField, matcher: Matcher): FieldError[] {
  const { name, kind, inferFromVolume, inferFromVolumeFailurePolicy: policy } = matcher;
  const needless = (what: 'Name' | 'Kind'): FieldError =>
    fieldError(
      `spec.${field}.${what.toLowerCase()}`,
      `${what} should not be provided when InferFromVolume is used within the ${field} matcher`,
      'FieldValueNotFound',
    );
  return [
    ...when(
      !name && !inferFromVolume,
      `spec.${field}`,
      `Either Name or InferFromVolume should be provided within the ${field} matcher`,
      'FieldValueNotFound',
    ),
    ...(inferFromVolume && name ? [needless('Name')] : []),
    ...(inferFromVolume && kind ? [needless('Kind')] : []),
    ...when(
      policy && !POLICIES.includes(policy),
      `spec.${field}.inferFromVolumeFailurePolicy`,
      `Invalid value '${policy}' for InferFromVolumeFailurePolicy`,
    ),
  ];
}
