import { isDeleting, type Persisted, type PersistentVolume, PersistentVolumeClaim, type Pod } from '@vireo/api';
import { importedClaim, importObjects } from '@vireo/api/kinds/cdi/importerPod.ts';
import { FITTED, PREALLOCATION_REQUESTED } from '@vireo/api/kinds/cdi/names.ts';
import { backupWorkOf } from '@vireo/api/kinds/harvester/backupWork.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import { type Informer, isGone, type Result, runController, watch } from '@vireo/kube';
import type { ImageStore } from '../../disks/images.ts';
import { restore, restoreOf } from '../backups/restore.ts';
import type { VolumeContext } from '../context.ts';
import { isOurs } from '../provision/decide.ts';
import { NotReady, OnAnotherNode } from '../provision/notReady.ts';
import { BadImage } from './badImage.ts';
import { fitCapacity } from './fit.ts';
import { importHttp } from './import.ts';
import { importImage } from './importImage.ts';
import { Progress, Steps } from './progress.ts';
import { finish, isReceived, place, type Target } from './receive.ts';
import { currentClaim, report, restartsOf, states } from './report.ts';
import { Uploads } from './uploads.ts';
import { type Work, workOf } from './work.ts';

/** How many claims are filled at once. */
const CONCURRENCY = 4;
const WAIT_MS = 5_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;
const NO_IMPORTER = 'waiting for the importer pod, which lets the node read what the import needs';

export interface PopulateParts {
  /** The importer pods of this node. */
  readonly importers: Informer<Pod>;
  /** The worker pods of this node, which move the data of backups. */
  readonly workers: Informer<Pod>;
  /** Where file systems of backup targets are mounted. */
  readonly runtimeDirectory: string;
  /** What the owner of this host says about registries: a file. */
  readonly registries: string;
  /** Images that the node keeps. */
  readonly images: ImageStore;
  /** Writes a copy of what a claim is to begin with to a path; throws NotReady while it cannot. */
  readonly copy: (
    claim: Persisted<PersistentVolumeClaim>,
    work: Extract<Work, { kind: 'clone' | 'restore' }>,
    target: Target,
  ) => Promise<(path: string) => Promise<void>>;
}

/** Fills the claims of this node whose annotations ask for data. */
export class Populator {
  readonly #context: VolumeContext;
  readonly #parts: PopulateParts;
  /** Of the work that goes on, by the claim's uid. */
  readonly #jobs = new Map<string, AbortController>();
  /** When to try again, by the claim's uid: what we write about a claim is no reason to try sooner. */
  readonly #retries = new Map<string, number>();
  readonly uploads: Uploads;

  constructor(context: VolumeContext, parts: PopulateParts) {
    this.#context = context;
    this.#parts = parts;
    this.uploads = new Uploads(context, (claim) => this.#target(claim));
  }

  run(signal: AbortSignal): Promise<void> {
    const { claims, volumes } = this.#context;
    const cancel = ({ metadata: { uid } }: Persisted<PersistentVolumeClaim>): undefined => {
      this.#jobs.get(uid)?.abort();
      this.#retries.delete(uid);
    };
    /** The work of another worker pod is none any more, and a new one is a reason to try at once. */
    const cancelRestore = (pod: Pod): string | undefined => {
      const request = backupWorkOf(pod);
      if (request?.operation !== 'restore') return undefined;
      const { namespace, name, uid } = request.claim;
      this.#jobs.get(uid)?.abort();
      this.#retries.delete(uid);
      return `${namespace}/${name}`;
    };
    return runController(
      {
        name: 'populator',
        concurrency: CONCURRENCY,
        for: claims,
        watches: [
          // What nobody wants any more is not worked on.
          watch(claims, { updated: (_, claim) => (isDeleting(claim) ? cancel(claim) : undefined), deleted: cancel }),
          watch(this.#parts.importers, (pod) => {
            const claim = importedClaim(pod);
            return claim ? `${pod.metadata.namespace}/${claim.name}` : [];
          }),
          // What the worker pods themselves say follows from the claims: only their coming and going matters.
          watch(this.#parts.workers, { added: cancelRestore, deleted: cancelRestore }),
        ],
        reads: [volumes],
        reconcile: (key) => this.#reconcile(key, signal),
      },
      this.#context,
      signal,
    );
  }

  /** The volume of this node that a claim is bound to, as something to be filled. */
  #target(claim: Persisted<PersistentVolumeClaim>): Target | undefined {
    const { stores, node, volumes } = this.#context;
    const volume: Persisted<PersistentVolume> | undefined = volumes.get(claim.spec?.volumeName ?? '');
    if (claim.status?.phase !== 'Bound' || !volume || !isOurs(volume, node)) return undefined;
    return {
      store: stores.ofVolume(volume),
      name: volume.metadata.name,
      sizeBytes: Number(toBytes(volume.spec?.capacity?.storage ?? '0')),
      isPreallocated: claim.metadata.annotations?.[PREALLOCATION_REQUESTED] === 'true',
      isFitted: claim.metadata.annotations?.[FITTED] === 'true',
    };
  }

