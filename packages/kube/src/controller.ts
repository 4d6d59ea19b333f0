import type { Client } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { isConcurrentChange } from './concurrentChange.ts';
import type { EventRecorder } from './events.ts';
import type { Expectations } from './expectations.ts';
import type { Informers } from './informers.ts';
import { aboutSubject, consoleLog, type Log, type LogSubject, withFields } from './log/index.ts';
import { parseKey } from './resource.ts';
import { type AnyInformer, enqueue, enqueueKey, enqueueOwner, type Key, type Watch } from './watch.ts';
import { WorkQueue } from './workqueue.ts';

/** What a reconcile may ask for besides being done: to be called again after a while. */
export interface Result {
  readonly requeueAfterMs?: number;
}

export interface ReconcileContext {
  /** Aborted when the controller stops. */
  readonly signal: AbortSignal;
  /** Carries the controller's name, and is about the object of the key. */
  readonly log: Log;
  /** For a write that can wait for more to come. */
  readonly postpone: Postpone;
}

/**
 * Says when to come back for a write that can wait, and undefined once it has waited for `ms`. A pass that does not ask
 * ends the wait.
 *
 * @example
 * const later = canWait(vm.status, status) && postpone(3000);
 * if (later) return later;
 */
export type Postpone = (ms: number) => Required<Result> | undefined;

/** How one reconcile ended. */
export type ReconcileOutcome = 'success' | 'requeued' | 'conflict' | 'error';

/** Where controllers are counted. */
export interface ControllerMetrics {
  /** A controller begins to work off its queue. */
  observe(controller: string, queue: WorkQueue): void;
  reconciled(controller: string, outcome: ReconcileOutcome): void;
}

