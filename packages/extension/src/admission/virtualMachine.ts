import { randomUUID } from 'node:crypto';
import { type FieldError, fieldError, isDeleting, timestamp } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { runStrategyOf } from '@vireo/api/kinds/kubevirt/vm.ts';
import {
  applyInstancetypeToVm,
  applyVmDefaults,
  findExistingInstancetypeAndPreference,
  type InstancetypeAndPreference,
  MatcherError,
  matcherRules,
  PluginHookError,
  preferForVm,
  resolveMatcher,
  unmetRequirements,
  validateVm,
} from '@vireo/hypervisor';
import { isComponent } from '../identity.ts';
import { inferTypes } from '../instancetypes/infer.ts';
import { serverLookup } from '../instancetypes/lookup.ts';
import { claimOfDataVolume, spaceWarnings } from './claimSpace.ts';
import { sourceErrors } from './dataVolume.ts';
import { dataVolumeErrors } from './dataVolumeSpec.ts';
import { macConflicts } from './macConflicts.ts';
import {
  type Admission,
  type AdmissionContext,
  ALLOWED,
  type MutatingRule,
  type ValidatingRule,
  type ValidationResult,
} from './rule.ts';
import { snapshotInProgressErrors } from './snapshotInProgress.ts';
import { withSourceArchitecture } from './sourceArchitecture.ts';
import { memoryErrors } from './template.ts';

type Vm = VirtualMachine;

export const vmDefaults: MutatingRule<Vm> = {
  type: 'mutating',
  webhook: 'virtualmachines-mutator.kubevirt.io',
  path: '/virtualmachines-mutate',
  kinds: [VirtualMachine],
  operations: ['CREATE', 'UPDATE'],
  async mutate({ operation, object, oldObject }, { config, client }) {
    if (isDeleting(object) || operation === 'DELETE') return object;
    const settled =
      matcherRules(object, oldObject).length > 0 ? object : await resolveInstancetypeAndPreference(object, client);
    const fitting = operation === 'CREATE' ? await withSourceArchitecture(settled, client) : settled;
    try {
      return applyVmDefaults(fitting, await config(), { randomUuid: randomUUID, now: timestamp() }, operation);
    } catch (error) {
      // A plug-in that has failed must not keep a VM from being stopped or labelled.
      if (operation === 'UPDATE' && error instanceof PluginHookError) return fitting;
      throw error;
    }
  },
};

export const vmValidation: ValidatingRule<Vm> = {
  type: 'validating',
  webhook: 'virtualmachine-validator.kubevirt.io',
  path: '/virtualmachines-validate',
  kinds: [VirtualMachine],
  operations: ['CREATE', 'UPDATE'],
  // Who switches a VM on hears at once why it would not start.
  skipsRatcheting: ({ object, oldObject }) =>
    oldObject !== undefined && runStrategyOf(oldObject) === 'Halted' && runStrategyOf(object) !== 'Halted',
  async validate(admission, context) {
    const { object } = admission;
    // A VM that goes may carry rules that came later than it; its finalizers have to come off all the same.
    if (isDeleting(object)) return ALLOWED;
    const deprecated =
      object.spec.running === undefined ? [] : ['spec.running is deprecated, please use spec.runStrategy instead.'];
    const { errors, warnings = [] } = await vmSpecErrors(admission, context);
    const macs = await macConflicts(admission, context);
    // Each is asked whatever another says: an error that was there before is forgiven, and must hide nothing new.
    return {
      errors: [...snapshotInProgressErrors(admission), ...errors, ...macs.errors],
      warnings: [...deprecated, ...warnings, ...(macs.warnings ?? [])],
    };
  },
};

/** What is wrong with the spec of a VM, and of every VM that is made from a template. */
export async function vmSpecErrors(admission: Admission<Vm>, context: AdmissionContext): Promise<ValidationResult> {
  const { errors, warnings = [] } = await validateWithInstancetype(admission, context);
  return {
    errors: [...errors, ...(await templateErrors(admission, context))],
    warnings: [...warnings, ...(await templateSpaceWarnings(admission, context))],
  };
}

