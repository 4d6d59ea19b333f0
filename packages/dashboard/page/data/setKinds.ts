import type { Condition, KubeObject, Vm } from './kinds.ts';

interface ScaleIn {
  readonly selectionPolicy?: { readonly sortPolicy?: string; readonly selectors?: object };
  readonly statePreservation?: string;
}

/** What a pool of VMs has of its own. */
export interface PoolSpec {
  readonly scaleInStrategy?: {
    readonly proactive?: ScaleIn;
    readonly opportunistic?: Pick<ScaleIn, 'statePreservation'>;
    readonly unmanaged?: object;
  };
  readonly updateStrategy?: { readonly opportunistic?: object; readonly unmanaged?: object };
  readonly maxUnavailable?: number | string;
  readonly autohealing?: { readonly startUpFailureThreshold?: number };
}

/** What a replica set of VMIs and a pool of VMs have in common. */
export interface SetObject extends KubeObject {
  readonly spec: PoolSpec & {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly labelSelector?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface Autoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string };
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Of `autoscaling/v1`, as the scale subresource reads and writes it. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

export interface PoolVm extends Vm {
  readonly status?: Vm['status'] & { readonly ready?: boolean };
}
