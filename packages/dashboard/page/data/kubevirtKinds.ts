import type { Condition, KubeObject } from './kinds.ts';

/** The object that KubeVirt is set up by. Its configuration is large, and read by path. */
export interface KubeVirt extends KubeObject {
  readonly spec?: { readonly configuration?: Readonly<Record<string, unknown>> } & Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly phase?: string;
    readonly observedKubeVirtVersion?: string;
    readonly targetKubeVirtVersion?: string;
    readonly operatorVersion?: string;
    readonly observedKubeVirtRegistry?: string;
    readonly defaultArchitecture?: string;
    readonly activeHypervisor?: string;
    readonly outdatedVirtualMachineInstanceWorkloads?: number;
    readonly hypervisors?: readonly {
      readonly name: string;
      readonly nodes?: readonly string[];
      readonly ready?: boolean;
      readonly message?: string;
    }[];
    readonly conditions?: readonly Condition[];
  };
}
