import { randomUUID } from 'node:crypto';
import { type FieldError, timestamp } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import {
  applyVmDefaults,
  findType,
  findTypes,
  matcherRules,
  preferForVm,
  TypeProblem,
  type Types,
  unmetRequirements,
  validateVm,
  withTypes,
} from '@vireo/hypervisor';
import { runStrategyOf } from '../actions/states.ts';
import { isComponent } from '../identity.ts';
import { inferTypes } from '../instancetypes/infer.ts';
import { serverLookup } from '../instancetypes/lookup.ts';
import { sourceErrors } from './dataVolume.ts';
import { dataVolumeErrors } from './dataVolumeSpec.ts';
import { heldErrors } from './heldMachine.ts';
import {
  type Admission,
  type AdmissionWorld,
  ALLOWED,
  type MutatingRule,
  problem,
  type ValidatingRule,
} from './rule.ts';
import { withSourceArchitecture } from './sourceArchitecture.ts';

type Vm = VirtualMachine;

export const vmDefaults: MutatingRule<Vm> = {
  type: 'mutating',
  webhook: 'virtualmachines-mutator.kubevirt.io',
  path: '/virtualmachines-mutate',
  kinds: [VirtualMachine],
  operations: ['CREATE', 'UPDATE'],
  async mutate({ operation, object, oldObject }, { config, client }) {
    if (isDeleting(object) || operation === 'DELETE') return object;
    const settled = matcherRules(object, oldObject).length > 0 ? object : await settleTypes(object, client);
    const fitting = operation === 'CREATE' ? await withSourceArchitecture(settled, client) : settled;
    return applyVmDefaults(fitting, await config(), { randomUuid: randomUUID, now: timestamp() }, operation);
  },
};

export const vmValidation: ValidatingRule<Vm> = {
  type: 'validating',
  webhook: 'virtualmachine-validator.kubevirt.io',
  path: '/virtualmachines-validate',
  kinds: [VirtualMachine],
  operations: ['CREATE', 'UPDATE'],
  // Who switches a machine on hears at once why it would not start.
  mustHoldAnew: ({ object, oldObject }) =>
    oldObject !== undefined && runStrategyOf(oldObject) === 'Halted' && runStrategyOf(object) !== 'Halted',
  async validate(admission, world) {
    const { object } = admission;
    // A machine that goes may carry rules that came later than it; its finalizers have to come off all the same.
    if (isDeleting(object)) return ALLOWED;
    const warnings =
      object.spec.running === undefined ? [] : ['spec.running is deprecated, please use spec.runStrategy instead.'];
    const held = heldErrors(admission);
    const errors = held.length > 0 ? held : await vmErrors(admission, world);
    return { errors: errors.length > 0 ? errors : await templateErrors(admission, world), warnings };
  },
};

/** What a new machine takes from the labels of its volumes and from its preference, before any default. */
async function settleTypes(vm: Vm, client: AdmissionWorld['client']): Promise<Vm> {
  const named = await inferTypes(vm, client);
  if (!named.spec.preference) return named;
  try {
    const found = await findType(named, 'preference', serverLookup(client));
    return preferForVm(named, { preference: found?.spec } as Types);
  } catch (error) {
    // Validation says what is missing.
    if (error instanceof TypeProblem) return named;
    throw error;
  }
}

/** What is wrong with the machine that this one and its instance type and preference make together. */
async function vmErrors(
  { object, oldObject }: Admission<Vm>,
  { config, client }: AdmissionWorld,
): Promise<FieldError[]> {
  if (!object.spec.instancetype && !object.spec.preference) return validateVm(object, await config());
  // Labels and finalizers can be changed although the type is gone.
  if (oldObject && deepEqual(object.spec, oldObject.spec)) return [];
  const wrong = matcherRules(object, oldObject);
  if (wrong.length > 0) return wrong;
  try {
    const { types } = await findTypes(object, serverLookup(client));
    const { vm, conflicts } = withTypes(object, types, await config());
    if (conflicts.length > 0) return conflicts;
    const { template } = vm.spec;
    const unmet = template.spec ? unmetRequirements(template.spec, types.instancetype, types.preference) : [];
    return unmet.length > 0 ? unmet : validateVm(vm, await config());
  } catch (error) {
    if (!(error instanceof TypeProblem)) throw error;
    const { field, message } = error;
    return [problem('FieldValueNotFound', `spec.${field}`, `Failure to find ${field}: ${message}`)];
  }
}

const isDeleting = ({ metadata }: Vm): boolean => metadata.deletionTimestamp !== undefined;

/** What is wrong with the DataVolumes that a machine brings along. Whoever writes the machine needs the right to their data. */
async function templateErrors(
  { object, oldObject, user }: Admission<Vm>,
  world: AdmissionWorld,
): Promise<FieldError[]> {
  const { dataVolumeTemplates = [] } = object.spec;
  if (isComponent(user) || deepEqual(dataVolumeTemplates, oldObject?.spec.dataVolumeTemplates ?? [])) return [];
  const { namespace = '' } = object.metadata;
  const errors: FieldError[] = [];
  for (const [index, template] of dataVolumeTemplates.entries()) {
    const path = `spec.dataVolumeTemplates[${index}].spec`;
    const spec = template.spec as DataVolume['spec'];
    const wrong = dataVolumeErrors(spec, path);
    errors.push(...(wrong.length > 0 ? wrong : await sourceErrors(spec, path, namespace, user, world)));
  }
  return errors;
}
