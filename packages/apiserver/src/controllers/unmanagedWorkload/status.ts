import type { UnknownObject } from '@vireo/api';

/** Fields of a status that controllers write early. */
const MARKS = ['observedGeneration', 'conditions', 'startTime', 'lastScheduleTime', 'active'];

/** Whether no controller has written anything about a workload. */
export function isUnmanaged({ metadata, status }: UnknownObject): boolean {
  const written = (status ?? {}) as Readonly<Record<string, unknown>>;
  return !metadata.deletionTimestamp && MARKS.every((name) => written[name] === undefined);
}

/** The message of the event on a workload that no controller manages. */
export const unmanagedMessage = (kind: string): string =>
  `this server runs virtual machines, not containers: nothing acts on this ${kind}. ` +
  'Create a VirtualMachine, or a VirtualMachineInstanceReplicaSet for several';
