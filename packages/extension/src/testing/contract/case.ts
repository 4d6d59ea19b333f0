import type { Client } from '@vireo/kube';
import type { vmsOf } from '../harvester.ts';
import type { NodeStandIn } from '../nodeStandIn.ts';

/** What a case stands on: a real server with the extension, and no controllers. */
export interface ContractContext {
  /** Of the administrator. */
  readonly client: Client;
  readonly vms: ReturnType<typeof vmsOf>;
  /** What the node of running VMIs was asked. */
  readonly node: NodeStandIn;
}

/** One thing that an action does or refuses, whichever path it is called by. */
export interface ContractCase {
  /** As in RBAC: `virtualmachines/stop`. */
  readonly action: string;
  readonly is: 'success' | 'wrong state' | 'bad body';
  /** What distinguishes it from others of the action. */
  readonly when?: string;
  /** Makes what stands there before; `name` is that of the object. */
  readonly given?: (name: string, context: ContractContext) => Promise<unknown>;
  readonly body?: unknown | ((name: string) => unknown);
  /** `message`: a part of what a refusal says. `response`: a part of the object that is returned. */
  readonly expect: { readonly status: number; readonly message?: string; readonly response?: unknown };
  /** What is true afterwards. */
  readonly after?: (name: string, context: ContractContext) => Promise<void>;
}

/** The namespace of all objects that have one. */
export const at = { namespace: 'default' };
