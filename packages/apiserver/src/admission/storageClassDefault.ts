import type { Persisted } from '@vireo/api';
import type { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import { BETA_STORAGE_CLASS } from '@vireo/api/kinds/core/volumeNames.ts';
import type { StorageClass } from '@vireo/api/kinds/storage/storageClass.ts';
import type { Lookup } from '../strategies/strategy.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isAbout } from './refuse.ts';

const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Claims that name no class get the default one, if there is one. An empty name asks for no class and keeps it. */
export const storageClassDefault = (lookup: Pick<Lookup, 'list'>): AdmissionPlugin => ({
  name: 'DefaultStorageClass',
  mutate(request) {
    if (request.operation !== 'CREATE' || !isAbout(request, '', 'persistentvolumeclaims')) return;
    const claim = request.object as PersistentVolumeClaim;
    if (!claim.spec || claim.spec.storageClassName !== undefined) return;
    if (claim.metadata.annotations?.[BETA_STORAGE_CLASS] !== undefined) return;
    const found = defaultClass(lookup.list('storage.k8s.io', 'storageclasses') as unknown as Persisted<StorageClass>[]);
    if (found) claim.spec.storageClassName = found.metadata.name;
  },
});

/** The newest class marked as default; by name where they are of one age. */
export function defaultClass(classes: readonly Persisted<StorageClass>[]): Persisted<StorageClass> | undefined {
  const marked = classes.filter(({ metadata }) =>
    DEFAULT_ANNOTATIONS.some((name) => metadata.annotations?.[name] === 'true'),
  );
  const createdAt = ({ metadata }: Persisted) => metadata.creationTimestamp;
  const nameOf = ({ metadata }: Persisted) => metadata.name;
  return marked.sort((a, b) => compare(createdAt(b), createdAt(a)) || compare(nameOf(a), nameOf(b)))[0];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
