import type { KubeObject } from '../../meta.ts';

const SHORT_MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

/** Access modes as kubectl shortens them, always in the same order. */
export const accessModes = (modes: readonly string[] = []): string =>
  SHORT_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');

/** The phase, unless the object is about to go. */
export const deletionOr = (object: KubeObject, phase: string | undefined): string =>
  object.metadata.deletionTimestamp ? 'Terminating' : (phase ?? '');

/** The storage class; the annotation is how it was named before there was a field, and still counts. */
export const storageClassOf = (object: KubeObject & { spec?: { storageClassName?: string } }): string =>
  object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? object.spec?.storageClassName ?? '';
