import { type FieldError, fieldError, isReason } from '@vireo/api';
import { applyJsonPatch, JsonPatchError } from '@vireo/api/jsonPatch.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { restoredVm } from '@vireo/api/kinds/snapshot/restoredVm.ts';
import type { SnapshotVirtualMachine } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { validateAnnotations, validateLabels } from '@vireo/api/validateMeta.ts';
import { USER } from '../identity.ts';
import { typeMismatch } from '../schemaTypes.ts';
import type { AdmissionContext } from './rule.ts';
import { vmDefaults, vmValidation } from './virtualMachine.ts';

/** A VM that is made from another one, by patches. */
export interface PatchedVm {
  readonly name: string;
  readonly namespace: string | undefined;
  /** What it is made from. */
  readonly kept: SnapshotVirtualMachine;
  /** Patches of the system, which go before those of the user. */
  readonly before?: readonly string[];
  readonly patches: readonly string[];
}

const FIELD = 'spec.patches';

/**
 * What a restore or a clone makes wrong with the VM that it makes. It is found out now, for nobody reads the response
 * of the step that creates the VM. What is wrong with the VM that was kept is not reported: types may be gone that
 * it has kept revisions of.
 */
export async function patchedVmErrors(made: PatchedVm, context: AdmissionContext): Promise<FieldError[]> {
  const { kept, before = [], patches } = made;
  if (patches.length + before.length === 0 || !kept.spec) return [];
  const plain = restoredVm(kept.metadata ?? {}, kept.spec, made);
  let [changed, wrong] = tryPatches(plain, before, 'spec');
  if (wrong.length > 0) return wrong;
  const unpatched = changed;
  [changed, wrong] = tryPatches(unpatched, patches, FIELD);
  if (wrong.length > 0) return wrong;
  const all = await vmErrors(changed, context);
  if (all.length === 0) return [];
  const ofSystem = newErrors(await vmErrors(plain, context), await vmErrors(unpatched, context));
  if (ofSystem.length > 0) return ofSystem.map((text) => fieldError('spec', `the copy would be invalid: ${text}`));
  return newErrors(await vmErrors(unpatched, context), all).map((text) =>
    fieldError(FIELD, `${FIELD}: the patches make the VM invalid: ${text}`),
  );
}

/** The VM with patches applied, or which of them does not fit. */
function tryPatches(vm: unknown, patches: readonly string[], path: string): [unknown, FieldError[]] {
  let changed = vm;
  for (const [index, patch] of patches.entries()) {
    try {
      changed = applyPatches(changed, [patch]);
    } catch (error) {
      if (!isReason(error, 'Invalid', 'BadRequest')) throw error;
      const field = `${path}[${index}]`;
      const why = error instanceof JsonPatchError ? error.why : error.message;
      return [changed, [fieldError(field, `${field}: ${why}`)]];
    }
  }
  return [changed, []];
}

/** What is wrong after a change and was not before. */
function newErrors(before: readonly FieldError[], after: readonly FieldError[]): string[] {
  const known = new Set(before.map(words));
  return after.map(words).filter((text) => !known.has(text));
}

const applyPatches = (vm: unknown, patches: readonly string[]): unknown =>
  applyJsonPatch(
    vm,
    patches.flatMap((patch) => JSON.parse(patch) as unknown),
  );

const words = ({ field, text }: FieldError): string => (text.includes(field) ? text : `${field}: ${text}`);

/** What would be said to whoever creates the VM. */
async function vmErrors(vm: unknown, context: AdmissionContext): Promise<readonly FieldError[]> {
  const mismatch = typeMismatch('', vm, VirtualMachine.schema);
  if (mismatch !== undefined) return [fieldError(mismatch.split(' ')[0] ?? '', mismatch, 'FieldValueTypeInvalid')];
  // Of the right shape, as the schema says.
  const object = vm as VirtualMachine;
  const { labels = {}, annotations = {} } = object.metadata;
  const { metadata = {} } = object.spec.template;
  const about = { operation: 'CREATE', user: USER } as const;
  const defaulted = await vmDefaults.mutate({ ...about, object }, context);
  const { errors } = await vmValidation.validate({ ...about, object: defaulted }, context);
  return [
    ...validateLabels(labels, 'metadata.labels'),
    ...validateAnnotations(annotations, 'metadata.annotations'),
    ...validateLabels(metadata.labels ?? {}, 'spec.template.metadata.labels'),
    ...validateAnnotations(metadata.annotations ?? {}, 'spec.template.metadata.annotations'),
    ...errors,
  ];
}
