import type { VolumeDraft } from '../../decisions/images/drafts.ts';
import { addSample, type Sample } from '../../decisions/images/transfer.ts';
import type { Api } from '../api.ts';
import type { Session } from '../session.ts';
import { Gate } from './gate.ts';
import { type Sender, senderFor } from './senders.ts';
import * as steps from './uploadSteps.ts';

export type UploadPhase =
  | 'queued'
  | 'preparing'
  | 'sending'
  | 'paused'
  | 'processing'
  | 'done'
  | 'failed'
  | 'cancelling';

/** An upload as the page shows it. */
export interface Upload {
  readonly id: number;
  readonly fileName: string;
  readonly draft: VolumeDraft;
  readonly phase: UploadPhase;
  readonly totalBytes: number;
  readonly sentBytes: number;
  readonly samples: readonly Sample[];
  /** Why it failed, or what it waits for. */
  readonly reason?: string | undefined;
  readonly pausedAtMs?: number | undefined;
  /** Why it cannot be paused. */
  readonly pauseProblem: string | undefined;
}

interface Task {
  view: Upload;
  readonly file: File;
  readonly gate: Gate;
  stop: AbortController;
  /** Of the DataVolume that was made for it. */
  uid: string | undefined;
  /** Settles once it is known whether there is one. */
  made: Promise<void>;
}

const AT_ONCE = 2;
/** At most four times a second what has been sent is drawn anew. */
const DRAW_MS = 250;
/** Of these the page has to do the work: without it they are lost. */
const NEED_PAGE: readonly UploadPhase[] = ['queued', 'preparing', 'sending', 'paused'];

/** The uploads of a session: they go on whatever page is shown. */
export class Uploads {
  readonly #api: Api;
  readonly #sender: Sender;
  readonly #tasks = new Map<number, Task>();
  readonly #listeners = new Set<() => void>();
  #views: readonly Upload[] = [];
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #nextId = 1;

  constructor({ api, mode }: Pick<Session, 'api' | 'mode'>) {
    this.#api = api;
    this.#sender = senderFor(mode);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly views = (): readonly Upload[] => this.#views;

  get needPage(): boolean {
    return this.#views.some(({ phase }) => NEED_PAGE.includes(phase));
  }

  /** Ends everything that is on its way; the volumes stay, and wait for other uploads. */
  endAll(): void {
    for (const { stop } of this.#tasks.values()) stop.abort(new Error('The upload was ended.'));
    this.#tasks.clear();
    this.#draw();
  }

  add(file: File, draft: VolumeDraft): void {
    const id = this.#nextId++;
    const pauseProblem = this.#sender.pauseProblem;
    const sizes = { totalBytes: file.size, sentBytes: 0, samples: [] };
    const view: Upload = { id, fileName: file.name, draft, phase: 'queued', ...sizes, pauseProblem };
    this.#tasks.set(id, {
      view,
      file,
      gate: new Gate(),
      stop: new AbortController(),
      uid: undefined,
      made: Promise.resolve(),
    });
    this.#startNext();
  }

  pause(id: number): void {
    const task = this.#tasks.get(id);
    if (task?.view.phase !== 'sending' || task.view.pauseProblem !== undefined) return;
    task.gate.close();
    this.#set(task, { phase: 'paused', pausedAtMs: Date.now(), samples: [] });
    this.#startNext();
  }

  resume(id: number): void {
    const task = this.#tasks.get(id);
    if (task?.view.phase !== 'paused') return;
    this.#set(task, { phase: 'sending', pausedAtMs: undefined });
    task.gate.open();
  }

  /** Ends an upload and deletes the volume that was made for it. Rejects if that stays. */
  async cancel(id: number): Promise<void> {
    const task = this.#tasks.get(id);
    if (!task) return;
    task.stop.abort(new Error('The upload was cancelled.'));
    this.#set(task, { phase: 'cancelling', reason: undefined });
    try {
      task.stop = new AbortController();
      await task.made.catch(() => {});
      await steps.removeVolume(this.#target(task), task.uid);
      this.#tasks.delete(id);
    } catch (error) {
      this.#set(task, { phase: 'failed', reason: steps.wordsOf(error) });
      throw error;
    } finally {
      this.#startNext();
    }
  }

  /** Begins again: what the server has of a failed upload is of no use. */
  retry(id: number): void {
    const task = this.#tasks.get(id);
    if (task?.view.phase !== 'failed') return;
    task.stop = new AbortController();
    task.gate.open();
    this.#set(task, { phase: 'queued', sentBytes: 0, samples: [], reason: undefined });
    this.#startNext();
  }

  /** Forgets one that is over; its volume stays. */
  dismiss(id: number): void {
    const phase = this.#tasks.get(id)?.view.phase;
    if (phase !== 'done' && phase !== 'failed') return;
    this.#tasks.delete(id);
    this.#draw();
  }

  #target({ view, stop }: Task): steps.Target {
    return { api: this.#api, draft: view.draft, signal: stop.signal };
  }

  #startNext(): void {
    const tasks = [...this.#tasks.values()];
    let busy = tasks.filter(({ view }) => view.phase === 'preparing' || view.phase === 'sending').length;
    for (const task of tasks) {
      if (busy >= AT_ONCE) break;
      if (task.view.phase !== 'queued') continue;
      busy += 1;
      this.#set(task, { phase: 'preparing' });
      void this.#run(task);
    }
    this.#draw();
  }

  async #run(task: Task): Promise<void> {
    const target = this.#target(task);
    const { signal } = target;
    try {
      await steps.removeVolume(target, task.uid);
      signal.throwIfAborted();
      task.made = steps.makeVolume(target, task.file.name).then((uid) => {
        task.uid = uid;
      });
      await task.made;
      await steps.untilReady(target, task.uid, (reason) => this.#set(task, { reason }));
      // What is being cancelled must not look like what is being sent.
      signal.throwIfAborted();
      this.#set(task, { phase: 'sending', reason: undefined });
      const { file, gate } = task;
      await steps.sendFile(target, this.#sender, { file, gate, onSent: (bytes) => this.#sent(task, bytes) });
      signal.throwIfAborted();
      this.#set(task, { phase: 'processing', sentBytes: file.size, samples: [], pausedAtMs: undefined });
      this.#startNext();
      await steps.untilProcessed(target, task.uid);
      if (task.view.draft.isImage) await steps.makeDataSource(target);
      this.#set(task, { phase: 'done' });
    } catch (error) {
      if (signal.aborted) return;
      const reason = await steps.whyFailed(target, error, task.uid);
      if (!signal.aborted) this.#set(task, { phase: 'failed', reason, samples: [], pausedAtMs: undefined });
    } finally {
      this.#startNext();
    }
  }

  #sent(task: Task, bytes: number): void {
    const { view } = task;
    if (view.phase !== 'sending' && view.phase !== 'paused') return;
    const last = view.samples.at(-1);
    const atMs = Date.now();
    const isDue = view.phase === 'sending' && (!last || atMs - last.atMs >= DRAW_MS);
    task.view = { ...view, sentBytes: bytes, samples: isDue ? addSample(view.samples, { atMs, bytes }) : view.samples };
    this.#drawing ??= setTimeout(() => this.#draw(), DRAW_MS);
  }

  #set(task: Task, change: Partial<Upload>): void {
    task.view = { ...task.view, ...change };
    this.#draw();
  }

  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    this.#views = [...this.#tasks.values()].map(({ view }) => view);
    for (const listener of this.#listeners) listener();
  }
}
