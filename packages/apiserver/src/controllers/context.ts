import type { Kind, KubeObject } from '@vireo/api';
import type { Client, Clock, ControllerMetrics, Informers, Log } from '@vireo/kube';

/** What every controller is given. The client already carries the controller's identity. */
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
export interface Recorder {
  event(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** The kinds that are served now, custom ones included, one version each. */
export interface ServedKinds {
  list(): Iterable<Kind>;
  /** Calls back after kinds came or went; the result ends it. */
  onChange(callback: () => void): () => void;
}
