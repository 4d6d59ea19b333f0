import type { KubeObject } from '@vireo/api';
import type { Client, Clock, ControllerMetrics, Informers, Log } from '@vireo/kube';

/** What every controller is given. The client already carries the controllers' identity. */
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
