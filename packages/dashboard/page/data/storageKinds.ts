import type { Condition, KubeObject } from './kinds.ts';

/** Claims, DataVolumes and classes, as far as plugging disks in needs them. */

export interface Claim extends KubeObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly resources?: { readonly requests?: { readonly storage?: string } };
  };
  readonly status?: { readonly phase?: string; readonly capacity?: { readonly storage?: string } };
}

export interface DataVolume extends KubeObject {
  readonly spec?: {
    readonly contentType?: string;
    readonly storage?: { readonly resources?: { readonly requests?: { readonly storage?: string } } };
    readonly pvc?: { readonly resources?: { readonly requests?: { readonly storage?: string } } };
  };
  readonly status?: {
    readonly phase?: string;
    readonly progress?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface StorageClass extends KubeObject {
  readonly provisioner?: string;
}

/** A file system that the guest agent reports. */
export interface GuestFilesystem {
  readonly diskName?: string;
  readonly mountPoint?: string;
  readonly fileSystemType?: string;
  readonly totalBytes?: number;
  readonly usedBytes?: number;
}
