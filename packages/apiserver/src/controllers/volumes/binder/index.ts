import { isReason, Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { keyOf, runController, systemClock, WorkQueue } from '@vireo/kube';
import { matchesNodeTerm } from '../../../scheduler/filters/nodeAffinity.ts';
import type { ControllerContext } from '../../context.ts';
import { binderActions } from './act.ts';
import { reconcileClaim, reconcileVolume } from './reconcile.ts';

export const VOLUME_BINDER_USER = 'system:serviceaccount:kube-system:persistent-volume-binder';

/** Brings claims and volumes together, asks for volumes to be made, and tells which have lost their other half. */
export async function startVolumeBinder(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const claims = informers.for(PersistentVolumeClaim);
  const volumes = informers.for(PersistentVolume);
  const classes = informers.for(StorageClass);
  const nodes = informers.for(Node);
  const queue = new WorkQueue({ clock });
  const act = binderActions(client, () => new Date(clock.now()));
  /** What each claim was last told: said again only when it changes. */
  const told = new Map<string, string>();

  const enqueueClaim = (key: string) => queue.add(`claim:${key}`);
  const enqueuePending = (storageClass: string) => {
    for (const claim of claims.list())
      if (claim.status?.phase !== 'Bound' && (claim.spec?.storageClassName ?? '') === storageClass)
        enqueueClaim(keyOf(claim));
  };
  const claimChanged = (claim: PersistentVolumeClaim) => {
    enqueueClaim(keyOf(claim));
    if (claim.spec?.volumeName) queue.add(`volume:${claim.spec.volumeName}`);
  };
  const volumeChanged = (volume: PersistentVolume) => {
    queue.add(`volume:${volume.metadata.name}`);
    const { claimRef, storageClassName = '' } = volume.spec ?? {};
    if (claimRef) enqueueClaim(`${claimRef.namespace}/${claimRef.name}`);
    else if (volume.status?.phase === 'Available') enqueuePending(storageClassName);
  };
  claims.on({
    added: claimChanged,
    updated: (_, claim) => claimChanged(claim),
    deleted: (claim) => {
      told.delete(keyOf(claim));
      claimChanged(claim);
    },
  });
  volumes.on({ added: volumeChanged, updated: (_, volume) => volumeChanged(volume), deleted: volumeChanged });
  classes.on({ added: ({ metadata }) => enqueuePending(metadata.name ?? '') });

  const bindingContext = (claim: PersistentVolumeClaim) => {
    const chosen = nodes.get(claim.metadata.annotations?.[SELECTED_NODE] ?? '');
    return {
      volume: (name: string) => volumes.get(name),
      volumes: () => volumes.list(),
      storageClass: classes.get(claim.spec?.storageClassName ?? ''),
      reaches: ({ spec }: PersistentVolume) => {
        const required = spec?.nodeAffinity?.required;
        return !chosen || !required || required.nodeSelectorTerms.some((term) => matchesNodeTerm(term, chosen));
      },
    };
  };

  /** The cache may be behind: a claim that it does not have is asked for before its volume is given up. */
  const claimOf = async ({ spec }: PersistentVolume): Promise<PersistentVolumeClaim | undefined> => {
    const { name = '', namespace, uid } = spec?.claimRef ?? {};
    const cached = claims.get(`${namespace}/${name}`);
    if (cached?.metadata.uid === uid || !uid) return cached;
    return client
      .of(PersistentVolumeClaim)
      .get(name, { namespace })
      .catch((error: unknown) => {
        if (isReason(error, 'NotFound')) return undefined;
        throw error;
      });
  };

  await runController(
    {
      name: 'persistentvolume-binder',
      queue,
      informers: [claims, volumes, classes, nodes],
      log: context.log,
      metrics: context.metrics,
      reconcile: async (key) => {
        const [what, name] = split(key);
        if (what === 'volume') {
          const volume = volumes.get(name);
          if (volume) await reconcileVolume(volume, await claimOf(volume), act);
          return;
        }
        const claim = claims.get(name);
        if (!claim) return;
        await reconcileClaim(claim, bindingContext(claim), act, ({ type, reason, message }) => {
          if (told.get(name) === message) return;
          told.set(name, message);
          recorder.event(claim, type, reason, message);
        });
      },
    },
    signal,
  );
}

const split = (key: string): [what: string, name: string] => {
  const colon = key.indexOf(':');
  return [key.slice(0, colon), key.slice(colon + 1)];
};
