import { isDeleting, nodeOfVolume, type PersistentVolume } from '@vireo/api';
import { LOCAL_PROVISIONER, PROVISIONED_BY } from '@vireo/api/kinds/core/volumeNames.ts';

/** Whether nobody wants a local volume any more and only its node could remove it. */
export function waitsForNode({ metadata, spec, status }: PersistentVolume): boolean {
  if (metadata.annotations?.[PROVISIONED_BY] !== LOCAL_PROVISIONER || status?.phase === 'Bound') return false;
  const isReclaimed = ['Released', 'Failed'].includes(status?.phase ?? '');
  return isDeleting({ metadata }) || (isReclaimed && spec?.persistentVolumeReclaimPolicy === 'Delete');
}

/** The node that a volume waits for in vain, if that was removed; undefined where there is nothing to wait for. */
export const missingNodeOf = (volume: PersistentVolume, hasNode: (name: string) => boolean): string | undefined => {
  const node = waitsForNode(volume) ? nodeOfVolume(volume) : undefined;
  return node === undefined || hasNode(node) ? undefined : node;
};
