import type { KubeObject } from '@vireo/api';
import type { Informer, InformerHandlers } from './informer.ts';
import { aboutSubject, consoleLog, type Log, type LogSubject, withFields } from './log/index.ts';
import { isOvertaken } from './overtaken.ts';
import { keyOf, parseKey, type ResourceRef } from './resource.ts';
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
}

/** Thrown by a reconcile that no retry can mend: it is reported, and the key rests until an object changes. */
export class TerminalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TerminalError';
  }
}

/** How one reconcile ended. */
export type Outcome = 'success' | 'requeued' | 'conflict' | 'error' | 'terminal';

/** Where controllers are counted. */
export interface ControllerMetrics {
  /** A controller begins to work off its queue. */
  observe(controller: string, queue: WorkQueue): void;
  reconciled(controller: string, outcome: Outcome): void;
}

export interface Controller {
  readonly name: string;
  /** Filled by the handlers that the caller registered. Absent: the controller is about the first informer's objects. */
  readonly queue?: WorkQueue;
  /** What has to be in sync before the first reconcile. */
  readonly informers: readonly AnyInformer[];
  /** Brings the world in line with the object of that key. Level-triggered: it may be called at any time, for any key. */
  reconcile(key: string, context: ReconcileContext): Promise<Result | undefined> | Promise<void>;
  /** What a key is about; default: the object of that key of the first informer's kind. */
  subject?(key: string): LogSubject;
  /** How many keys are worked on at once; default 1. */
  readonly concurrency?: number;
  readonly log?: Log;
  readonly metrics?: ControllerMetrics;
  /** Hears of every failure that is not a passing conflict, besides the log. */
  onError?(key: string, error: unknown): void;
}

/** An informer of whatever type. */
export type AnyInformer = Pick<Informer<KubeObject>, 'resource' | 'get' | 'whenSynced' | 'on'>;

/**
 * Conflicts, and objects that have gone, are how concurrent writers meet and pass unremarked; this many in a row are a
 * failure like any other.
 */
const REMARKABLE_CONFLICTS = 8;

/**
 * Runs a controller until `signal` aborts; resolves when the last reconcile has ended.
 *
 * @example
 * const queue = new WorkQueue();
 * sets.on(enqueueKey(queue));
 * pods.on(enqueueOwner(queue, ReplicaSet));
 * await runController({ name: 'replicaset', queue, informers: [sets, pods], reconcile }, signal);
 */
export async function runController(controller: Controller, signal: AbortSignal): Promise<void> {
  const { informers, concurrency = 1, queue = new WorkQueue() } = controller;
  const isOwnQueue = controller.queue === undefined;
  if (isOwnQueue) informers[0]?.on(enqueueKey(queue));
  const stop = () => void queue.shutdown();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  controller.metrics?.observe(controller.name, queue);
  try {
    await Promise.all(informers.map((informer) => informer.whenSynced()));
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  await Promise.all(Array.from({ length: concurrency }, () => work(controller, queue, signal)));
}

async function work(controller: Controller, queue: WorkQueue, signal: AbortSignal): Promise<void> {
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    // What is still queued at a stop stays undone: the next start finds it by looking at the objects.
    if (!signal.aborted) await reconcileOnce(controller, queue, key, signal);
    queue.done(key);
  }
}

/** The whole retry policy. */
async function reconcileOnce(controller: Controller, queue: WorkQueue, key: string, signal: AbortSignal) {
  const own = withFields(controller.log ?? consoleLog, { controller: controller.name });
  const log = aboutSubject(own, () => (controller.subject ? controller.subject(key) : subjectOfKey(controller, key)));
  const outcome = await attempt();
  controller.metrics?.reconciled(controller.name, outcome);

  async function attempt(): Promise<Outcome> {
    let result: Result | undefined;
    try {
      result = (await controller.reconcile(key, { signal, log })) as Result | undefined;
    } catch (error) {
      return failed(error);
    }
    queue.forget(key);
    if (result?.requeueAfterMs === undefined) return 'success';
    queue.addAfter(key, result.requeueAfterMs);
    return 'requeued';
  }

  function failed(error: unknown): Outcome {
    if (signal.aborted) return 'error';
    if (error instanceof TerminalError) {
      queue.forget(key);
      report('reconcile failed for good, waiting for a change', error);
      return 'terminal';
    }
    const retries = queue.retries(key);
    queue.addRateLimited(key);
    if (isOvertaken(error) && retries < REMARKABLE_CONFLICTS) {
      log.debug('reconcile was overtaken by another write, trying again', undefined, { error });
      return 'conflict';
    }
    report('reconcile failed, trying again', error);
    return 'error';
  }

  function report(message: string, error: unknown): void {
    log.error(message, undefined, { error });
    controller.onError?.(key, error);
  }
}

function subjectOfKey({ informers: [informer], name }: Controller, key: string): LogSubject {
  const known = informer?.get(key);
  return {
    kind: informer?.resource.kind ?? name,
    ...parseKey(key),
    ...(known?.metadata.uid && { uid: known.metadata.uid }),
  };
}

/** Handlers that enqueue the object itself. */
export function enqueueKey(queue: WorkQueue): Required<InformerHandlers<KubeObject>> {
  const add = (object: KubeObject) => queue.add(keyOf(object));
  return { added: add, updated: (_, object) => add(object), deleted: add };
}

/** Handlers that enqueue the controlling owner of the object, where that is of kind `owner`. */
export function enqueueOwner(queue: WorkQueue, owner: OwnerKind): Required<InformerHandlers<KubeObject>> {
  const add = (object: KubeObject) => {
    const key = ownerKey(object, owner);
    if (key !== undefined) queue.add(key);
  };
  const both = (old: KubeObject, object: KubeObject) => {
    // An object that changed hands concerns its old owner as well.
    add(old);
    add(object);
  };
  return { added: add, updated: both, deleted: add };
}

type OwnerKind = Pick<ResourceRef, 'group' | 'kind' | 'namespaced'>;

/** The key of the object's controlling owner, if that is of the given kind. The version does not matter. */
export function ownerKey({ metadata }: KubeObject, { group, kind, namespaced }: OwnerKind): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner?.kind !== kind || groupOf(owner.apiVersion) !== group) return undefined;
  return namespaced && metadata.namespace ? `${metadata.namespace}/${owner.name}` : owner.name;
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
