import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type InstancetypeOrPreference, MATCHER_FIELDS, type MatcherField, matcherKind } from '@vireo/hypervisor';

/** Finds instance types and preferences; `namespace` only for those that are in one. */
export type FindType = (
  plural: string,
  name: string,
  namespace: string | undefined,
) => InstancetypeOrPreference | undefined;

/** What people and tools write on VMs to say what they are for. */
export function purposeOf(annotations: Readonly<Record<string, string>> | undefined): [string, string, string] {
  const of = (name: string): string => annotations?.[`vm.kubevirt.io/${name}`] ?? '';
  return [of('os'), of('workload'), of('flavor')];
}

interface NamedType {
  readonly name: string;
  /** Missing where there is none of that name. */
  readonly type: InstancetypeOrPreference | undefined;
}

/** What a VM names in a field, if anything. */
export function namedType({ metadata, spec }: Vm, field: MatcherField, find: FindType): NamedType | undefined {
  const matcher = spec[field];
  if (!matcher?.name) return undefined;
  try {
    const { plural, namespaced } = matcherKind(field, matcher);
    return { name: matcher.name, type: find(plural, matcher.name, namespaced ? metadata.namespace : undefined) };
  } catch {
    // A kind that there is not.
    return { name: matcher.name, type: undefined };
  }
}

/** The instance type and the preference that a VM names. */
export const typesOfVm = (vm: Vm, find: FindType): TypeLabels => labelsOf((field) => namedType(vm, field, find));

/** The same of a VMI, which its annotations tell. */
export const typesOfVmi = ({ metadata }: Vmi, find: FindType): TypeLabels =>
  labelsOf((field) => {
    const { annotations = {}, namespace } = metadata;
    const [own, cluster] = [annotations[`kubevirt.io/${field}-name`], annotations[`kubevirt.io/cluster-${field}-name`]];
    if (own) return { name: own, type: find(`virtualmachine${field}s`, own, namespace) };
    return cluster ? { name: cluster, type: find(`virtualmachinecluster${field}s`, cluster, undefined) } : undefined;
  });

export type TypeLabels = readonly [instancetype: string, preference: string];

const VENDOR_LABEL = 'instancetype.kubevirt.io/vendor';
const KNOWN_VENDORS = ['kubevirt.io', 'redhat.com'];

/** Names that users chose stay out of metrics, as KubeVirt has it: they may tell more than their owners want. */
function labelsOf(named: (field: MatcherField) => NamedType | undefined): TypeLabels {
  const [instancetype = '', preference = ''] = MATCHER_FIELDS.map((field) => {
    const found = named(field);
    if (!found) return '';
    return KNOWN_VENDORS.includes(found.type?.metadata.labels?.[VENDOR_LABEL] ?? '') ? found.name : '<other>';
  });
  return [instancetype, preference];
}
