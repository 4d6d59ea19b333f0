import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import {
  LOCAL_PROVISIONER,
  PROVISIONED_BY,
  PROVISIONER_FINALIZER,
  SELECTED_NODE,
  SHARED_DIRECTORY,
  SHARED_PROVISIONER,
  VOLUME_MANAGER,
} from '@vireo/api/kinds/core/volumeNames.ts';
import { forbiddenChange } from './change.ts';
import type { NodeWrite } from './write.ts';

const HOSTNAME = 'kubernetes.io/hostname';
/** What of the spec of a volume changes. */
export const VOLUME_SPEC: readonly string[] = ['capacity'];

/** What new volumes are judged by. */
export interface VolumeOrigin {
  readonly claim: PersistentVolumeClaim | undefined;
  readonly storageClass: StorageClass | undefined;
}

/** Why a node may not write a volume in this way. `origin` is what a new volume was made for. */
export function volumeProblem(write: NodeWrite<PersistentVolume>, origin: VolumeOrigin): string | undefined {
  const { node, operation, object, oldObject } = write;
  if (operation === 'CREATE') return creationProblem(object, node, origin);
  if (!isVolumeOf(oldObject ?? object, node)) return 'it is not on this node';
  if (operation === 'DELETE' || !oldObject) return undefined;
  const change = forbiddenChange(object, oldObject, {
    finalizers: [PROVISIONER_FINALIZER],
    spec: VOLUME_SPEC,
    status: 'all',
  });
  return change && `nodes do not change ${change}`;
}

/** Whether a volume is on a node and nowhere else, or in a shared directory and the node is the one that deals with it. */
export function isVolumeOf({ metadata: { annotations = {} }, spec }: PersistentVolume, node: string): boolean {
  if (!spec?.local) return false;
  return annotations[PROVISIONED_BY] === SHARED_PROVISIONER
    ? annotations[VOLUME_MANAGER] === node
    : annotations[PROVISIONED_BY] === LOCAL_PROVISIONER && isTiedTo(spec, node);
}

/** Exactly as the node's own agent says it: whoever says it otherwise may mean another node besides. */
function isTiedTo(spec: PersistentVolume['spec'], node: string): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const [term] = terms;
  const [expression] = term?.matchExpressions ?? [];
  return (
    terms.length === 1 &&
    term?.matchExpressions?.length === 1 &&
    !term.matchFields?.length &&
    expression?.key === HOSTNAME &&
    expression.operator === 'In' &&
    expression.values?.length === 1 &&
    expression.values[0] === node
  );
}

function creationProblem(volume: PersistentVolume, node: string, origin: VolumeOrigin): string | undefined {
  if (!isVolumeOf(volume, node)) return 'nodes create volumes of their own only';
  const { claim, storageClass } = origin;
  const { spec, metadata } = volume;
  const other = Object.keys(spec ?? {}).find((key) => !LOCAL_FIELDS.includes(key));
  if (other) return `volumes of nodes have no spec.${other}`;
  if (!claim || claim.metadata.uid !== spec?.claimRef?.uid) return 'there is no such claim as it is for';
  if (metadata.name !== `pvc-${claim.metadata.uid}`) return 'its name is not that of the volume of its claim';
  if (claim.spec?.volumeName && claim.spec.volumeName !== metadata.name) return 'its claim has a volume';
  if (claim.metadata.annotations?.[SELECTED_NODE] !== node) return 'this node was not chosen for its claim';
  const isOfClass = storageClass?.provisioner === metadata.annotations?.[PROVISIONED_BY];
  if (!isOfClass || claim.spec?.storageClassName !== spec?.storageClassName)
    return 'its class is not that of its claim';
  return isInDirectory(volume, storageClass) ? undefined : 'it is not in the directory of its class';
}

/** A path on the node itself is its own affair. One in a shared directory is opened by other nodes too. */
function isInDirectory({ metadata, spec }: PersistentVolume, storageClass: StorageClass | undefined): boolean {
  if (storageClass?.provisioner !== SHARED_PROVISIONER) return true;
  const directory = storageClass.parameters?.[SHARED_DIRECTORY];
  const path = spec?.local?.path ?? '';
  return (
    directory !== undefined &&
    path.startsWith(`${directory.replace(/\/+$/, '')}/`) &&
    path.endsWith(`/${metadata.name}`) &&
    !path.split('/').includes('..')
  );
}

/** Other sources can name Secrets, which the node of whoever uses the volume may read. */
export const LOCAL_FIELDS: readonly string[] = [
  'accessModes',
  'capacity',
  'claimRef',
  'local',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeMode',
];

/** The claim that a volume is for, by namespace and name. */
export function claimOf({ spec }: PersistentVolume): { namespace: string; name: string } | undefined {
  const { namespace, name } = isObject(spec?.claimRef) ? spec.claimRef : {};
  return namespace && name ? { namespace, name } : undefined;
}
