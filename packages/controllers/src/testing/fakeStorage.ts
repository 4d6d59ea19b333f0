import { isReason, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { PROVISIONED_BY } from '@vireo/api/kinds/core/volumeNames.ts';
import { CONTENT_PROTECTION } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { type Client, Informers } from '@vireo/kube';

const DRIVER = 'vireo.io/local';

/**
 * Stands in for the storage of a node, which belongs to another package: claims get volumes, and snapshots of them
 * become ready. There is no data. `isStuck`: snapshots of these claims never get ready. `reclaims`: volumes whose claims
 * are deleted go when the promise resolves; without it they stay. `node`: where the volumes are.
 */
export async function startFakeStorage(
  client: Client,
  signal: AbortSignal,
  {
    isStuck = () => false,
    reclaims,
    node,
  }: { isStuck?: (volume: string) => boolean; reclaims?: Promise<void>; node?: string } = {},
): Promise<void> {
  const informers = new Informers(client);
  const claims = informers.for(PersistentVolumeClaim);
  const contents = informers.for(VolumeSnapshotContent);
  const attempt = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => {
      if (!signal.aborted && !isReason(error, 'NotFound', 'Conflict', 'AlreadyExists')) throw error;
    });
  };

  async function provide({ metadata, spec, status }: PersistentVolumeClaim): Promise<void> {
    if (status?.phase !== 'Pending' || spec?.volumeName || !spec?.storageClassName) return;
    const { name, namespace, uid } = metadata;
    await client.of(PersistentVolume).create({
      metadata: { name: `pvc-${uid}`, annotations: { [PROVISIONED_BY]: DRIVER } },
      spec: {
        accessModes: spec.accessModes,
        capacity: { storage: spec.resources?.requests?.storage ?? '1Gi' },
        claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', name, namespace, uid },
        hostPath: { path: '/nowhere' },
        persistentVolumeReclaimPolicy: reclaims ? 'Delete' : 'Retain',
        storageClassName: spec.storageClassName,
        ...(node !== undefined && { nodeAffinity: { required: onNode(node) } }),
        volumeMode: spec.volumeMode,
      },
    });
  }

  async function keep({ metadata, spec, status }: VolumeSnapshotContent): Promise<void> {
    const { name = '', deletionTimestamp, finalizers = [] } = metadata;
    if (deletionTimestamp) {
      const rest = finalizers.filter((each) => each !== CONTENT_PROTECTION);
      await client.of(VolumeSnapshotContent).patch(name, { metadata: { finalizers: rest } }, { type: 'merge' });
    } else if (!status?.readyToUse && !isStuck(spec.source.volumeHandle ?? '')) {
      const ready = { snapshotHandle: name, creationTime: Date.now() * 1e6, restoreSize: 1 << 20, readyToUse: true };
      await client.of(VolumeSnapshotContent).patchStatus(name, { status: ready }, { type: 'merge' });
    }
  }

  async function reclaim({ metadata, spec, status }: PersistentVolume): Promise<void> {
    if (status?.phase !== 'Released' || spec?.persistentVolumeReclaimPolicy !== 'Delete') return;
    await reclaims;
    await client.of(PersistentVolume).delete(metadata.name ?? '');
  }

  const onVolume = (volume: PersistentVolume): void => attempt(reclaim(volume));
  informers.for(PersistentVolume).on({ added: onVolume, updated: (_, volume) => onVolume(volume) });
  const onClaim = (claim: PersistentVolumeClaim): void => attempt(provide(claim));
  const onContent = (content: VolumeSnapshotContent): void => attempt(keep(content));
  claims.on({ added: onClaim, updated: (_, claim) => onClaim(claim) });
  contents.on({ added: onContent, updated: (_, content) => onContent(content) });
  informers.start(signal);
  await informers.whenSynced();
}

const onNode = (name: string) => ({
  nodeSelectorTerms: [
    { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: [name] }] },
  ],
});
