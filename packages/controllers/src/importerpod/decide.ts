import {
  isDeleting,
  type Persisted,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  servingNodeOf,
} from '@vireo/api';
import { type ImportObjects, importedClaim, importObjects } from '@vireo/api/kinds/cdi/importerPod.ts';
import { OWN_PROVISIONERS, PROVISIONED_BY } from '@vireo/api/kinds/core/volumeNames.ts';

/** What to do about the importer pod of a claim. */
export type ImporterDecision =
  | { readonly action: 'none' }
  | { readonly action: 'create'; readonly node: string; readonly objects: ImportObjects }
  | { readonly action: 'delete'; readonly pod: Persisted<Pod> };

/** What a claim is looked at with: its volume, and the pod that has the name of its importer. */
export interface ObservedImport {
  readonly claim: Persisted<PersistentVolumeClaim> | undefined;
  readonly volume: Persisted<PersistentVolume> | undefined;
  readonly pod: Persisted<Pod> | undefined;
}

/** An importer pod is there from when a claim has its volume until the data is on it. */
export function decideImporter({ claim, volume, pod }: ObservedImport): ImporterDecision {
  const isOurs = pod !== undefined && importedClaim(pod) !== undefined;
  const objects = claim && !isDeleting(claim) && claim.status?.phase === 'Bound' ? importObjects(claim) : undefined;
  const node = objects && volume && nodeThatFills(volume);
  if (!objects || !node) return isOurs && !isDeleting(pod) ? { action: 'delete', pod } : { action: 'none' };
  if (!pod) return { action: 'create', node, objects };
  // It may be for an earlier claim of that name, or be on a node that is no more.
  const isRight = importedClaim(pod)?.uid === claim?.metadata.uid && pod.spec?.nodeName === node;
  return isRight || !isOurs || isDeleting(pod) ? { action: 'none' } : { action: 'delete', pod };
}

/** The node that fills a volume of ours. */
const nodeThatFills = (volume: Persisted<PersistentVolume>): string | undefined =>
  OWN_PROVISIONERS.includes(volume.metadata.annotations?.[PROVISIONED_BY] ?? '') ? servingNodeOf(volume) : undefined;
