import { conflict, field, invalid, MODIFIED, notFound, type UnknownObject } from '@vireo/api';
import { deepClone, deepEqual } from '@vireo/api/json.ts';
import type { ApiResponse } from '@vireo/kube';
import { groupResource, type VerbContext } from '../core.ts';
import { whenConverted } from '../registry/notConverted.ts';
import { asServed, keyOf, type Resource, toStorage } from '../registry/resource.ts';
import { negotiate } from '../representation.ts';
import { StoreConflict, type Stored } from '../store/store.ts';
import { sentOptions, subjectOf } from './admissionSubject.ts';
import { createObject, notStored } from './create.ts';
import { applyDefaults, checkObject, coerceToStored, readObject } from './draft.ts';
import { single } from './get.ts';
import { BY_UPDATE, isUnchanged, managersAfter, type Ownership, restoreManagers, setManagers } from './managers.ts';
import { atRevision, changedMetadata, desiredStateDiffers } from './metadata.ts';
import { type WriteOptions, writeOptions } from './options.ts';
import { checkNames, checkUid, checkUnchanged, namedVersion } from './preconditions.ts';
import { withWarnings } from './withWarnings.ts';

/** How often a change that names no version is worked out again when somebody else was faster. */
const MAX_ATTEMPTS = 100;

export async function update(context: VerbContext): Promise<ApiResponse> {
  const options = writeOptions(context.request.query, 'UpdateOptions');
  const { object, warnings } = await readObject(context, options);
  return withWarnings(warnings, () => replace(context, object, options, warnings));
}

async function replace(
  context: VerbContext,
  object: UnknownObject,
  options: WriteOptions,
  warnings: string[],
): Promise<ApiResponse> {
  const { core, request, resource, info } = context;
  checkNames(context, object.metadata);
  const representation = negotiate(request.headers.accept, request.query, { custom: resource.custom });
  const current = core.store.get(keyOf(resource, info.namespace, info.name));
  if (!current && resource.strategy.createOnUpdate && info.subresource === '') {
    const { resourceVersion: _, ...metadata } = object.metadata;
    const stored = await createObject(context, { ...object, metadata }, options, warnings);
    return { ...single(resource, stored, representation, 201), warnings };
  }
  if (current) {
    checkUid(resource, object.metadata.uid, current.object.metadata);
    requireVersion(resource, object);
  }
  const stored = await updateObject(context, () => object, options, warnings);
  return { ...single(resource, stored, representation), warnings };
}

/** Refuses a change that names no version, where the kind needs one. */
export function requireVersion(resource: Resource, object: UnknownObject): void {
  if (namedVersion(object.metadata) || (resource.strategy.unconditionalUpdate ?? !resource.custom)) return;
  throw invalid(resource.kind.group, resource.kind.plural, object.metadata.name ?? '', [
    field.invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
  ]);
}

/**
 * Changes an object to what `compute` makes of its newest version. When another write comes in between, it is worked
 * out again; a result that names the version before is then a conflict.
 */
export const updateObject = (
  context: VerbContext,
  compute: (old: UnknownObject) => UnknownObject | Promise<UnknownObject>,
  options: WriteOptions,
  warnings: string[],
  ownership: Ownership = BY_UPDATE,
): Promise<Stored> => withWarnings(warnings, () => changeObject(context, compute, options, warnings, ownership));

async function changeObject(
  context: VerbContext,
  compute: (old: UnknownObject) => UnknownObject | Promise<UnknownObject>,
  options: WriteOptions,
  warnings: string[],
  ownership: Ownership,
): Promise<Stored> {
  const { core, resource, info } = context;
  const key = keyOf(resource, info.namespace, info.name);
  for (let attempt = 1; ; attempt++) {
    const current = core.store.get(key);
    if (!current) throw notFound(groupResource(resource), info.name);
    const { object: old } = await whenConverted(() => asServed(resource, current));
    const sent = await compute(old);
    checkUnchanged(resource, sent.metadata, old.metadata);
    try {
      return await writeChange(context, current, old, sent, options, warnings, ownership);
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
      if (attempt === MAX_ATTEMPTS) throw conflict(groupResource(resource), info.name, MODIFIED);
    }
  }
}

