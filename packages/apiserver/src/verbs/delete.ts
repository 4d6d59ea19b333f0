import { conflict, field, invalid, MODIFIED, notFound, type Persisted, type UnknownObject } from '@vireo/api';
import { type ApiResponse, objectResponse } from '@vireo/kube';
import { groupResource, type VerbContext } from '../core.ts';
import { whenConverted } from '../registry/notConverted.ts';
import { asServed, converting, keyOf, keyPrefix, type Resource, toStorage } from '../registry/resource.ts';
import { negotiate } from '../representation.ts';
import { StoreConflict, type Stored } from '../store/store.ts';
import { shownDeleteOptions, subjectOf } from './admissionSubject.ts';
import { notStored } from './create.ts';
import { type DeleteOptions, readDeleteOptions } from './deleteOptions.ts';
import { decideDeletion } from './deletion.ts';
import { single } from './get.ts';
import { encodePage } from './list.ts';
import { atRevision } from './metadata.ts';
import { checkListOptions, listOptions } from './options.ts';
import { parseSelection } from './selection.ts';

const MAX_ATTEMPTS = 100;
/** How many objects of a collection are deleted at a time. */
const BATCH_SIZE = 64;

/** Kinds whose last state is the response to their deletion; for the others it is a Status. */
const RETURNED = new Set([
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
]);

export async function remove(context: VerbContext): Promise<ApiResponse> {
  const { request, resource, info } = context;
  const representation = negotiate(request.headers.accept, request.query, { custom: resource.custom });
  const options = await readDeleteOptions(request);
  const warnings: string[] = [];
  const { stored, isGone } = await deleteObject(context, info.name, options, warnings);
  if (!isGone || RETURNED.has(`${resource.kind.group}/${resource.kind.plural}`)) {
    const isAccepted = !isGone && (options.propagationPolicy === 'Foreground' || options.orphanDependents === false);
    return { ...single(resource, stored, representation, isAccepted ? 202 : 200), warnings };
  }
  return objectResponse(
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: {
        name: info.name,
        ...(resource.kind.group && { group: resource.kind.group }),
        kind: resource.kind.plural,
        uid: stored.object.metadata.uid,
      },
    },
    200,
    { warnings },
  );
}

/** Deletes, or begins to: finalizers and graceful ends keep the object for a while. */
export async function deleteObject(
  context: VerbContext,
  name: string,
  options: DeleteOptions,
  warnings: string[],
): Promise<{ stored: Stored; isGone: boolean }> {
  const { core, resource, info } = context;
  const key = keyOf(resource, info.namespace, name);
  for (let attempt = 1; ; attempt++) {
    const current = core.store.get(key);
    if (!current) throw notFound(groupResource(resource), name);
    await converting(resource, [current]);
    checkPreconditions(resource, asServed(resource, current).object, options);
    try {
      return await deleteCurrent(context, current, options, warnings);
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
      if (attempt === MAX_ATTEMPTS) throw conflict(groupResource(resource), name, MODIFIED);
    }
  }
}

async function deleteCurrent(
  context: VerbContext,
  current: Stored,
  options: DeleteOptions,
  warnings: string[],
): Promise<{ stored: Stored; isGone: boolean }> {
  const { core, resource } = context;
  const admission = core.admission.begin({
    ...subjectOf(context),
    operation: 'DELETE',
    namespace: current.object.metadata.namespace,
    name: current.object.metadata.name as string,
    oldObject: asServed(resource, current).object,
    dryRun: options.dryRun,
    options: shownDeleteOptions(options),
  });
  let written = false;
  try {
    await admission.mutate();
    await admission.validate();
    const decision = decideDeletion(resource, current.object, options, new Date());
    if (decision.action === 'nothing') return { stored: asServed(resource, current), isGone: false };
    const isGone = decision.action === 'remove';
    if (options.dryRun) {
      const stored = isGone
        ? current
        : { ...current, ...notStored(current.key, decision.object), revision: current.revision };
      return { stored: await whenConverted(() => asServed(resource, stored)), isGone };
    }
    const storable = isGone ? undefined : await toStorage(resource, decision.object);
    const stored = await core.store.write(current.key, current.revision, (revision) =>
      storable ? atRevision(storable, revision) : undefined,
    );
    written = true;
    return { stored: await whenConverted(() => asServed(resource, stored)), isGone };
  } finally {
    admission.settle(written);
    warnings.splice(0, warnings.length, ...new Set([...warnings, ...admission.warnings]));
  }
}

function checkPreconditions(
  resource: Resource,
  object: Persisted<UnknownObject>,
  { preconditions }: DeleteOptions,
): void {
  const { metadata } = object;
  const { uid, resourceVersion } = preconditions ?? {};
  // Kubernetes speaks of the kind here, and of the resource everywhere else.
  const of = { group: resource.kind.group, resource: resource.kind.kind };
  const { name } = metadata;
  if (uid !== undefined && uid !== metadata.uid)
    throw conflict(
      of,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      of,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
}

export async function deleteCollection(context: VerbContext): Promise<ApiResponse> {
  const { core, request, resource, info } = context;
  const list = listOptions(request.query);
  checkListOptions(list, false);
  const representation = negotiate(request.headers.accept, request.query, { custom: resource.custom });
  const options = await readDeleteOptions(request);
  if (options.preconditions)
    throw invalid('meta.k8s.io', 'DeleteOptions', '', [
      field.forbidden('preconditions', 'not allowed for a collection'),
    ]);
  const selection = parseSelection(resource, list.labelSelector, list.fieldSelector);
  const warnings: string[] = [];
  const all = core.store.list(keyPrefix(resource, info.namespace));
  if (selection.matches) await converting(resource, all);
  const wanted = all.filter((stored) => !selection.matches || selection.matches(asServed(resource, stored).object));
  const items: Stored[] = [];
  // Many at a time share one write to the disk; not all at once, so that others get their turn.
  for (let start = 0; start < wanted.length; start += BATCH_SIZE)
    items.push(
      ...(await Promise.all(wanted.slice(start, start + BATCH_SIZE).map((stored) => deleteOne(stored)))).flat(),
    );
  const metadata = { resourceVersion: String(core.store.revision) };
  return { ...encodePage(resource, { items, metadata }, representation), warnings };

  /** Nothing when somebody else was faster. */
  async function deleteOne({ key, object: { metadata } }: Stored): Promise<Stored[]> {
    const { name, namespace } = metadata;
    const one = { ...context, info: { ...info, name, ...(namespace !== undefined && { namespace }) } };
    try {
      return [(await deleteObject(one, name, options, warnings)).stored];
    } catch (error) {
      if (core.store.get(key)) throw error;
      return [];
    }
  }
}
