import { Readable } from 'node:stream';
import type { Persisted, PersistentVolumeClaim } from '@vireo/api';
import { CONTENT_TYPE, NO_ARCHIVES, POD_READY, UPLOAD_TARGET } from '@vireo/api/kinds/cdi/names.ts';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import { type NodeUpload, pause } from '@vireo/kube';
import type { VolumeContext } from '../context.ts';
import { NotMounted } from '../shared/mounted.ts';
import { DiskFull, NoSpace } from '../store.ts';
import { BadImage } from './badImage.ts';
import { batches, bufferedInputOf } from './bufferedInput.ts';
import { fitCapacity } from './fit.ts';
import { Progress } from './progress.ts';
import { finish, receive, type Target } from './receive.ts';
import { currentClaim, report, states } from './report.ts';

/** An upload that is not taken, with the HTTP status that says so. */
export class UploadRefusal extends Error {
  override readonly name = 'UploadRefusal';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const READY_WAIT_MS = 10_000;
const POLL_MS = 250;
/** As long as another extension takes to admit writes in the place of one that has died, and longer. */
const TRY_AGAIN_MS = 1_000;
const MOST_TRIES = 60;

/** Takes what users send to claims. */
export class Uploads {
  readonly #context: VolumeContext;
  readonly #targetOf: (claim: Persisted<PersistentVolumeClaim>) => Target | undefined;
  readonly #busy = new Set<string>();

  constructor(context: VolumeContext, targetOf: (claim: Persisted<PersistentVolumeClaim>) => Target | undefined) {
    this.#context = context;
    this.#targetOf = targetOf;
  }

  isBusy({ metadata }: Persisted<PersistentVolumeClaim>): boolean {
    return this.#busy.has(metadata.uid);
  }

  /** Fills a claim with data. Throws UploadRefusal with what to tell the sender. */
  async take({ claim: key, data, totalBytes, isAsync, signal }: NodeUpload): Promise<void> {
    const { claim, target } = await this.#ready(key, signal);
    const { uid } = claim.metadata;
    if (this.#busy.has(uid)) throw new UploadRefusal(503, `another upload to claim ${key} is in progress`);
    this.#busy.add(uid);
    let isDone = false;
    try {
      const bytes = data instanceof Readable ? bufferedInputOf(data) : batches(data);
      await this.#reportFailure(claim, signal, () =>
        receive(target, bytes, signal, { isDurable: isAsync, announcedBytes: totalBytes }),
      ).finally(() =>
        // What nobody takes is for the stream's owner to let pass.
        bytes.return(undefined),
      );
      const finished = this.#reportFailure(claim, NEVER, async () => {
        await this.#finish(claim, target);
        await this.#insist(claim, async () => {
          const sizes = target.isFitted ? await fitCapacity(this.#context.client, claim, target) : {};
          const done = states.succeeded({ kind: 'upload' }, target.isPreallocated);
          await report(this.#context.client, claim, { ...sizes, ...done });
        });
      }).finally(() => this.#busy.delete(uid));
      isDone = true;
      if (!isAsync) await finished;
      else finished.catch(() => {});
    } finally {
      if (!isDone) this.#busy.delete(uid);
    }
  }

  /** Tries again what the server refuses for a while: the disk is whole, and nobody would say so later. */
  async #insist(claim: Persisted<PersistentVolumeClaim>, write: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#context;
    for (let tries = 1; ; tries += 1) {
      try {
        return await write();
      } catch (error) {
        if (tries === MOST_TRIES) throw error;
        log.warn('that an upload is complete could not be written', claim, { tries, error });
        await pause(TRY_AGAIN_MS, NEVER, clock);
      }
    }
  }

  /** Makes a disk of what was received; the claim shows how far that is. */
  async #finish(claim: Persisted<PersistentVolumeClaim>, target: Target): Promise<void> {
    const { client, claims, clock } = this.#context;
    await using progress = new Progress(
      (share) => report(client, currentClaim(claims, claim), states.progress(share)),
      clock,
    );
    await finish(target, (share) => progress.set(share), NEVER);
  }

  /** The claim when it can be uploaded to. Those who come a moment too early are let wait. */
  async #ready(key: string, signal: AbortSignal): Promise<{ claim: Persisted<PersistentVolumeClaim>; target: Target }> {
    const { claims, clock } = this.#context;
    const deadline = clock.now() + READY_WAIT_MS;
    for (;;) {
      const claim = claims.get(key);
      if (!claim) throw new UploadRefusal(503, `claim ${key} does not exist`);
      const { annotations = {} } = claim.metadata;
      if (annotations[UPLOAD_TARGET] === undefined)
        throw new UploadRefusal(503, `claim ${key} is not an upload target: it has no annotation ${UPLOAD_TARGET}`);
      if (annotations[CONTENT_TYPE] === 'archive') throw new UploadRefusal(400, `claim ${key}: ${NO_ARCHIVES}`);
      if (!waitsForData(claim)) throw new UploadRefusal(503, `claim ${key} is already populated`);
      const target = this.#targetOf(claim);
      if (target && annotations[POD_READY] === 'true') return { claim, target };
      if (clock.now() >= deadline)
        throw new UploadRefusal(
          503,
          `claim ${key} is not ready for uploads; it is ${claim.status?.phase ?? 'Pending'}`,
        );
      await pause(POLL_MS, signal, clock);
      signal.throwIfAborted();
    }
  }

  async #reportFailure(
    claim: Persisted<PersistentVolumeClaim>,
    signal: AbortSignal,
    act: () => Promise<void>,
  ): Promise<void> {
    try {
      await act();
    } catch (error) {
      const isRefused = [BadImage, NoSpace, DiskFull].some((kind) => error instanceof kind);
      const isExplained = isRefused || error instanceof NotMounted;
      const message = isExplained ? (error as Error).message : this.#unforeseen(error, signal);
      this.#context.log.warn('an upload failed', claim, { error });
      const current = currentClaim(this.#context.claims, claim);
      await report(this.#context.client, current, states.failed(current, message));
      throw new UploadRefusal(isRefused ? 400 : 503, message);
    }
  }

  /** What is said of other errors: their own words may name files of this host. */
  #unforeseen(error: unknown, signal: AbortSignal): string {
    if (signal.aborted) return 'the client closed the connection; send the data again';
    const { code } = error as NodeJS.ErrnoException;
    const { node } = this.#context;
    return `node ${node} could not write the data${code ? ` (${code})` : ''}: see its log, then send it again`;
  }
}

/** Data that is here is made a disk of, whoever has gone meanwhile. */
const NEVER = new AbortController().signal;
