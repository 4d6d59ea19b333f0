import { Node, type Persisted, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { reachesVolume } from '@vireo/api/kinds/core/nodeMatch.ts';
import { SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import {
  type ControllerContext,
  keyOf,
  type LogSubject,
  parseKey,
  runController,
  systemClock,
  watch,
} from '@vireo/kube';
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
  const act = binderActions(client, () => new Date(clock.now()));
  /** The last event of each claim: another is recorded only when the message changes. */
  const lastMessages = new Map<string, string>();

  const claimChanged = (claim: PersistentVolumeClaim): string[] => {
    const { volumeName } = claim.spec ?? {};
    return [claimKey(keyOf(claim)), ...(volumeName ? [volumeKey(volumeName)] : [])];
  };
  const pendingClaims = (storageClass: string): string[] =>
    claims
      .list()
      .filter(({ spec, status }) => status?.phase !== 'Bound' && (spec?.storageClassName ?? '') === storageClass)
      .map((claim) => claimKey(keyOf(claim)));
  const volumeChanged = ({ metadata, spec, status }: Persisted<PersistentVolume>): string[] => {
    const { claimRef, storageClassName = '' } = spec ?? {};
    const key = volumeKey(metadata.name);
    if (claimRef) return [key, claimKey(`${claimRef.namespace}/${claimRef.name}`)];
    return status?.phase === 'Available' ? [key, ...pendingClaims(storageClassName)] : [key];
  };

  const bindingContext = (claim: PersistentVolumeClaim) => {
    const chosen = nodes.get(claim.metadata.annotations?.[SELECTED_NODE] ?? '');
    return {
      volume: (name: string) => volumes.get(name),
      volumes: () => volumes.list(),
      storageClass: classes.get(claim.spec?.storageClassName ?? ''),
      reaches: (volume: PersistentVolume) => !chosen || reachesVolume(chosen, volume),
    };
  };

  /** The cache may be behind: a claim that it does not have is asked for before its volume is given up. */
  const claimOf = async ({ spec }: PersistentVolume): Promise<Persisted<PersistentVolumeClaim> | undefined> => {
    const { name = '', namespace, uid } = spec?.claimRef ?? {};
    const cached = claims.get(`${namespace}/${name}`);
    if (cached?.metadata.uid === uid || !uid) return cached;
    return client.of(PersistentVolumeClaim).find(name, { namespace });
  };

  await runController(
    {
      name: 'persistentvolume-binder',
      watches: [
        watch(claims, {
          changed: claimChanged,
          deleted: (claim) => {
            lastMessages.delete(keyOf(claim));
            return claimChanged(claim);
          },
        }),
        watch(volumes, volumeChanged),
        watch(classes, { added: ({ metadata }) => pendingClaims(metadata.name) }),
      ],
      reads: [nodes],
      subject: subjectOf,
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
          if (lastMessages.get(name) === message) return;
          lastMessages.set(name, message);
          recorder.event(claim, type, reason, message);
        });
      },
    },
    context,
    signal,
  );
}

const claimKey = (key: string): string => `claim:${key}`;
const volumeKey = (name: string): string => `volume:${name}`;

const split = (key: string): [what: string, name: string] => {
  const colon = key.indexOf(':');
  return [key.slice(0, colon), key.slice(colon + 1)];
};

/** What a key is about. */
export function subjectOf(key: string): LogSubject {
  const [what, name] = split(key);
  return what === 'volume'
    ? { kind: PersistentVolume.kind, name }
    : { kind: PersistentVolumeClaim.kind, ...parseKey(name) };
}
