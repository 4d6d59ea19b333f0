import { type ControllerRevision, controllerReference, type Persisted } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { POOL_REVISION_LABEL } from '@vireo/api/kinds/pool/names.ts';
import type { Draft } from '@vireo/kube';
import { Pool, type PoolSpec } from './pool.ts';

export type Revision = Persisted<ControllerRevision>;

/** The revision that a VM or VMI was made from, by its name. */
export const revisionOf = ({ metadata }: Vm | Vmi): string | undefined => metadata.labels?.[POOL_REVISION_LABEL];

/** The spec of the pool that a revision keeps. */
export const keptSpec = (revision: Revision | undefined): PoolSpec | undefined =>
  revision?.data as PoolSpec | undefined;

/** Whether VMs from the two specs are the same, whatever else the pools are. */
export const makeSameVms = (a: PoolSpec | undefined, b: PoolSpec): boolean =>
  a !== undefined &&
  deepEqual(a.virtualMachineTemplate, b.virtualMachineTemplate) &&
  deepEqual(a.nameGeneration ?? {}, b.nameGeneration ?? {});

/**
 * The newest revision from which VMs are made as the pool has them now; undefined: it is yet to be made. A pool that is
 * only scaled keeps its revision.
 */
export const currentRevision = (pool: Pool, revisions: readonly Revision[]): Revision | undefined =>
  revisions
    .filter((revision) => makeSameVms(keptSpec(revision), pool.spec))
    .toSorted((a, b) => Number(b.revision) - Number(a.revision))[0];

/** The name of the revision that keeps the pool as it is now. */
export const newRevisionName = ({ metadata }: Pool): string => `${metadata.name}-${metadata.generation ?? 0}`;

export const newRevision = (pool: Pool): Draft<ControllerRevision> => ({
  metadata: {
    name: newRevisionName(pool),
    namespace: pool.metadata.namespace,
    ownerReferences: [controllerReference(pool, Pool)],
  },
  revision: pool.metadata.generation ?? 0,
  data: { ...pool.spec },
});

/** The revisions that nothing was made from that is still there. */
export function unusedRevisions(
  pool: Pool,
  revisions: readonly Revision[],
  objects: Iterable<Vm | Vmi>,
): readonly Revision[] {
  const used = new Set<string | undefined>([currentRevision(pool, revisions)?.metadata.name]);
  for (const object of objects) used.add(revisionOf(object));
  return revisions.filter(({ metadata }) => !used.has(metadata.name));
}
