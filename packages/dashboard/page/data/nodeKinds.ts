import type { Condition, KubeObject, Vmi } from './kinds.ts';

export interface NodeObject extends KubeObject {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  };
  readonly status?: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly conditions?: readonly Condition[];
    readonly nodeInfo?: {
      readonly kubeletVersion?: string;
      readonly osImage?: string;
      readonly kernelVersion?: string;
      readonly containerRuntimeVersion?: string;
      readonly architecture?: string;
    };
  };
}

/** An instance with what a migration writes into it. */
export interface MovingVmi extends Vmi {
  readonly status?: Vmi['status'] & { readonly migrationState?: MigrationState; readonly evacuationNodeName?: string };
}

export interface MigrationState {
  readonly sourceNode?: string;
  readonly targetNode?: string;
  readonly startTimestamp?: string;
  readonly endTimestamp?: string;
  readonly completed?: boolean;
  readonly failed?: boolean;
  readonly failureReason?: string;
  readonly mode?: string;
}

export interface Migration extends KubeObject {
  readonly spec?: { readonly vmiName?: string; readonly addedNodeSelector?: Readonly<Record<string, string>> };
  readonly status?: {
    readonly phase?: string;
    readonly migrationState?: MigrationState;
    readonly conditions?: readonly Condition[];
  };
}

export interface Pod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}
