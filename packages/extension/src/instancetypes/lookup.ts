import { ControllerRevision, type UnknownObject } from '@vireo/api';
import type { TypeLookup, TypeObject } from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';

/** Finds instance types and preferences on the server: users name what they have just made. */
export const serverLookup = (client: Client): TypeLookup => ({
  object: (kind, name, namespace) =>
    client.of<UnknownObject>(kind).find(name, { namespace }) as Promise<TypeObject | undefined>,
  revision: (name, namespace) => client.of(ControllerRevision).find(name, { namespace }),
});
