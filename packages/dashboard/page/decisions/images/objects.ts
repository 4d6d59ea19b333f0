import type { Condition, KubeObject, Metadata } from '../../data/kinds.ts';

/** What the page reads of the kinds that volumes consist of. Servers differ, so all but names may be missing. */

export interface OwnedMetadata extends Metadata {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
}

interface Requests {
  readonly resources?: { readonly requests?: { readonly storage?: string } };
  readonly storageClassName?: string;
}

interface Named {
  readonly name?: string;
  readonly namespace?: string;
}

export interface DataVolumeSource {
  readonly blank?: object;
  readonly upload?: object;
  readonly http?: { readonly url?: string };
  readonly registry?: { readonly url?: string };
  readonly pvc?: Named;
  readonly snapshot?: Named;
}

export interface DataVolume extends KubeObject {
  readonly metadata: OwnedMetadata;
  readonly spec?: {
    readonly source?: DataVolumeSource;
    readonly sourceRef?: Named & { readonly kind?: string };
    readonly storage?: Requests;
    readonly pvc?: Requests;
  };
  readonly status?: {
    readonly phase?: string;
    readonly progress?: string;
    readonly claimName?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface Claim extends KubeObject {
  readonly metadata: OwnedMetadata;
  readonly spec?: Requests & { readonly volumeName?: string; readonly dataSource?: Named & { readonly kind?: string } };
  readonly status?: { readonly phase?: string; readonly capacity?: { readonly storage?: string } };
}

export interface DataSource extends KubeObject {
  readonly metadata: OwnedMetadata;
  readonly spec?: { readonly source?: { readonly pvc?: Named; readonly snapshot?: Named } };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Harvester's image. */
export interface VmImage extends KubeObject {
  readonly metadata: OwnedMetadata;
  readonly spec?: { readonly displayName?: string; readonly sourceType?: string; readonly url?: string };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly progress?: number;
    readonly size?: number;
    readonly virtualSize?: number;
    readonly targetStorageClassName?: string;
  };
}

export interface VolumeSnapshot extends KubeObject {
  readonly spec?: { readonly source?: { readonly persistentVolumeClaimName?: string } };
}

export interface StorageClass extends KubeObject {
  readonly metadata: OwnedMetadata;
  readonly provisioner?: string;
  readonly volumeBindingMode?: string;
  readonly reclaimPolicy?: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Annotations of CDI and of Vireo. */
export const BIND_IMMEDIATE = 'cdi.kubevirt.io/storage.bind.immediate.requested';
export const POD_PHASE = 'cdi.kubevirt.io/storage.pod.phase';
export const POD_READY = 'cdi.kubevirt.io/storage.pod.ready';
export const PROGRESS = 'cdi.kubevirt.io/storage.populator.progress';
export const RUNNING_MESSAGE = 'cdi.kubevirt.io/storage.condition.running.message';
export const BOUND_MESSAGE = 'cdi.kubevirt.io/storage.condition.bound.message';
export const FITTED = 'vireo.io/storage.fitted';
export const ALLOCATED_BYTES = 'vireo.io/storage.allocated-bytes';
export const FREE_STORAGE = 'vireo.dev/free-storage';
/** What a volume was filled from by this page: the name of a file. */
export const SOURCE_FILE = 'vireo.dev/source-file';

export const annotationOf = ({ metadata }: { readonly metadata: OwnedMetadata }, name: string): string | undefined =>
  metadata.annotations?.[name];
