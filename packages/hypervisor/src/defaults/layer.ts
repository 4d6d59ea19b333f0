import { isObject } from '@vireo/api/json.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import type { ClusterConfig } from '../clusterConfig.ts';

/** The same shape with everything optional. Entries of a list stand for the target's entries at the same places. */
export type Proposal<T> = T extends readonly (infer E)[]
  ? readonly Proposal<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Proposal<T[K]> | undefined }
    : T;

/**
 * First contract: one layer of defaults. It proposes values and sees the spec as the user left it; of all proposals for a
 * field the most specific layer's wins, and only where the user said nothing.
 */
export interface DefaultsProvider {
  applyVmDefaults?(vm: VirtualMachine, config: ClusterConfig): Proposal<VirtualMachine>;
  applyVmiSpecDefaults?(spec: VirtualMachineInstanceSpec, config: ClusterConfig): Proposal<VirtualMachineInstanceSpec>;
  /** What follows from the finished spec; runs once, after all layers proposed, from the general to the specific. */
  finalizeVmi?(vmi: VirtualMachineInstance, config: ClusterConfig): VirtualMachineInstance;
}

/** The target with what it lacks taken from the proposal. Neither is changed; what is the same is shared. */
export function fillUnset<T>(target: T, proposal: Proposal<T> | undefined): T {
  return merge(target, proposal) as T;
}

/** Numbers that Go holds by value: its clients leave out a 0, so that it cannot mean more than nothing. */
const ZERO_MEANS_NOTHING: ReadonlySet<string> = new Set([
  'cores',
  'sockets',
  'threads',
  'maxSockets',
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
  'runtimeUser',
]);

/** No text of a VMI is empty on purpose. Every other 0, and every `false`, was said by the user. */
const isUnset = (value: unknown, field: string): boolean =>
  value === undefined || value === null || value === '' || (value === 0 && ZERO_MEANS_NOTHING.has(field));

function merge(target: unknown, proposal: unknown, field = ''): unknown {
  if (proposal === undefined) return target;
  if (isUnset(target, field)) return compact(proposal);
  if (Array.isArray(target) && Array.isArray(proposal)) {
    return target.map((entry, index) => merge(entry, proposal[index]));
  }
  if (!isObject(target) || !isObject(proposal)) return target;
  const filled: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(proposal)) {
    if (value === undefined) continue;
    const own = Object.hasOwn(target, key) ? target[key] : undefined;
    filled[key] = merge(own, value, key);
  }
  return filled;
}

/** Without the keys that propose nothing. */
function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, compact(inner)]));
}
