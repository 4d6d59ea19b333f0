import {
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerStatus,
  type MetricStatus,
  timestamp,
  withCondition,
} from '@vireo/api';
import type { Reason } from './normalize.ts';

type Conditions = NonNullable<HorizontalPodAutoscalerStatus['conditions']>;
type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';

/** What a pass finds out about an autoscaler: collected on the way, and written once at its end. */
export class StatusDraft {
  readonly #autoscaler: HorizontalPodAutoscaler;
  readonly #now: Date;
  #conditions: Conditions;

  constructor(autoscaler: HorizontalPodAutoscaler, now: Date) {
    this.#autoscaler = autoscaler;
    this.#now = now;
    this.#conditions = [...(autoscaler.status?.conditions ?? [])];
  }

  set(type: ConditionType, isTrue: boolean, { reason, message }: Reason): void {
    const condition = { type, status: isTrue ? 'True' : 'False', reason, message };
    this.#conditions = withCondition(this.#conditions, condition, this.#now);
  }

  /** The status as it was, but for the conditions and what is said here. */
  finish(change: {
    readonly currentReplicas?: number;
    readonly desiredReplicas?: number;
    readonly metrics?: readonly MetricStatus[] | undefined;
    readonly isRescaled?: boolean;
  }): HorizontalPodAutoscalerStatus {
    const { currentMetrics: _, ...old } = this.#autoscaler.status ?? { desiredReplicas: 0 };
    const { currentReplicas = old.currentReplicas, desiredReplicas = old.desiredReplicas ?? 0, metrics } = change;
    return {
      ...old,
      ...(currentReplicas !== undefined && { currentReplicas }),
      desiredReplicas,
      ...(metrics?.length && { currentMetrics: [...metrics] }),
      ...(change.isRescaled && { lastScaleTime: timestamp(this.#now) }),
      conditions: this.#conditions,
    };
  }
}
