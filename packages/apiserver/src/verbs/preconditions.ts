import { badRequest, conflict, MODIFIED, type ObjectMeta } from '@vireo/api';
import { groupResource, type VerbContext } from '../core.ts';
import type { Resource } from '../registry/resource.ts';

/** Refuses an object whose name or namespace is not the one in the path of the request. */
export function checkNames(context: VerbContext, metadata: ObjectMeta): void {
  const { info } = context;
  checkNamespace(context, metadata);
  if (!metadata.name)
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== info.name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${info.name})`);
}

/** Refuses an object of another namespace than that of the request. */
export function checkNamespace({ info, resource }: VerbContext, { namespace }: ObjectMeta): void {
  if (resource.kind.namespaced && namespace && namespace !== info.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** The version that a client changes; '' when it names none. */
export const namedVersion = ({ resourceVersion = '' }: ObjectMeta): string =>
  resourceVersion === '0' ? '' : resourceVersion;

/** 409 unless the stored object is the one that the client means, by uid and by version, where it names them. */
export function checkUnchanged(resource: Resource, sent: ObjectMeta, old: ObjectMeta): void {
  checkUid(resource, sent.uid, old);
  const version = namedVersion(sent);
  if (version && version !== old.resourceVersion) throw conflict(groupResource(resource), old.name as string, MODIFIED);
}

export function checkUid(resource: Resource, uid: string | undefined, old: ObjectMeta): void {
  if (uid && uid !== old.uid)
    throw conflict(
      groupResource(resource),
      old.name as string,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.uid}`,
    );
}