/** Of the DataVolumes that a new VM brings: those that it has already were warned of. */
const templateSpaceWarnings = (
  { operation, object, user }: Admission<Vm>,
  { client }: Pick<AdmissionContext, 'client'>,
): Promise<string[]> => {
  const templates = operation === 'CREATE' && !isComponent(user) ? (object.spec.dataVolumeTemplates ?? []) : [];
  return spaceWarnings(
    templates.flatMap(({ metadata, spec }) => claimOfDataVolume(spec as DataVolume['spec'], metadata?.name)),
    client,
  );
};

/** What a new VM takes from the labels of its volumes and from its preference, before any default. */
async function resolveInstancetypeAndPreference(vm: Vm, client: AdmissionContext['client']): Promise<Vm> {
  const named = await inferTypes(vm, client);
  if (!named.spec.preference) return named;
  try {
    const found = await resolveMatcher(named, 'preference', serverLookup(client));
    return preferForVm(named, { preference: found?.spec } as InstancetypeAndPreference);
  } catch (error) {
    // Validation says what is wrong; one that is only missing may come later.
    if (error instanceof MatcherError) return named;
    throw error;
  }
}

/**
 * What is wrong with the VM that this one and its instance type and preference make together. As in KubeVirt, a
 * type that does not exist is no error: the controller says so in the VM's status, and starts the VM when it comes.
 */
async function validateWithInstancetype(
  { object, oldObject }: Admission<Vm>,
  context: AdmissionContext,
): Promise<ValidationResult> {
  const config = await context.config();
  if (!object.spec.instancetype && !object.spec.preference)
    return { errors: [...validateVm(object, config), ...(await missingMemoryErrors(object, context))] };
  const { types, missing, errors } = await namedTypes(object, oldObject, context);
  const { vm, conflicts } = applyInstancetypeToVm(object, types, config);
  const { template } = vm.spec;
  // Without the type, nobody knows whether it will be large enough.
  const unmet =
    template.spec && missing.length === 0 && conflicts.length === 0
      ? unmetRequirements(template.spec, types.instancetype, types.preference)
      : [];
  const isSame = oldObject !== undefined && deepEqual(object.spec, oldObject.spec);
  return {
    errors: [...errors, ...conflicts, ...unmet, ...validateVm(vm, config), ...(await missingMemoryErrors(vm, context))],
    warnings: isSame
      ? []
      : missing.map(({ field, message }) => `spec.${field}: ${message}. The virtual machine can start once it exists.`),
  };
}

/** What there is of the types that a VM names, and what is wrong with how it names them. */
async function namedTypes(
  object: Vm,
  oldObject: Vm | undefined,
  { client }: AdmissionContext,
): Promise<{ types: InstancetypeAndPreference; missing: readonly MatcherError[]; errors: FieldError[] }> {
  const none = { types: { instancetype: undefined, preference: undefined }, missing: [] };
  const errors = matcherRules(object, oldObject);
  if (errors.length > 0) return { ...none, errors };
  try {
    return { ...(await findExistingInstancetypeAndPreference(object, serverLookup(client))), errors };
  } catch (error) {
    if (!(error instanceof MatcherError)) throw error;
    const { field, message } = error;
    return {
      ...none,
      errors: [fieldError(`spec.${field}`, `Failure to find ${field}: ${message}`, 'FieldValueNotFound')],
    };
  }
}

/** An instance type gives memory, even one that is still to come. */
const missingMemoryErrors = async (vm: Vm, context: AdmissionContext): Promise<FieldError[]> =>
  vm.spec.instancetype ? [] : memoryErrors(vm.spec.template, 'spec.template.spec', vm.metadata.namespace, context);

/** What is wrong with the DataVolumes that a VM brings along. Whoever writes the VM needs the right to their data. */
async function templateErrors(
  { object, oldObject, user }: Admission<Vm>,
  context: AdmissionContext,
): Promise<FieldError[]> {
  const { dataVolumeTemplates = [] } = object.spec;
  if (isComponent(user) || deepEqual(dataVolumeTemplates, oldObject?.spec.dataVolumeTemplates ?? [])) return [];
  const { namespace = '' } = object.metadata;
  const errors: FieldError[] = [];
  for (const [index, template] of dataVolumeTemplates.entries()) {
    const path = `spec.dataVolumeTemplates[${index}].spec`;
    const spec = template.spec as DataVolume['spec'];
    errors.push(...dataVolumeErrors(spec, path), ...(await sourceErrors(spec, path, namespace, user, context)));
  }
  return errors;
}
