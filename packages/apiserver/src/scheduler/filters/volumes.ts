import type { Persisted } from '@vireo/api';
import { reachesVolume } from '@vireo/api/kinds/core/nodeMatch.ts';
import type { PersistentVolume } from '@vireo/api/kinds/core/persistentVolume.ts';
import type { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { NO_PROVISIONER, SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { type ClusterView, type Filter, PodRefusal, unschedulable } from '../filter.ts';

/** Claims that wait for a node to be chosen before a volume is made for them. */
export function claimsAwaitingNode(
  pod: Pod,
  cluster: Pick<ClusterView, 'volumes'>,
): Persisted<PersistentVolumeClaim>[] {
  return claimsOf(pod, cluster).filter((claim) => !claim.spec?.volumeName && waitsForConsumer(claim, cluster));
}

/** The pod's claims exist and are bound, or wait for the pod; bound volumes can be reached from the node. */
export const volumesFilter: Filter = {
  name: 'VolumeBinding',
  wokenBy: ['nodeAdded', 'nodeChanged', 'volumesChanged'],
  prepare(pod, cluster) {
    const claims = claimsOf(pod, cluster);
    if (claims.length === 0) return undefined;
    const volumes = claims.flatMap((claim) => boundVolume(claim, cluster) ?? []);
    if (claims.some((claim) => !claim.spec?.volumeName && !waitsForConsumer(claim, cluster)))
      throw new PodRefusal('pod has unbound immediate PersistentVolumeClaims');
    const unprovisioned = claims.some(
      (claim) => !claim.spec?.volumeName && classOf(claim, cluster)?.provisioner === NO_PROVISIONER,
    );
    const selected = claims.flatMap((claim) => selectedNode(claim) ?? []);
    return ({ node, name }) => {
      // Its volume may be in the making there. Whoever is to make it says so when it cannot.
      if (selected.some((each) => each !== name)) return unschedulable('node(s) had volume node affinity conflict');
      if (unprovisioned) return unschedulable("node(s) didn't find available persistent volumes to bind");
      const reachable = volumes.every((volume) => node && reachesVolume(node, volume));
      return reachable ? undefined : unschedulable('node(s) had volume node affinity conflict');
    };
  },
};

/** Claims by name, and those made for an ephemeral volume, whose name is made of both. */
function claimsOf(pod: Pod, { volumes }: Pick<ClusterView, 'volumes'>): Persisted<PersistentVolumeClaim>[] {
  const namespace = pod.metadata.namespace ?? '';
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const name = volume.ephemeral ? `${pod.metadata.name}-${volume.name}` : volume.persistentVolumeClaim?.claimName;
    if (name === undefined) return [];
    const claim = volumes.claim(namespace, name);
    if (!claim)
      throw new PodRefusal(
        volume.ephemeral
          ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
          : `persistentvolumeclaim "${name}" not found`,
      );
    if (claim.metadata.deletionTimestamp) throw new PodRefusal(`persistentvolumeclaim "${name}" is being deleted`);
    if (claim.status?.phase === 'Lost')
      throw new PodRefusal(
        `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`,
      );
    return [claim];
  });
}

function boundVolume(claim: PersistentVolumeClaim, { volumes }: ClusterView): PersistentVolume | undefined {
  const name = claim.spec?.volumeName;
  if (!name) return undefined;
  const volume = volumes.volume(name);
  if (!volume) throw new PodRefusal('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)');
  return volume;
}

/** The node that was chosen before for a claim that has no volume yet. */
const selectedNode = ({ metadata, spec }: PersistentVolumeClaim): string | undefined =>
  spec?.volumeName ? undefined : metadata.annotations?.[SELECTED_NODE];

const classOf = (claim: PersistentVolumeClaim, { volumes }: Pick<ClusterView, 'volumes'>) =>
  volumes.storageClass(claim.spec?.storageClassName ?? '');

const waitsForConsumer = (claim: PersistentVolumeClaim, cluster: Pick<ClusterView, 'volumes'>): boolean =>
  classOf(claim, cluster)?.volumeBindingMode === 'WaitForFirstConsumer';
