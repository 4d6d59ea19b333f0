import type { Condition, KubeObject } from './kinds.ts';

/** Snapshots, restores and clones of machines. */

interface Reference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface VmSnapshot extends KubeObject {
  readonly spec: { readonly source: Reference; readonly deletionPolicy?: string };
  readonly status?: {
    readonly phase?: string;
    readonly readyToUse?: boolean;
    readonly creationTime?: string | null;
    readonly error?: { readonly message?: string };
    readonly conditions?: readonly Condition[];
    readonly indications?: readonly string[];
    readonly sourceIndications?: readonly { readonly indication: string; readonly message?: string }[];
    readonly snapshotVolumes?: {
      readonly includedVolumes?: readonly string[];
      readonly excludedVolumes?: readonly string[];
    };
    readonly virtualMachineSnapshotContentName?: string;
  };
}

export interface VmSnapshotContent extends KubeObject {
  readonly spec?: {
    readonly virtualMachineSnapshotName?: string;
    readonly volumeBackups?: readonly {
      readonly volumeName: string;
      readonly persistentVolumeClaim?: {
        readonly spec?: { readonly resources?: { readonly requests?: { readonly storage?: string } } };
      };
    }[];
  };
}

export interface VmRestore extends KubeObject {
  readonly spec: { readonly target: Reference; readonly virtualMachineSnapshotName: string };
  readonly status?: {
    readonly complete?: boolean;
    readonly restoreTime?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface VmClone extends KubeObject {
  readonly spec: { readonly source: Reference; readonly target?: Reference };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly targetName?: string;
  };
}
