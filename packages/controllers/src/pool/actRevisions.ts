import { ControllerRevision, controllerOf, isControlledBy } from '@vireo/api';
import { type Client, ignoreNotFound } from '@vireo/kube';
import { Pool } from './pool.ts';
import { newRevision, type Revision } from './revision.ts';

export interface RevisionActions {
  /** Keeps the pool's spec; undefined: the name still belongs to an earlier pool of the same name, and will be free. */
  createRevision(pool: Pool): Promise<string | undefined>;
  deleteRevision(revision: Revision): Promise<void>;
}

export function revisionActions(client: Client): RevisionActions {
  const revisions = client.of(ControllerRevision);
  return {
    async createRevision(pool) {
      const { object } = await revisions.createOrGet(newRevision(pool));
      const { name, namespace } = object.metadata;
      if (isControlledBy(object, pool)) return name;
      const { kind, name: owner } = controllerOf(object) ?? {};
      if (kind === Pool.kind && owner === pool.metadata.name) return undefined;
      const whose = kind ? `belongs to ${kind} ${owner}` : 'belongs to nobody';
      throw new Error(`ControllerRevision ${namespace}/${name} ${whose}: delete it, or give the pool another name`);
    },
    async deleteRevision({ metadata: { name, namespace } }) {
      await revisions.delete(name, { namespace }).catch(ignoreNotFound);
    },
  };
}
