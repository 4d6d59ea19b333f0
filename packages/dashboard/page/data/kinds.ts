import type { CardNetwork, CardStatus, Devices, DriveStatus, VolumeStatus } from './deviceKinds.ts';

/** What the page reads of Kubernetes' and KubeVirt's objects. Servers differ, so all but names may be missing. */

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly uid?: string;
  readonly controller?: boolean;
}

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Metadata;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface Volume {
  readonly name: string;
  readonly dataVolume?: { readonly name: string; readonly hotpluggable?: boolean };
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly hotpluggable?: boolean };
  readonly containerDisk?: { readonly image: string };
}

export interface Domain {
  readonly cpu?: { readonly cores?: number; readonly sockets?: number; readonly threads?: number };
  readonly memory?: { readonly guest?: string };
  readonly resources?: { readonly requests?: { readonly cpu?: string; readonly memory?: string } };
  readonly firmware?: { readonly bootloader?: { readonly efi?: { readonly secureBoot?: boolean } } };
  readonly devices?: Devices;
}

interface VmiSpec {
  readonly domain?: Domain;
  readonly volumes?: readonly Volume[];
  readonly networks?: readonly CardNetwork[];
  readonly hostname?: string;
}

export interface Vm extends KubeObject {
  readonly spec: {
    readonly runStrategy?: string;
    readonly running?: boolean;
    readonly instancetype?: { readonly name?: string };
    readonly template?: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec?: VmiSpec;
    };
    readonly dataVolumeTemplates?: readonly { readonly metadata?: { readonly name?: string } }[];
  };
  readonly status?: {
    readonly printableStatus?: string;
    /** Whether it has an instance. */
    readonly created?: boolean;
    readonly conditions?: readonly Condition[];
    readonly snapshotInProgress?: string;
    readonly restoreInProgress?: string;
    readonly volumeSnapshotStatuses?: readonly {
      readonly name: string;
      readonly enabled?: boolean;
      readonly reason?: string;
    }[];
  };
}

export interface Vmi extends KubeObject {
  readonly spec: VmiSpec;
  readonly status?: {
    readonly phase?: string;
    readonly nodeName?: string;
    /** Nodes of its launcher pods, by their UIDs. */
    readonly activePods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
    readonly interfaces?: readonly CardStatus[];
    readonly volumeStatus?: readonly VolumeStatus[];
    readonly cdromStatus?: readonly DriveStatus[];
    readonly virtualMachineRevisionName?: string;
    readonly guestOSInfo?: { readonly prettyName?: string; readonly name?: string };
    readonly currentCPUTopology?: { readonly cores?: number; readonly sockets?: number; readonly threads?: number };
    readonly memory?: { readonly guestCurrent?: string };
  };
}

export interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly namespace?: string };
}

/** A node of the object graph: what a VM depends on. */
export interface GraphNode {
  readonly objectReference: {
    readonly apiGroup?: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  };
  readonly labels?: Readonly<Record<string, string>>;
  readonly status?: string;
  readonly optional?: boolean;
  readonly fieldPath?: string;
  readonly truncated?: boolean;
  readonly children?: readonly GraphNode[];
}

/** Namespace and name, by which objects of a kind are told apart. */
export const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** For views that need objects as they are: one function for all of them, so that they follow a path together. */
export const whole = <T>(object: T): T => object;
