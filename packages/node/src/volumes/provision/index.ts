import { type Persisted, PersistentVolume, PersistentVolumeClaim, type StorageClass, timestamp } from '@vireo/api';
import type { Origin } from '@vireo/api/kinds/cdi/origin.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { type Informer, keyOf, parseKey, type Result, runController, watch } from '@vireo/kube';
import type { VolumeContext } from '../context.ts';
import { DiskFull, FileTooLarge, NoSpace } from '../store.ts';
import { type ProvisionParts, provisionActions } from './act.ts';
import { decideClaim, decideVolume, volumeNameFor } from './decide.ts';
import { NotReady, OnAnotherNode } from './notReady.ts';

/** What cannot be done now is tried again after so long, whether or not something changes. */
const RETRY_MS = 15_000;
const CONCURRENCY = 4;
/** Errors that their own words explain to whoever made the claim. */
const EXPLAINED = [NoSpace, DiskFull, FileTooLarge, NotReady, OnAnotherNode];

/** Makes volumes for the claims of our StorageClasses, lets them grow, and removes them when their claims have gone. */
export async function runProvisioner(
  context: VolumeContext,
  parts: Pick<ProvisionParts, 'fill' | 'grown'> & {
    readonly isInUse: (volume: Persisted<PersistentVolume>) => boolean;
    readonly snapshots: Informer<VolumeSnapshot>;
    readonly contents: Informer<VolumeSnapshotContent>;
  },
  signal: AbortSignal,
): Promise<void> {
  const { client, recorder, stores, node, clock, claims, volumes, classes } = context;
  const act = provisionActions({ client, recorder, stores, node, ...parts });
  /** Claims that wait for the data of another one or of a snapshot, by what they wait for. */
  const waiting = new Map<string, Set<string>>();
  const waitingFor = (source: string): string[] => [...(waiting.get(source) ?? [])].map(claimKey);
  const ofClass = ({ metadata }: Persisted<StorageClass>): string[] =>
    claims
      .list()
      .filter(({ spec }) => spec?.storageClassName === metadata.name)
      .map((claim) => claimKey(keyOf(claim)));

  /** Volumes whose making has begun and not ended, by the keys of their claims. */
  const unfinished = new Map<string, string>();

  /** The last problem of each claim: reported again only when it changes. */
  const lastMessages = new Map<string, string>();
  /** `lasting`: the message without what changes by itself. Written on the claim, a change of it would come back here. */
  const warn = async (claim: Persisted<PersistentVolumeClaim>, message: string, lasting = message): Promise<void> => {
    const { uid } = claim.metadata;
    if (lastMessages.get(uid) === lasting) return;
    lastMessages.set(uid, lasting);
    const reason = claim.spec?.volumeName ? 'VolumeResizeFailed' : 'ProvisioningFailed';
    recorder.event(claim, 'Warning', reason, message);
    if (!claim.spec?.volumeName) await act.explain(claim, lasting);
  };

  async function reconcileClaim(key: string): Promise<Result | undefined> {
    const claim = claims.get(key);
    if (!claim) {
      for (const source of [...waiting.keys()]) stopWaiting(source, key);
      const made = unfinished.get(key);
      if (made !== undefined) await act.discard(made);
      unfinished.delete(key);
      return undefined;
    }
    const storageClass = classes.get(claim.spec?.storageClassName ?? '');
    const decision = decideClaim(claim, storageClass, volumes.get(claim.spec?.volumeName ?? ''), node);
    const source = decision.action === 'provision' ? sourceKey(claim, decision.origin) : undefined;
    try {
      if (decision.action === 'refuse') await warn(claim, decision.message);
      if (decision.action === 'grow') await act.grow(claim, storageClass, decision.volume, decision.sizeBytes);
      if (decision.action === 'provision' && storageClass) {
        unfinished.set(key, volumeNameFor(claim));
        await act.provision(claim, storageClass, decision.sizeBytes, decision.origin);
        unfinished.delete(key);
      }
      if (decision.action !== 'refuse') lastMessages.delete(claim.metadata.uid);
      if (source) stopWaiting(source, key);
      return undefined;
    } catch (error) {
      if (source) waiting.set(source, (waiting.get(source) ?? new Set()).add(key));
      if (!EXPLAINED.some((kind) => error instanceof kind)) throw error;
      const { message } = error as Error;
      const lasting = error instanceof NoSpace || error instanceof DiskFull ? error.lasting : message;
      await warn(claim, `node ${node}: ${message}`, `node ${node}: ${lasting}`);
      return { requeueAfterMs: RETRY_MS };
    }
  }

  function stopWaiting(source: string, key: string): void {
    const keys = waiting.get(source);
    keys?.delete(key);
    if (keys?.size === 0) waiting.delete(source);
  }

  async function reconcileVolume(name: string): Promise<Result | undefined> {
    const volume = volumes.get(name);
    if (!volume) return undefined;
    const decision = decideVolume(volume, node);
    if (decision.action === 'letGo') await act.letGo(volume);
    if (decision.action === 'discard') await act.discard(name);
    if (decision.action !== 'remove') return undefined;
    // A guest keeps its disk to the end, whatever becomes of the objects.
    if (parts.isInUse(volume)) return { requeueAfterMs: RETRY_MS };
    try {
      await act.remove(volume);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const status = { phase: 'Failed', message, lastPhaseTransitionTime: timestamp(new Date(clock.now())) };
      if (volume.status?.phase !== 'Failed') {
        recorder.event(volume, 'Warning', 'VolumeFailedDelete', message);
        await client.of(PersistentVolume).patchStatus(name, { status }, { type: 'merge' });
      }
      throw error;
    }
    return undefined;
  }

  await runController(
    {
      name: 'provisioner',
      concurrency: CONCURRENCY,
      watches: [
        watch(claims, (claim) => [claimKey(keyOf(claim)), ...waitingFor(keyOf(claim))]),
        watch(volumes, (volume) => {
          const { claimRef } = volume.spec ?? {};
          const ofVolume = `volume:${keyOf(volume)}`;
          return claimRef ? [ofVolume, claimKey(`${claimRef.namespace}/${claimRef.name}`)] : ofVolume;
        }),
        watch(classes, ofClass),
        // Either may be seen first, and both are needed.
        watch(parts.snapshots, (snapshot) => waitingFor(ofSnapshot(keyOf(snapshot)))),
        watch(parts.contents, ({ spec: { volumeSnapshotRef: of } }) =>
          waitingFor(ofSnapshot(`${of.namespace}/${of.name}`)),
        ),
      ],
      subject: (key) => {
        const [of, name = ''] = key.split(':');
        return { kind: of === 'claim' ? PersistentVolumeClaim.kind : PersistentVolume.kind, ...parseKey(name) };
      },
      reconcile: (key) => {
        const name = key.slice(key.indexOf(':') + 1);
        return key.startsWith('claim:') ? reconcileClaim(name) : reconcileVolume(name);
      },
    },
    context,
    signal,
  );
}

/** Removes what an earlier run has made for claims that went before they had a volume. */
export async function discardOrphans({ stores, claims, volumes }: VolumeContext): Promise<void> {
  const drafts = await stores.local.drafts();
  if (drafts.length === 0) return;
  const wanted = new Set(claims.list().map(volumeNameFor));
  for (const name of drafts) if (!wanted.has(name) && !volumes.get(name)) await stores.local.discardDraft(name);
}

const claimKey = (key: string): string => `claim:${key}`;
const ofSnapshot = (key: string): string => `snapshot ${key}`;

/** What a new volume has its data from: the key of a claim, or a snapshot. */
function sourceKey({ metadata }: Persisted<PersistentVolumeClaim>, origin: Origin): string | undefined {
  if (origin.from === 'image') return origin.key;
  if (origin.from === 'nothing') return undefined;
  const key = `${metadata.namespace}/${origin.name}`;
  return origin.from === 'claim' ? key : ofSnapshot(key);
}
