import type { PersistentVolumeClaim } from '../core/persistentVolumeClaim.ts';
import { IMAGE_ID } from '../harvester/names.ts';
import { CLONE_REQUEST, SNAPSHOT_REQUEST } from './names.ts';

/** What a new volume begins with. */
export type Origin =
  | { readonly from: 'nothing' }
  | { readonly from: 'claim'; readonly name: string }
  /** An image, by `namespace/name`: it is kept on a claim of its name. */
  | { readonly from: 'image'; readonly key: string }
  | { readonly from: 'snapshot'; readonly name: string };

const SNAPSHOTS = 'snapshot.storage.k8s.io';

/** What the claim is to begin with; undefined where another fills it (`dataSourceRef` of any other kind). */
export function originOf({ metadata, spec }: Pick<PersistentVolumeClaim, 'metadata' | 'spec'>): Origin | undefined {
  const source = spec?.dataSourceRef ?? spec?.dataSource;
  const image = metadata.annotations?.[IMAGE_ID];
  if (!source) return image ? { from: 'image', key: image } : { from: 'nothing' };
  const { apiGroup = '', kind, name } = source;
  if (!apiGroup && kind === 'PersistentVolumeClaim') return { from: 'claim', name };
  if (apiGroup === SNAPSHOTS && kind === 'VolumeSnapshot') return { from: 'snapshot', name };
  return undefined;
}

/** The claim or snapshot, by `namespace/name`, whose data a claim is to have, by its spec or by its annotations. */
export interface DataOrigin {
  readonly kind: 'PersistentVolumeClaim' | 'VolumeSnapshot';
  readonly key: string;
}

/** Where the data of a claim is copied from; undefined for one that begins empty or is filled from elsewhere. */
export function dataOriginOf(claim: PersistentVolumeClaim): DataOrigin | undefined {
  const { namespace, annotations = {} } = claim.metadata;
  const origin = originOf(claim);
  const { [CLONE_REQUEST]: cloned, [SNAPSHOT_REQUEST]: restored } = annotations;
  if (origin?.from === 'snapshot') return { kind: 'VolumeSnapshot', key: `${namespace}/${origin.name}` };
  if (origin?.from === 'claim') return { kind: 'PersistentVolumeClaim', key: `${namespace}/${origin.name}` };
  if (origin?.from === 'image') return { kind: 'PersistentVolumeClaim', key: origin.key };
  if (restored) return { kind: 'VolumeSnapshot', key: restored };
  return cloned ? { kind: 'PersistentVolumeClaim', key: cloned } : undefined;
}