async function writeChange(
  context: VerbContext,
  current: Stored,
  old: UnknownObject,
  sent: UnknownObject,
  options: WriteOptions,
  warnings: string[],
  ownership: Ownership,
): Promise<Stored> {
  const { core, resource, info, request } = context;
  const { managedFields: sentManagers, ...metadata } = sent.metadata;
  // Parts of the old object are frozen, and plug-ins and strategies work in place.
  const draft = deepClone(mergeSubresource(resource, info.subresource, { ...sent, metadata }, old));
  applyDefaults(resource, draft);
  setManagers(draft.metadata, await managersAfter(context, old, draft, sentManagers, options, ownership));
  const tracked = draft.metadata.managedFields;
  const admission = core.admission.begin({
    ...subjectOf(context),
    operation: 'UPDATE',
    namespace: info.namespace,
    name: info.name,
    object: draft,
    oldObject: old,
    dryRun: options.dryRun,
    options: sentOptions(request.query),
  });
  let written = false;
  try {
    await admission.mutate();
    restoreManagers(draft.metadata, tracked, admission.warnings);
    applyDefaults(resource, draft);
    const strategyContext = { user: request.user, subresource: info.subresource, lookup: core.lookup };
    resource.strategy.prepareForUpdate?.(draft, old, strategyContext);
    draft.metadata = changedMetadata(draft.metadata, old.metadata);
    if (resource.kind.generation && desiredStateDiffers(resource, draft, old))
      draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
    admission.warnings.push(...(await checkObject(context, draft, old)));
    admission.warnings.push(...(resource.strategy.warnings?.(draft, strategyContext) ?? []));
    await admission.validate();
    coerceToStored(resource, draft, ownership.by === 'apply');
    const stored = await store(context, current, draft, old, options);
    written = !options.dryRun;
    return stored;
  } finally {
    admission.settle(written);
    warnings.splice(0, warnings.length, ...new Set([...warnings, ...admission.warnings]));
  }
}

/** The parts that this path may write come from the client, the rest stays. */
function mergeSubresource(
  resource: Resource,
  subresource: string,
  sent: UnknownObject,
  old: UnknownObject,
): UnknownObject {
  const metadata = changedMetadata(sent.metadata, old.metadata);
  if (subresource === 'status') {
    const status = sent.status === undefined ? {} : { status: sent.status };
    const { status: _, ...rest } = old;
    const { managedFields: _m, ...oldMetadata } = old.metadata;
    return { ...rest, metadata: resource.custom ? oldMetadata : metadata, ...status } as UnknownObject;
  }
  if (resource.kind.status && subresource === '') {
    const { status: _, ...rest } = sent;
    return { ...rest, metadata, ...(old.status !== undefined && { status: old.status }) } as UnknownObject;
  }
  return { ...sent, metadata };
}

async function store(
  { core, resource }: VerbContext,
  current: Stored,
  draft: UnknownObject,
  old: UnknownObject,
  options: WriteOptions,
): Promise<Stored> {
  if (isDone(resource, draft)) {
    // Clients expect what they made of the object, and not what is left of it.
    if (!options.dryRun) await core.store.write(current.key, current.revision, () => undefined);
    return notStored(current.key, draft);
  }
  const isSame = isUnchanged(draft, old);
  if (isSame && !resource.custom) return asServed(resource, current);
  if (options.dryRun) return isSame ? asServed(resource, current) : notStored(current.key, draft);
  const storable = await toStorage(resource, isSame ? old : draft);
  // Whoever writes a custom resource moves it to what is stored now, and leaves of it what its own version knows.
  if (isSame && deepEqual(storable, current.object)) return asServed(resource, current);
  const stored = await core.store.write(current.key, current.revision, (revision) => atRevision(storable, revision));
  return whenConverted(() => asServed(resource, stored));
}

/** Whether nothing keeps an object whose deletion has begun. */
export const isDone = (resource: Resource, object: UnknownObject): boolean =>
  object.metadata.deletionTimestamp !== undefined &&
  !object.metadata.finalizers?.length &&
  !object.metadata.deletionGracePeriodSeconds &&
  !resource.strategy.holdsDeletion?.(object);