/** What controllers are given. The client already carries their identity. */
export interface ControllerContext {
  readonly client: Client;
  readonly informers: Informers;
  readonly recorder: Recorder;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** The part of the event recorder that controllers use. */
export type Recorder = Pick<EventRecorder, 'event'>;

/** A controller: whose changes concern which keys, and what is done for a key. */
export interface Controller {
  readonly name: string;
  /** The kind that the controller is about: every change of an object enqueues its key. */
  readonly for?: AnyInformer;
  /**
   * How long an update of that kind's status alone can wait, for a controller that writes it often: its own writes would
   * have it reconcile, and write, without end while what it counts changes. Default: not at all.
   */
  readonly statusDelayMs?: number;
  /** What objects of that kind own: every change enqueues the controlling owner. */
  readonly owns?: readonly AnyInformer[];
  /** Whose changes concern other keys, and which. */
  readonly watches?: readonly Watch[];
  /** What is only read. In sync before the first reconcile, as is everything above. */
  readonly reads?: readonly AnyInformer[];
  /** Where keys come from besides: each is called once with the queue, and may return how to stop it. */
  readonly sources?: readonly ((queue: WorkQueue) => (() => void) | undefined)[];
  /** What to reconcile at the start, besides what is there: called when everything is in sync. */
  initialKeys?(): Iterable<Key>;
  /** Noted by what happens to the objects that are owned, and forgotten with their owner. */
  readonly expectations?: Expectations;
  /** Brings the world in line with the object of that key. Level-triggered: it may be called at any time, for any key. */
  reconcile(key: string, context: ReconcileContext): Promise<Result | undefined> | Promise<void>;
  /** How many keys are worked on at once; default 1. */
  readonly concurrency?: number;
  /** What a key is about, in logs; default: the object of that key of the kind that the controller is about. */
  subject?(key: string): LogSubject;
  /** For whoever enqueues by other means; default: one of the controller's own. */
  readonly queue?: WorkQueue;
}

/** What a controller runs with. */
export type RunContext = Partial<Pick<ControllerContext, 'log' | 'metrics' | 'clock'>>;

/**
 * Conflicts, and objects that have gone, are how concurrent writers meet and pass unremarked; this many in a row are a
 * failure like any other.
 */
const MAX_SILENT_CONFLICTS = 8;

/**
 * Runs a controller until `signal` aborts; resolves when the last reconcile has ended.
 *
 * @example
 * const sets = informers.for(ReplicaSet);
 * const pods = informers.for(Pod, { indexes: { owner: ownersOf } });
 * const quotas = informers.for(ResourceQuota);
 * await runController(
 *   {
 *     name: 'replicaset',
 *     for: sets,
 *     owns: [pods],
 *     watches: [watch(quotas, { updated: (_, quota) => setsIn(quota.metadata.namespace).map(keyOf) })],
 *     reconcile: async (key) => reconcileSet(sets.get(key), pods.byIndex('owner', sets.get(key)?.metadata.uid ?? '')),
 *   },
 *   context,
 *   signal,
 * );
 */
export async function runController(controller: Controller, context: RunContext, signal: AbortSignal): Promise<void> {
  const { name, concurrency = 1, queue = new WorkQueue({ clock: context.clock }) } = controller;
  const informers = informersOf(controller);
  const endings = wire(controller, queue);
  const stop = () => {
    for (const end of endings) end();
    void queue.shutdown();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  context.metrics?.observe(name, queue);
  try {
    await Promise.all(informers.map((informer) => informer.whenSynced()));
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  for (const key of controller.initialKeys?.() ?? []) enqueue(queue, key);
  const run: Run = { controller, queue, signal, ...defaults(context), postponedSinceMs: new Map() };
  await Promise.all(Array.from({ length: concurrency }, () => work(run)));
}

function informersOf({ for: own, owns = [], watches = [], reads = [] }: Controller): AnyInformer[] {
  const all = [...(own ? [own] : []), ...owns, ...watches.flatMap(({ informers }) => informers), ...reads];
  return [...new Set(all)];
}

/** Has the queue filled by what the controller watches. The result ends those sources that can be ended. */
function wire(controller: Controller, queue: WorkQueue) {
  const { name, for: own, owns = [], watches = [], sources = [], expectations, statusDelayMs } = controller;
  own?.on(enqueueKey(queue, statusDelayMs));
  for (const owned of owns) {
    if (!own) throw new TypeError(`controller ${name} declares what it owns, but not the kind that it is for`);
    owned.on(enqueueOwner(queue, own.resource, expectations));
  }
  for (const each of watches) each.start(queue);
  return sources.flatMap((start) => start(queue) ?? []);
}

/** A controller that runs. */
interface Run extends Required<Pick<RunContext, 'log' | 'clock'>>, Pick<RunContext, 'metrics'> {
  readonly controller: Controller;
  readonly queue: WorkQueue;
  readonly signal: AbortSignal;
  /** Since when a write waits, by key. */
  readonly postponedSinceMs: Map<string, number>;
}

const defaults = ({ log = consoleLog, clock = systemClock, metrics }: RunContext) => ({ log, clock, metrics });

async function work(run: Run): Promise<void> {
  const { queue, signal } = run;
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    // What is still queued at a stop stays undone: the next start finds it by looking at the objects.
    if (!signal.aborted) await reconcileOnce(run, key);
    queue.done(key);
  }
}

function postponer({ postponedSinceMs, clock }: Run, key: string): Postpone {
  const begunMs = postponedSinceMs.get(key);
  postponedSinceMs.delete(key);
  return (ms) => {
    const nowMs = clock.now();
    const sinceMs = begunMs ?? nowMs;
    if (nowMs - sinceMs >= ms) return undefined;
    postponedSinceMs.set(key, sinceMs);
    return { requeueAfterMs: sinceMs + ms - nowMs };
  };
}

/** The whole retry policy. */
async function reconcileOnce(run: Run, key: string): Promise<void> {
  const { controller, queue, signal, metrics } = run;
  const own = withFields(run.log, { controller: controller.name });
  const log = aboutSubject(own, () => (controller.subject ? controller.subject(key) : subjectOfKey(controller, key)));
  if (controller.for && !controller.for.get(key)) controller.expectations?.forget(key);
  const outcome = await attempt();
  metrics?.reconciled(controller.name, outcome);

  async function attempt(): Promise<ReconcileOutcome> {
    let result: Result | undefined;
    const postponedSinceMs = run.postponedSinceMs.get(key);
    try {
      result = (await controller.reconcile(key, { signal, log, postpone: postponer(run, key) })) as Result | undefined;
    } catch (error) {
      // What waits goes on waiting: the next attempt decides about it.
      if (postponedSinceMs !== undefined) run.postponedSinceMs.set(key, postponedSinceMs);
      return handleFailure(error);
    }
    queue.forget(key);
    if (result?.requeueAfterMs === undefined) return 'success';
    queue.addAfter(key, result.requeueAfterMs);
    return 'requeued';
  }

  function handleFailure(error: unknown): ReconcileOutcome {
    if (signal.aborted) return 'error';
    const retries = queue.retries(key);
    queue.addRateLimited(key);
    if (isConcurrentChange(error) && retries < MAX_SILENT_CONFLICTS) {
      log.debug('reconcile conflicted with another write; retrying', undefined, { error });
      return 'conflict';
    }
    log.error('reconcile failed; retrying', undefined, { error });
    return 'error';
  }
}

function subjectOfKey(controller: Controller, key: string): LogSubject {
  const [informer] = informersOf(controller);
  const known = informer?.get(key);
  return {
    kind: informer?.resource.kind ?? controller.name,
    ...parseKey(key),
    ...(known?.metadata.uid && { uid: known.metadata.uid }),
  };
}
