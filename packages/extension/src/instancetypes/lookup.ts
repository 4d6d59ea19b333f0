import { ControllerRevision, isReason, type KubeObject, type UnknownObject } from '@vireo/api';
import type { TypeLookup, TypeObject } from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';

/** Finds instance types and preferences on the server: users name what they have just made. */
export const serverLookup = (client: Client): TypeLookup => ({
  object: (kind, name, namespace) =>
    unlessMissing(client.of<UnknownObject>(kind).get(name, { namespace })) as Promise<TypeObject | undefined>,
  revision: (name, namespace) => unlessMissing(client.of(ControllerRevision).get(name, { namespace })),
});

async function unlessMissing<T extends KubeObject>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
