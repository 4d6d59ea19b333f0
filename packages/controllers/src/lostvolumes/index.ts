import { isDeleting, Node, nodeOfVolume, PersistentVolume } from '@vireo/api';
import { PROVISIONER_FINALIZER } from '@vireo/api/kinds/core/volumeNames.ts';
import { type ControllerContext, ignoreNotFound, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { missingNodeOf } from './decide.ts';

/** A Node that somebody deleted by mistake is made again by its agent before that. */
const PATIENCE_MS = 300_000;

/** Lets go of local volumes that nobody wants and whose node was removed: nobody else would remove their objects. */
export async function startLostVolumeController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const volumes = informers.for(PersistentVolume, { indexes: { localNode: (volume) => [nodeOfVolume(volume) ?? ''] } });
  const nodes = informers.for(Node);
  /** Nodes that volumes wait for and that are not there, and since when. */
  const missingSinceMs = new Map<string, number>();
  await runController(
    {
      name: 'lost-volumes',
      for: volumes,
      watches: [
        watch(nodes, {
          added: ({ metadata }) => void missingSinceMs.delete(metadata.name),
          deleted: ({ metadata }) => volumes.byIndex('localNode', metadata.name).map(keyOf),
        }),
      ],
      reconcile: async (name) => {
        const volume = volumes.get(name);
        const node = volume && missingNodeOf(volume, (of) => nodes.get(of) !== undefined);
        if (!volume || node === undefined) return undefined;
        const sinceMs = missingSinceMs.get(node) ?? clock.now();
        missingSinceMs.set(node, sinceMs);
        const leftMs = sinceMs + PATIENCE_MS - clock.now();
        if (leftMs > 0) return { requeueAfterMs: leftMs };
        const message = `node ${node} was removed: the PersistentVolume is deleted, and its data stays on that host in ${volume.spec?.local?.path}`;
        recorder.event(volume, 'Warning', 'VolumeOfRemovedNode', message);
        await client.of(PersistentVolume).removeFinalizer(volume, PROVISIONER_FINALIZER);
        if (!isDeleting(volume)) await client.of(PersistentVolume).deleteExactly(volume).catch(ignoreNotFound);
        return undefined;
      },
    },
    context,
    signal,
  );
}
