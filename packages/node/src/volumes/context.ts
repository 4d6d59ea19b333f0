import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import type { Client, Clock, ControllerMetrics, EventRecorder, Informer, Log } from '@vireo/kube';
import type { VolumeStores } from './stores.ts';

/** What the parts that deal with this node's volumes share. */
export interface VolumeContext {
  readonly client: Client;
  /** For what the node's pods name. */
  readonly kubelet: Client;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock: Clock;
  readonly stores: VolumeStores;
  /** The node's name. */
  readonly node: string;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume>;
  readonly classes: Informer<StorageClass>;
}