  /** Whether a pod on this node names what the import of a claim reads. */
  #hasImporter({ metadata }: Persisted<PersistentVolumeClaim>): boolean {
    const pods = this.#parts.importers.list();
    return pods.some((pod) => importedClaim(pod)?.uid === metadata.uid && !isDeleting(pod));
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Result | undefined> {
    const claim = this.#context.claims.get(key);
    if (!claim || isDeleting(claim)) return undefined;
    const work = workOf(claim);
    const target = work && this.#target(claim);
    if (!target) return undefined;
    if (work.kind === 'upload') {
      if (this.uploads.isBusy(claim)) return undefined;
      if (!(await isReceived(target))) {
        await report(this.#context.client, claim, states.uploadReady(claim));
        return undefined;
      }
    }
    if (importObjects(claim) && !this.#hasImporter(claim)) {
      await report(this.#context.client, claim, states.waiting(NO_IMPORTER));
      return undefined;
    }
    const { uid } = claim.metadata;
    const waitMs = (this.#retries.get(uid) ?? 0) - this.#context.clock.now();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const result = await this.#work(claim, work, target, signal);
    if (result) this.#retries.set(uid, this.#context.clock.now() + result.requeueAfterMs);
    else this.#retries.delete(uid);
    return result;
  }

  async #work(
    claim: Persisted<PersistentVolumeClaim>,
    work: Work,
    target: Target,
    stopping: AbortSignal,
  ): Promise<Required<Result> | undefined> {
    const { client, log } = this.#context;
    const { uid } = claim.metadata;
    const job = new AbortController();
    this.#jobs.set(uid, job);
    const signal = AbortSignal.any([job.signal, stopping]);
    const writeState = (wanted: Readonly<Record<string, string>>): Promise<void> =>
      report(client, currentClaim(this.#context.claims, claim), wanted);
    try {
      const perform = await this.#begin(claim, work, target, signal);
      await writeState(states.running(claim, work));
      await perform(writeState);
      const sizes = target.isFitted ? await fitCapacity(client, claim, target) : {};
      await writeState({ ...sizes, ...states.succeeded(work, target.isPreallocated) });
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof NotReady || error instanceof OnAnotherNode) {
        await writeState(states.waiting(message));
        return { requeueAfterMs: WAIT_MS };
      }
      if (isGone(error, PersistentVolumeClaim, claim)) throw error;
      log.warn('cannot populate a claim', claim, { error });
      if (error instanceof BadImage) {
        await writeState(states.failedForGood(message));
        return undefined;
      }
      await writeState(states.failed(claim, message));
      return { requeueAfterMs: Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** restartsOf(claim)) };
    } finally {
      this.#jobs.delete(uid);
    }
  }

  /** Finds out whether the work can be done now; what comes back does it. */
  async #begin(
    claim: Persisted<PersistentVolumeClaim>,
    work: Work,
    target: Target,
    signal: AbortSignal,
  ): Promise<(writeState: (wanted: Readonly<Record<string, string>>) => Promise<void>) => Promise<void>> {
    const { kubelet, clock } = this.#context;
    const { namespace = '' } = claim.metadata;
    switch (work.kind) {
      case 'blank':
        return () => place(target, async (path) => target.store.blank(path, target.sizeBytes));
      case 'clone':
      case 'restore': {
        const copy = await this.#parts.copy(claim, work, target);
        return () => place(target, copy);
      }
      case 'backup': {
        const request = restoreOf(claim, this.#parts.workers.list());
        return async (writeState) => {
          await using progress = new Progress((share) => writeState(states.progress(share)), clock);
          const { runtimeDirectory } = this.#parts;
          await restore(request, target, {
            kubelet,
            runtimeDirectory,
            onProgress: (share) => progress.set(share),
            signal,
          });
        };
      }
      case 'http':
      case 's3':
      case 'registry':
        return async (writeState) => {
          // What an earlier run has received need not come again.
          if (await isReceived(target)) return finish(target, () => {}, signal);
          await using progress = new Progress((share) => writeState(states.progress(share)), clock);
          const onProgress = (share: number): void => progress.set(share);
          await using steps = new Steps((text) => writeState(states.step(text)));
          const onStep = (text: string): void => steps.set(text);
          const parts = { kubelet, clock, namespace, onProgress, onStep, signal };
          if (work.kind === 'registry') await importImage(work, target, { ...parts, ...this.#parts });
          else await importHttp(work, target, parts);
        };
      case 'upload':
        return () => finish(target, () => {}, signal);
      case 'unknown':
        throw new BadImage(`${work.what} is not a supported source`);
    }
  }
}
