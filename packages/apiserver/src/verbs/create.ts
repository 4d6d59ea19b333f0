import { ApiError, alreadyExists, badRequest, type Persisted, type UnknownObject } from '@vireo/api';
import { generateName } from '@vireo/api/names.ts';
import type { ApiResponse } from '@vireo/kube';
import type { Admission } from '../admission/chain.ts';
import { groupResource, type VerbContext } from '../core.ts';
import type { Manager } from '../managedFields/managers.ts';
import { whenConverted } from '../registry/notConverted.ts';
import { asServed, keyOf, type Resource, toStorage } from '../registry/resource.ts';
import { negotiate } from '../representation.ts';
import { StoreConflict, type Stored } from '../store/store.ts';
import { toJson } from '../store/stored.ts';
import { sentOptions, subjectOf } from './admissionSubject.ts';
import { applyDefaults, checkObject, coerceToStored, readObject } from './draft.ts';
import { single } from './get.ts';
import { managersOfNew, restoreManagers, setManagers } from './managers.ts';
import { atRevision, newMetadata } from './metadata.ts';
import { type WriteOptions, writeOptions } from './options.ts';
import { checkNamespace } from './preconditions.ts';
import { withWarnings } from './withWarnings.ts';

const MAX_NAME_ATTEMPTS = 8;

export async function create(context: VerbContext): Promise<ApiResponse> {
  const { request, resource } = context;
  const options = writeOptions(request.query, 'CreateOptions');
  const representation = negotiate(request.headers.accept, request.query, { custom: resource.custom });
  const { object, warnings } = await readObject(context, options);
  const stored = await createObject(context, object, options, warnings);
  const response = single(resource, stored, representation, 201);
  return warnings.length > 0 ? { ...response, warnings } : response;
}

/**
 * Creates from a draft that is ours to change. `warnings` takes what admission has to say. `managers`: who owns its
 * fields, where an apply has decided that.
 */
export const createObject = (
  context: VerbContext,
  sent: UnknownObject,
  options: WriteOptions,
  warnings: string[],
  managers?: readonly Manager[],
): Promise<Stored> => withWarnings(warnings, () => createDraft(context, sent, options, warnings, managers));

async function createDraft(
  context: VerbContext,
  sent: UnknownObject,
  options: WriteOptions,
  warnings: string[],
  managers?: readonly Manager[],
): Promise<Stored> {
  const { core, resource, request } = context;
  const namesVersion = /^[1-9]\d*$/.test(sent.metadata.resourceVersion ?? '');
  const draft: UnknownObject = { ...sent, metadata: newMetadata(resource, sent.metadata, namespaceOf(context, sent)) };
  if (resource.kind.status && resource.custom) delete draft.status;
  applyDefaults(resource, draft);
  setManagers(draft.metadata, managers ?? managersOfNew(context, draft, options));
  const admission = core.admission.begin({
    ...subjectOf(context),
    operation: 'CREATE',
    namespace: draft.metadata.namespace,
    name: draft.metadata.name ?? '',
    object: draft,
    dryRun: options.dryRun,
    options: sentOptions(request.query),
  });
  const tracked = draft.metadata.managedFields;
  let written = false;
  try {
    await admission.mutate();
    restoreManagers(draft.metadata, tracked, admission.warnings);
    // Admission may have said how it is to be called.
    const isGenerated = !draft.metadata.name && !!draft.metadata.generateName;
    for (let attempt = 1; ; attempt++) {
      if (isGenerated) draft.metadata.name = generateName(draft.metadata.generateName as string);
      try {
        const check = { isFirst: attempt === 1, namesVersion, isApplied: managers !== undefined };
        const stored = await writeNew(context, draft, options, admission, check);
        written = !options.dryRun;
        return stored;
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error;
        if (!isGenerated) throw alreadyExists(groupResource(resource), draft.metadata.name as string);
        if (attempt === MAX_NAME_ATTEMPTS) throw noFreeName(resource, draft.metadata.name as string);
      }
    }
  } finally {
    admission.settle(written);
    warnings.push(...admission.warnings);
  }
}

function noFreeName(resource: Resource, name: string): ApiError {
  const { status } = alreadyExists(groupResource(resource), name);
  const message = `${status.message}, the server was not able to generate a unique name for the object`;
  return new ApiError('AlreadyExists', message, { ...status.details, retryAfterSeconds: 1 });
}

async function writeNew(
  context: VerbContext,
  draft: UnknownObject,
  options: WriteOptions,
  admission: Admission,
  { isFirst, namesVersion, isApplied }: { isFirst: boolean; namesVersion: boolean; isApplied: boolean },
): Promise<Stored> {
  const { core, resource, request } = context;
  const key = keyOf(resource, draft.metadata.namespace, draft.metadata.name as string);
  applyDefaults(resource, draft);
  const strategyContext = { user: request.user, subresource: '', lookup: core.lookup };
  resource.strategy.prepareForCreate?.(draft, strategyContext);
  const warnings = await checkObject(context, draft, undefined);
  if (isFirst) {
    admission.warnings.push(...warnings);
    admission.warnings.push(...(resource.strategy.warnings?.(draft, strategyContext) ?? []));
    await admission.validate();
  }
  // Found out where it would be stored: the last thing that is looked at, and nothing that a dry run sees.
  if (namesVersion && !options.dryRun)
    throw new ApiError(undefined, 'resourceVersion should not be set on objects to be created', undefined, 500);
  coerceToStored(resource, draft, isApplied);
  const existing = core.store.get(key);
  if (existing) throw new StoreConflict(key, existing);
  if (options.dryRun) return notStored(key, draft);
  const storable = await toStorage(resource, draft);
  const stored = await core.store.write(key, 0, (revision) => atRevision(storable, revision));
  return whenConverted(() => asServed(resource, stored));
}

/** What a dry run answers: an object that looks stored and is not. */
export const notStored = (key: string, object: UnknownObject): Stored => ({
  key,
  revision: 0,
  createRevision: 0,
  object: object as Persisted<UnknownObject>,
  bytes: Buffer.from(toJson(object)),
});

function namespaceOf(context: VerbContext, sent: UnknownObject): string | undefined {
  const { resource, info } = context;
  if (!resource.kind.namespaced) return undefined;
  checkNamespace(context, sent.metadata);
  if (!info.namespace) throw badRequest('an empty namespace may not be set during creation');
  return info.namespace;
}
