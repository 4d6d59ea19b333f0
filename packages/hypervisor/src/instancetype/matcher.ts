import type { ControllerRevision, Kind, KubeObject, Persisted } from '@vireo/api';
import { notFound } from '@vireo/api';
import type { VirtualMachineInstancetypeSpec } from '@vireo/api/kinds/instancetype/instancetypeSpec.ts';
import type { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import {
  VirtualMachineClusterInstancetype,
  VirtualMachineInstancetype,
} from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import {
  VirtualMachineClusterPreference,
  VirtualMachinePreference,
} from '@vireo/api/kinds/instancetype/virtualMachinePreference.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { InstancetypeMatcher, PreferenceMatcher } from '@vireo/api/kinds/kubevirt/virtualMachineSpec.ts';
import type { InstancetypeAndPreference } from './apply.ts';

/** The fields of a VM that name another object to take settings from. */
export type MatcherField = 'instancetype' | 'preference';
export const MATCHER_FIELDS = ['instancetype', 'preference'] as const satisfies readonly MatcherField[];

export type Matcher = InstancetypeMatcher | PreferenceMatcher;

/** An object that a matcher can name; what is in `spec` follows from its kind. */
export type InstancetypeOrPreference = KubeObject & {
  readonly spec: VirtualMachineInstancetypeSpec | VirtualMachinePreferenceSpec;
};

interface MatcherKinds {
  /** As KubeVirt calls the matcher in messages. */
  readonly matcher: string;
  readonly namespaced: Kind;
  readonly cluster: Kind;
}

export const MATCHER_KINDS: Readonly<Record<MatcherField, MatcherKinds>> = {
  instancetype: {
    matcher: 'InstancetypeMatcher',
    namespaced: VirtualMachineInstancetype,
    cluster: VirtualMachineClusterInstancetype,
  },
  preference: {
    matcher: 'PreferenceMatcher',
    namespaced: VirtualMachinePreference,
    cluster: VirtualMachineClusterPreference,
  },
};

/** Labels of a ControllerRevision that tell what it keeps. */
export const OBJECT_LABEL = {
  generation: 'instancetype.kubevirt.io/object-generation',
  kind: 'instancetype.kubevirt.io/object-kind',
  name: 'instancetype.kubevirt.io/object-name',
  uid: 'instancetype.kubevirt.io/object-uid',
  version: 'instancetype.kubevirt.io/object-version',
} as const;

/** What a VM names does not exist, or cannot be read. */
export class MatcherError extends Error {
  readonly field: MatcherField;
  /** It does not exist, and may yet come. */
  readonly isMissing: boolean;
  constructor(field: MatcherField, message: string, isMissing = false) {
    super(message);
    this.name = 'MatcherError';
    this.field = field;
    this.isMissing = isMissing;
  }
}

/** The kind that a matcher means: by name or plural in any case, of the whole cluster when it says none. */
export function matcherKind(field: MatcherField, { kind = '' }: Pick<Matcher, 'kind'>): Kind {
  const { matcher, namespaced, cluster } = MATCHER_KINDS[field];
  const wanted = kind.toLowerCase();
  const found = [namespaced, cluster].find((each) => wanted === each.kind.toLowerCase() || wanted === each.plural);
  if (found) return found;
  if (wanted === '') return cluster;
  throw new MatcherError(field, `got unexpected kind in ${matcher}: ${kind}`);
}

/** The annotations by which a VMI tells what it was made from. */
export function instancetypeAnnotations({ spec }: VirtualMachine): Record<string, string> {
  return Object.fromEntries(
    MATCHER_FIELDS.flatMap((field) => {
      const matcher = spec[field];
      if (!matcher?.name) return [];
      const scope = matcherKind(field, matcher).namespaced ? '' : 'cluster-';
      return [[`kubevirt.io/${scope}${field}-name`, matcher.name]];
    }),
  );
}

/** Where instance types, preferences and their revisions are found. */
export interface InstancetypeLookup {
  /** `namespace` is that of the VM; kinds of the cluster have none. */
  object(kind: Kind, name: string, namespace: string | undefined): Promise<InstancetypeOrPreference | undefined>;
  revision(name: string, namespace: string | undefined): Promise<Persisted<ControllerRevision> | undefined>;
}

/** What a matcher stands for now: a revision that was kept, or else the object itself. */
export type ResolvedMatcher =
  | { readonly from: 'revision'; readonly name: string; readonly spec: InstancetypeOrPreference['spec'] }
  | {
      readonly from: 'object';
      readonly kind: Kind;
      readonly object: InstancetypeOrPreference;
      readonly spec: InstancetypeOrPreference['spec'];
    };

/** What the VM names in the field; nothing where it names nothing. Throws a MatcherError where it is not there. */
export async function resolveMatcher(
  vm: VirtualMachine,
  field: MatcherField,
  lookup: InstancetypeLookup,
): Promise<ResolvedMatcher | undefined> {
  const matcher = vm.spec[field];
  if (!matcher) return undefined;
  const { namespace } = vm.metadata;
  const kind = matcherKind(field, matcher);
  const kept = await keptRevision(vm, field, matcher, kind, lookup);
  if (kept) return { from: 'revision', name: kept.metadata.name, spec: specOf(kept, field) };
  const { name = '' } = matcher;
  const object = await lookup.object(kind, name, kind.namespaced ? namespace : undefined);
  if (!object) throw missingError(field, { group: kind.group, resource: kind.plural }, name);
  return { from: 'object', kind, object, spec: object.spec };
}

/** A revision that the VM asks for, else that of its status as long as it is of what the VM names. */
async function keptRevision(
  { metadata: { namespace }, status }: VirtualMachine,
  field: MatcherField,
  matcher: Matcher,
  kind: Kind,
  lookup: InstancetypeLookup,
): Promise<Persisted<ControllerRevision> | undefined> {
  const find = async (name: string): Promise<Persisted<ControllerRevision>> => {
    const revision = await lookup.revision(name, namespace);
    if (!revision) throw missingError(field, { group: 'apps', resource: 'controllerrevisions' }, name);
    return revision;
  };
  if (matcher.revisionName) return find(matcher.revisionName);
  const name = status?.[`${field}Ref`]?.controllerRevisionRef?.name;
  if (!name) return undefined;
  const revision = await find(name);
  const { labels = {} } = revision.metadata;
  return labels[OBJECT_LABEL.name] === matcher.name && labels[OBJECT_LABEL.kind] === kind.kind ? revision : undefined;
}

const missingError = (field: MatcherField, of: { group: string; resource: string }, name: string): MatcherError =>
  new MatcherError(field, notFound(of, name).message, true);

function specOf({ metadata, data }: ControllerRevision, field: MatcherField): InstancetypeOrPreference['spec'] {
  const spec = (data as { spec?: InstancetypeOrPreference['spec'] } | undefined)?.spec;
  if (typeof spec !== 'object' || spec === null)
    throw new MatcherError(field, `ControllerRevision ${metadata.name} contains no ${field}: its data has no spec`);
  return spec;
}

/** What there is of the types that a VM names, and what is missing: it may yet come. */
export async function findExistingInstancetypeAndPreference(
  vm: VirtualMachine,
  lookup: InstancetypeLookup,
): Promise<{ types: InstancetypeAndPreference; missing: readonly MatcherError[] }> {
  const [instancetype, preference] = await Promise.all(
    MATCHER_FIELDS.map((field) => resolveMatcher(vm, field, lookup).catch(missingMatcherError)),
  );
  const found = [instancetype, preference];
  // What is found in a field is of the field's kinds.
  const types = { instancetype: specIn(instancetype), preference: specIn(preference) } as InstancetypeAndPreference;
  return { types, missing: found.filter((each) => each instanceof MatcherError) };
}

const specIn = (found: ResolvedMatcher | MatcherError | undefined): InstancetypeOrPreference['spec'] | undefined =>
  found instanceof MatcherError ? undefined : found?.spec;

function missingMatcherError(error: unknown): MatcherError {
  if (error instanceof MatcherError && error.isMissing) return error;
  throw error;
}

/** Everything that a VM takes settings from, ready to be applied. */
export async function findInstancetypeAndPreference(
  vm: VirtualMachine,
  lookup: InstancetypeLookup,
): Promise<{ types: InstancetypeAndPreference; found: Readonly<Partial<Record<MatcherField, ResolvedMatcher>>> }> {
  const [instancetype, preference] = await Promise.all(
    MATCHER_FIELDS.map((field) => resolveMatcher(vm, field, lookup)),
  );
  // What is found in a field is of the field's kinds.
  const types = { instancetype: instancetype?.spec, preference: preference?.spec } as InstancetypeAndPreference;
  return { types, found: { ...(instancetype && { instancetype }), ...(preference && { preference }) } };
}
