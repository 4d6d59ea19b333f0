import type { Kind } from './kind.ts';
import { groupVersion, type ObjectMeta, type OwnerReference, type Persisted } from './meta.ts';

interface WithMeta {
  readonly metadata: ObjectMeta;
}

/** Whether the object was asked to go; finalizers or a grace period may hold it. */
export const isDeleting = (object: WithMeta | undefined): boolean => object?.metadata.deletionTimestamp !== undefined;

/** The owner that manages the object. */
export const controllerOf = ({ metadata }: WithMeta): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller);

/** What makes `owner`, which is of that kind, manage the object that carries it. */
export const controllerReference = ({ metadata }: Persisted, { group, version, kind }: OwnerKind): OwnerReference => ({
  apiVersion: groupVersion(group, version),
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
});

type OwnerKind = Pick<Kind, 'group' | 'version' | 'kind'>;

/** Whether `owner` manages the object. */
export const isControlledBy = ({ metadata }: WithMeta, owner: WithMeta): boolean =>
  metadata.ownerReferences?.some(({ controller, uid }) => controller && uid === owner.metadata.uid) ?? false;

/** Whether `owner` is one of the object's owners. */
export const isOwnedBy = ({ metadata }: WithMeta, owner: WithMeta): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;

/** The uids of an object's owners, for indexes of informers. */
export const ownersOf = ({ metadata }: WithMeta): string[] => (metadata.ownerReferences ?? []).map(({ uid }) => uid);
