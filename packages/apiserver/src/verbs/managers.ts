/** Who owns the fields of an object that is written. */
import { field, invalid, type ObjectMeta, type UnknownObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { VerbContext } from '../core.ts';
import { ConversionError } from '../crd/conversion/conversionError.ts';
import type { Typed } from '../managedFields/convert.ts';
import { isEmptySet } from '../managedFields/fieldSet.ts';
import {
  type Manager,
  type ManagerName,
  managerNameOf,
  managersOf,
  readManagers,
  sameButTimes,
  storedManagers,
} from '../managedFields/managers.ts';
import { trackUpdate } from '../managedFields/update.ts';
import { whenConverted } from '../registry/notConverted.ts';
import { apiVersionOf } from '../registry/resource.ts';
import { fieldManagerErrors, type WriteOptions } from './options.ts';

/**
 * How a change affects who owns what: the writer takes what it changes (through a subresource of another name, where
 * that differs), an apply has decided it already, or the server itself writes and nobody does.
 */
export type Ownership =
  | { readonly by: 'update'; readonly subresource?: string }
  | { readonly by: 'apply'; readonly managers: (old: UnknownObject) => readonly Manager[] }
  | { readonly by: 'server' };

export const BY_UPDATE: Ownership = { by: 'update' };

/** The managers of a new object: its writer owns all of it, whatever it says. */
export const managersOfNew = (context: VerbContext, draft: UnknownObject, options: WriteOptions): readonly Manager[] =>
  trackUpdate(typedOf(context), undefined, draft, NOBODY, nameOf(context, options));

/** The managers after a change of `old` to `draft`. Where a webhook fails to show it as others see it, there are none. */
export async function managersAfter(...change: Parameters<typeof managersOfChange>): Promise<readonly Manager[]> {
  try {
    return await whenConverted(() => managersOfChange(...change));
  } catch (error) {
    if (error instanceof ConversionError) return NOBODY;
    throw error;
  }
}

function managersOfChange(
  context: VerbContext,
  old: UnknownObject,
  draft: UnknownObject,
  sent: unknown,
  options: WriteOptions,
  ownership: Ownership,
): readonly Manager[] {
  const live = storedManagers(old.metadata.managedFields);
  if (ownership.by === 'server') return live;
  if (ownership.by === 'apply') return ownership.managers(old);
  const { subresource = context.info.subresource } = ownership;
  const managers = subresource === '' ? managersOf(sent, live) : live;
  if (managers !== live) checkManagers(context, managers);
  return trackUpdate(typedOf(context), old, draft, managers, { ...nameOf(context, options), subresource });
}

const NOBODY: readonly Manager[] = [];

/** Refuses names that no manager could give itself. */
function checkManagers({ resource, info }: VerbContext, managers: readonly Manager[]): void {
  const errors = managers.flatMap(({ manager, subresource = '', fieldsV1 }, i) => {
    if (isEmptySet(fieldsV1)) return [];
    const path = `metadata.managedFields[${i}]`;
    const isLong = Buffer.byteLength(subresource) > 256;
    return [
      ...fieldManagerErrors(manager ?? '', `${path}.manager`),
      ...(isLong ? [field.tooLong(`${path}.subresource`, 256)] : []),
    ];
  });
  if (errors.length > 0) throw invalid(resource.kind.group, resource.kind.kind, info.name, errors);
}

/** A kind in the version of a request. */
export function typedOf(context: VerbContext): Typed {
  const { resource, core } = context;
  if (!resource.convert) return { resource, registry: core.registry };
  const conversions = conversionsOf.get(context) ?? new Map<string, UnknownObject>();
  conversionsOf.set(context, conversions);
  return { resource, registry: core.registry, conversions };
}

const conversionsOf = new WeakMap<VerbContext, Map<string, UnknownObject>>();

function nameOf({ request, resource, info }: VerbContext, { fieldManager }: WriteOptions): ManagerName {
  return {
    manager: managerNameOf(fieldManager, request.headers['user-agent']),
    operation: 'Update',
    apiVersion: apiVersionOf(resource.kind),
    subresource: info.subresource,
  };
}

/** Puts the managers into the metadata of a draft. */
export function setManagers(metadata: ObjectMeta, managers: readonly Manager[]): void {
  if (managers.length === 0) delete metadata.managedFields;
  else metadata.managedFields = managers as unknown as ObjectMeta['managedFields'] & {};
}

/** Admission may change who owns what, but not break it. */
export function restoreManagers(metadata: ObjectMeta, tracked: ObjectMeta['managedFields'], warnings: string[]): void {
  const left = metadata.managedFields;
  if (left === tracked || readManagers(left ?? [])) return;
  setManagers(metadata, storedManagers(tracked));
  warnings.push(
    '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests',
  );
}

/** The object without its managers. Shares the rest. */
export function withoutManagers(object: UnknownObject): UnknownObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Whether a write changes nothing but the times of managers, which then stay as they are. */
export function isUnchanged(draft: UnknownObject, old: UnknownObject): boolean {
  const [now, before] = [draft.metadata.managedFields, old.metadata.managedFields];
  if (now !== before && !sameButTimes(storedManagers(now), storedManagers(before))) return false;
  return deepEqual(withoutManagers(draft), withoutManagers(old));
}
