import { isObject } from '../../json.ts';
import type { Node } from '../core/node.ts';
import { CPU_MANAGER_UPDATE } from './names.ts';

/** `static`: VMs can have CPUs of the node to themselves. */
export type CpuManagerPolicy = 'static' | 'none';

/** The policy that somebody asked for, and how far it is. */
export interface CpuManagerUpdate {
  readonly status: 'requested' | 'running' | 'success' | 'failed';
  readonly policy: CpuManagerPolicy;
}

const STATUSES: readonly unknown[] = ['requested', 'running', 'success', 'failed'];
const POLICIES: readonly unknown[] = ['static', 'none'];

/** What a node's annotation says; undefined where nobody asked for anything, or nobody can read it. */
export function cpuManagerUpdate({ metadata }: Node): CpuManagerUpdate | undefined {
  const text = metadata.annotations?.[CPU_MANAGER_UPDATE];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isUpdate = isObject(value) && STATUSES.includes(value.status) && POLICIES.includes(value.policy);
    return isUpdate ? (value as unknown as CpuManagerUpdate) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the node has not done yet what it was asked for. */
export const isCpuManagerUpdating = (node: Node): boolean =>
  ['requested', 'running'].includes(cpuManagerUpdate(node)?.status ?? '');

/** The annotation for an update. */
export const cpuManagerAnnotation = ({ status, policy }: CpuManagerUpdate): Record<string, string> => ({
  [CPU_MANAGER_UPDATE]: JSON.stringify({ status, policy }),
});

/** The policy of a node: `static` unless somebody has asked for the other one. */
export const cpuManagerPolicy = (node: Node | undefined): CpuManagerPolicy =>
  (node && cpuManagerUpdate(node)?.policy) ?? 'static';
