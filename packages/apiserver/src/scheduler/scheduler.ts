import { setImmediate } from 'node:timers/promises';
import { hasEnded, isReason, type Persisted } from '@vireo/api';
import type { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import { Pod } from '@vireo/api/kinds/core/pod.ts';
import { type ControllerContext, isConcurrentChange, isGone, keyOf, systemClock } from '@vireo/kube';
import type { Binder } from './binder.ts';
import type { ClusterState } from './clusterState.ts';
import type { ClusterView } from './filter.ts';
import { claimsAwaitingNode } from './filters/volumes.ts';
import { placePod } from './place.ts';
import { recordedMessage, roleOf, scheduledCondition, schedulingFieldsDiffer } from './podState.ts';
import type { SchedulingQueue } from './queue.ts';

export interface SchedulerParts {
  readonly context: ControllerContext;
  readonly state: ClusterState;
  readonly queue: SchedulingQueue;
  readonly binder: Binder;
  readonly view: () => ClusterView;
  readonly signal: AbortSignal;
}

/** Takes pods from the queue one by one, decides, and binds in the background. */
export class Scheduler {
  readonly #parts: SchedulerParts;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  onPodChanged(old: Pod | undefined, pod: Persisted<Pod>): void {
    const { state, queue } = this.#parts;
    state.setPod(pod);
    const role = roleOf(pod);
    if (role === 'place') {
      if (!old || roleOf(old) !== 'place' || schedulingFieldsDiffer(old, pod)) queue.add(pod);
      else queue.refresh(pod);
    } else queue.remove(keyOf(pod));
    if (role === 'gated')
      void this.#report(pod, 'SchedulingGated', 'Scheduling is blocked due to non-empty scheduling gates');
    if (!pod.spec?.nodeName) return;
    if (hasEnded(pod)) {
      if (!old || !hasEnded(old)) queue.wakeOn('podGone');
    } else if (!old?.spec?.nodeName || schedulingFieldsDiffer(old, pod)) queue.wakeOn('podPlaced');
  }

  onPodDeleted(pod: Persisted<Pod>): void {
    const { state, queue } = this.#parts;
    state.removePod(keyOf(pod));
    queue.remove(keyOf(pod));
    if (pod.spec?.nodeName) queue.wakeOn('podGone');
  }

  async run(): Promise<void> {
    const { context, queue, signal } = this.#parts;
    for (let pod = await queue.take(); pod !== undefined; pod = await queue.take()) {
      if (signal.aborted) return;
      try {
        this.#schedule(pod);
      } catch (error) {
        // One pod that cannot be judged must not keep the others waiting.
        context.log.error('scheduling failed; retrying', pod, { error });
        queue.requeueAfterBackoff(keyOf(pod));
      }
      // A long queue must not keep the server from its requests: decisions are work, and nothing here waits by itself.
      await setImmediate();
    }
  }

  #schedule(pod: Persisted<Pod>): void {
    const { context, state, queue, view } = this.#parts;
    const key = keyOf(pod);
    const cluster = view();
    const placement = placePod(pod, cluster);
    if ('node' in placement) {
      const { name } = placement.node;
      state.assume(pod, name);
      void this.#bind(pod, name, claimsAwaitingNode(pod, cluster));
      return;
    }
    queue.addUnschedulable(key, placement.refusedBy);
    const message = recordedMessage(pod, placement.message);
    context.recorder.event(pod, 'Warning', 'FailedScheduling', message);
    void this.#report(pod, 'Unschedulable', message);
  }

  async #bind(
    pod: Persisted<Pod>,
    nodeName: string,
    claims: readonly Persisted<PersistentVolumeClaim>[],
  ): Promise<void> {
    const { context, state, queue, binder, signal } = this.#parts;
    const key = keyOf(pod);
    try {
      await binder.bind(pod, nodeName, claims, signal);
      queue.remove(key);
      context.recorder.event(pod, 'Normal', 'Scheduled', `Successfully assigned ${key} to ${nodeName}`);
    } catch (error) {
      if (signal.aborted) return;
      state.forget(key);
      queue.wakeOn('podGone');
      if (isGone(error, Pod, pod)) {
        queue.remove(key);
        return;
      }
      queue.requeueAfterBackoff(key);
      // A pod that is being deleted cannot be bound; its next event says so.
      if (isConcurrentChange(error)) return context.log.debug('binding conflicts with another write', pod, { error });
      const message = error instanceof Error ? error.message : String(error);
      context.log.warn('binding failed; retrying', pod, { node: nodeName, error });
      context.recorder.event(pod, 'Warning', 'FailedScheduling', message);
      await this.#report(pod, 'SchedulerError', message);
    }
  }

  /** Says on the pod why it waits. A failure to say so is no reason to stop: the next attempt says it again. */
  async #report(pod: Persisted<Pod>, reason: Parameters<typeof scheduledCondition>[1], message: string): Promise<void> {
    const { context, signal } = this.#parts;
    const condition = scheduledCondition(pod, reason, message, new Date((context.clock ?? systemClock).now()));
    if (!condition) return;
    const { name, namespace } = pod.metadata;
    try {
      await context.client
        .of(Pod)
        .patchStatus(name, { status: { conditions: [condition] } }, { namespace, type: 'strategic', signal });
    } catch (error) {
      if (!signal.aborted && !isReason(error, 'NotFound'))
        context.log.warn('cannot report why a pod is pending', pod, { error });
    }
  }
}
