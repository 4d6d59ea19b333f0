import { ControllerRevision, type UnknownObject } from '@vireo/api';
import type { InstancetypeLookup, InstancetypeOrPreference } from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';

/** Finds instance types and preferences on the server: users name what they have just made. */
export const serverLookup = (client: Client): InstancetypeLookup => ({
  object: (kind, name, namespace) =>
    client.of<UnknownObject>(kind).find(name, { namespace }) as Promise<InstancetypeOrPreference | undefined>,
  revision: (name, namespace) => client.of(ControllerRevision).find(name, { namespace }),
});
