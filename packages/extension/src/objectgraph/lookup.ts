import { type Persisted, PersistentVolumeClaim, Pod, type UnknownObject } from '@vireo/api';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { HarvesterQuota } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Client, ResourceRef } from '@vireo/kube';
import type { Rights } from '../rights.ts';
import type { Lookup } from './graph.ts';
import type { Related } from './related.ts';

/** Looks on the server for a user, and tells nothing that the user could not find out without it. */
export function userLookup(client: Client, related: Related, rights: Rights): Lookup {
  /** Rights are asked for only where there is something to show: most VMs have no snapshots, backups or exports. */
  const ifListed = async <T>(
    kind: ResourceRef,
    namespace: string,
    found: Promise<readonly T[]>,
  ): Promise<readonly T[]> => ((await found).length > 0 && (await rights.mayList(kind, namespace)) ? found : []);
  return {
    async find(kind, namespace, name) {
      if (!isPathSegment(name) || (kind.namespaced && !isPathSegment(namespace))) return { status: 'missing' };
      if (!(await rights.mayGet(kind, namespace, name))) return { status: 'forbidden' };
      const object = await client.of<UnknownObject>(kind).find(name, { namespace });
      return object ? { status: 'present', object } : { status: 'missing' };
    },
    async launcherOf(namespace, vmiName) {
      const [pod] = await ifListed(Pod, namespace, one(related.launcherOf(namespace, vmiName)));
      return pod && { ...pod };
    },
    async stateClaimOf(namespace, vmName) {
      const [claim] = await ifListed(PersistentVolumeClaim, namespace, one(related.stateClaimOf(namespace, vmName)));
      return claim && { ...claim };
    },
    objectsOf: async (of, namespace, vmName) =>
      copies(await ifListed(of.kind, namespace, related.objectsOf(of, namespace, vmName))),
    async quotaOf(namespace) {
      const [quota] = await ifListed(HarvesterQuota, namespace, one(related.quotaOf(namespace)));
      return quota;
    },
    exportsOf: async (source, namespace, name) =>
      copies(await ifListed(VirtualMachineExport, namespace, related.exportsOf(source, namespace, name))),
    vmisOf: (namespace, replicaSet) =>
      ifListed(VirtualMachineInstance, namespace, related.vmisOf(namespace, replicaSet)),
    vmsOf: (namespace, pool) => ifListed(VirtualMachine, namespace, related.vmsOf(namespace, pool)),
  };
}

const one = async <T>(found: Promise<T | undefined>): Promise<readonly T[]> => {
  const object = await found;
  return object === undefined ? [] : [object];
};

const copies = (objects: readonly Persisted[]): readonly Persisted<UnknownObject>[] =>
  objects.map((object) => ({ ...object }));

/** VMs hold names as users wrote them; nothing can be called by these, and paths must not have them. */
const isPathSegment = (text: string): boolean => text !== '' && text !== '.' && text !== '..';
