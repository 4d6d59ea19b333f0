import { type ConditionDraft, ControllerRevision, isDeleting } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import {
  applyInstancetypeToVm,
  type ClusterConfig,
  expandVm,
  findInstancetypeAndPreference,
  type InstancetypeLookup,
  instancetypeAnnotations,
  MATCHER_FIELDS,
  MatcherError,
  type MatcherField,
  type ResolvedMatcher,
  unmetRequirements,
} from '@vireo/hypervisor';
import { type Client, ignoreAlreadyExists, ignoreNotFound, isNamespaceTerminating, type Recorder } from '@vireo/kube';
import type { VmActions } from '../vm/act.ts';
import { revisionNameOf, typeRef, typeRevision } from './revision.ts';

/** What a VM is run as. */
export interface Typed {
  /** The VM's own spec with its instance type and preference written out. */
  readonly spec: Vm['spec'];
  /** The same of the spec that its VMI was started from, as far as that is known. */
  readonly started: Vm['spec'] | undefined;
  /** Why it cannot be started. */
  readonly failure?: ConditionDraft;
}

export interface TypeContext {
  readonly client: Client;
  readonly lookup: InstancetypeLookup;
  readonly config: () => ClusterConfig;
  readonly recorder: Recorder;
  readonly act: Pick<VmActions, 'patchVm' | 'writeStatus' | 'deleteRevision'>;
}

const REASON: Readonly<Record<MatcherField, string>> = {
  instancetype: 'FailedFindInstancetype',
  preference: 'FailedFindPreference',
};

/**
 * Finds what a VM names and keeps it, so that a change of it later leaves the VM alone; or writes it into the
 * VM, where the cluster wants that. `started`: the spec that the VMI was started from.
 */
export async function syncTypes(
  vm: Vm,
  started: Vm['spec'] | undefined,
  context: TypeContext,
): Promise<{ vm: Vm; typed: Typed }> {
  if (isDeleting(vm)) return { vm, typed: { spec: vm.spec, started: undefined } };
  if (!vm.spec.instancetype && !vm.spec.preference)
    return { vm, typed: { spec: vm.spec, started: await wholeStart(vm, started, context) } };
  try {
    return await resolveTypes(vm, started, context);
  } catch (error) {
    if (error instanceof MatcherError) return refuse(vm, REASON[error.field], error.message, context);
    if (isNamespaceTerminating(error)) return unstartable(vm, 'FailedCreate', 'the namespace is being deleted');
    throw error;
  }
}

async function resolveTypes(
  vm: Vm,
  started: Vm['spec'] | undefined,
  context: TypeContext,
): Promise<{ vm: Vm; typed: Typed }> {
  const { types, found } = await findInstancetypeAndPreference(vm, context.lookup);
  const config = context.config();
  const policy = config.configuration.instancetype?.referencePolicy ?? 'reference';
  const isKept = MATCHER_FIELDS.some((field) => vm.status?.[`${field}Ref`]?.controllerRevisionRef?.name);
  const { vm: whole, conflicts } = applyInstancetypeToVm(vm, types, config);
  if (conflicts.length > 0) return refuse(vm, 'FailedCreate', conflicts.map(({ text }) => text).join(', '), context);
  // A type that came after the VM was not there to be checked with it.
  const isNew = !started && MATCHER_FIELDS.some((field) => found[field]?.from === 'object');
  const { spec: wanted } = whole.spec.template;
  const unmet = isNew && wanted ? unmetRequirements(wanted, types.instancetype, types.preference) : [];
  if (unmet.length > 0) return refuse(vm, 'FailedCreate', unmet.map(({ text }) => text).join(', '), context);
  if (policy === 'expandAll' || (policy === 'expand' && !isKept)) {
    const expanded = await expand(vm, expandVm(vm, types, config).vm, context);
    return { vm: expanded, typed: { spec: expanded.spec, started: await wholeStart(vm, started, context) } };
  }
  const { template } = whole.spec;
  const annotations = { ...template.metadata?.annotations, ...instancetypeAnnotations(vm) };
  const spec = { ...whole.spec, template: { ...template, metadata: { ...template.metadata, annotations } } };
  const referred = await writeReferences(vm, found, context);
  return { vm: referred, typed: { spec, started: await wholeStart(referred, started, context) } };
}

/** Keeps a revision of each type, and notes in the VM's status which. */
async function writeReferences(
  vm: Vm,
  found: Readonly<Partial<Record<MatcherField, ResolvedMatcher>>>,
  { client, act }: TypeContext,
): Promise<Vm> {
  const refs: Partial<Pick<VmStatus, 'instancetypeRef' | 'preferenceRef'>> = {};
  for (const field of MATCHER_FIELDS) {
    const type = found[field];
    if (!type) continue;
    // The name holds uid and generation of the type: one that exists is the same.
    if (type.from === 'object')
      await client
        .of(ControllerRevision)
        .create(typeRevision(vm, type.kind, type.object))
        .catch(ignoreAlreadyExists);
    refs[`${field}Ref`] = typeRef(vm, field, revisionNameOf(vm, type));
  }
  const isKnown = MATCHER_FIELDS.every((field) => deepEqual(vm.status?.[`${field}Ref`], refs[`${field}Ref`]));
  return isKnown ? vm : act.writeStatus(vm, { ...vm.status, ...refs });
}

/** Writes the expansion into the VM, which then names no type and needs no revision. */
async function expand(vm: Vm, expanded: Vm, { client, act }: TypeContext): Promise<Vm> {
  const { template } = expanded.spec;
  const patched = await act.patchVm(vm, { spec: { template, instancetype: null, preference: null } });
  const kept = MATCHER_FIELDS.map((field) => vm.status?.[`${field}Ref`]?.controllerRevisionRef?.name);
  for (const name of kept.filter((each) => each !== undefined)) {
    const { namespace } = vm.metadata;
    await client.of(ControllerRevision).delete(name, { namespace }).catch(ignoreNotFound);
  }
  return patched;
}

/** A spec from the past, which carries the names of its revisions. Nothing where those are gone. */
async function wholeStart(
  vm: Vm,
  started: Vm['spec'] | undefined,
  { lookup, config }: TypeContext,
): Promise<Vm['spec'] | undefined> {
  if (!started?.instancetype && !started?.preference) return started;
  try {
    const { types } = await findInstancetypeAndPreference({ ...vm, spec: started }, lookup);
    return applyInstancetypeToVm({ ...vm, spec: started }, types, config()).vm.spec;
  } catch (error) {
    if (error instanceof MatcherError) return undefined;
    throw error;
  }
}

function refuse(vm: Vm, reason: string, message: string, { recorder }: TypeContext): { vm: Vm; typed: Typed } {
  recorder.event(vm, 'Warning', reason, message);
  return unstartable(vm, reason, message);
}

const unstartable = (vm: Vm, reason: string, message: string): { vm: Vm; typed: Typed } => ({
  vm,
  typed: { spec: vm.spec, started: undefined, failure: { type: 'Failure', status: 'True', reason, message } },
});
