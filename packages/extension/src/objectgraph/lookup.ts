import { isReason, type KubeObject, PersistentVolumeClaim, Pod, type UnknownObject } from '@vireo/api';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import type { Client, ResourceRef } from '@vireo/kube';
import type { UserInfo } from '../http.ts';
import type { Lookup } from './graph.ts';
import type { Related } from './related.ts';
import { rightsOf } from './rights.ts';

/** Looks on the server for a user, and tells nothing that the user could not find out without it. */
export function userLookup(client: Client, related: Related, user: UserInfo): Lookup {
  const rights = rightsOf(client, user);
  const ifListed = async <T>(kind: ResourceRef, namespace: string, look: () => Promise<T>, otherwise: T): Promise<T> =>
    (await rights.mayList(kind, namespace)) ? look() : otherwise;
  return {
    async find(kind, namespace, name) {
      if (!isPathSegment(name) || (kind.namespaced && !isPathSegment(namespace))) return { status: 'missing' };
      if (!(await rights.mayGet(kind, namespace, name))) return { status: 'forbidden' };
      try {
        return { status: 'present', object: await client.of<UnknownObject>(kind).get(name, { namespace }) };
      } catch (error) {
        // A kind that is not served has no objects either.
        if (isReason(error, 'NotFound')) return { status: 'missing' };
        throw error;
      }
    },
    launcherOf: (namespace, instance) =>
      ifListed(Pod, namespace, async () => unknown(await related.launcherOf(namespace, instance)), undefined),
    stateClaimOf: (namespace, machine) =>
      ifListed(
        PersistentVolumeClaim,
        namespace,
        async () => unknown(await related.stateClaimOf(namespace, machine)),
        undefined,
      ),
    snapshotsOf: (namespace, machine) =>
      ifListed(
        VirtualMachineSnapshot,
        namespace,
        async () => (await related.snapshotsOf(namespace, machine)).map((snapshot) => ({ ...snapshot })),
        [],
      ),
  };
}

const unknown = (object: KubeObject | undefined): UnknownObject | undefined => object && { ...object };

/** Machines hold names as users wrote them; nothing can be called by these, and paths must not have them. */
const isPathSegment = (text: string): boolean => text !== '' && text !== '.' && text !== '..';
