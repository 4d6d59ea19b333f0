import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Calls, DomainRef, TypedParameters } from '@vireo/libvirt';
import { isNoAnswer } from './domainStats.ts';
import { PLACE } from './guest.ts';
import type { GuestMetric } from './guestMetrics.ts';

const TIMEOUT_MS = 1_000;

/** How far the guest's migration is; undefined where it does not move. */
export async function migrationOf(
  calls: Pick<Calls, 'jobStats'>,
  domain: DomainRef,
  { status }: VirtualMachineInstance,
): Promise<TypedParameters | undefined> {
  const state = status?.migrationState;
  if (!state?.startTimestamp || state.completed) return undefined;
  try {
    return (await calls.jobStats(domain, 0, { signal: AbortSignal.timeout(TIMEOUT_MS) })).parameters;
  } catch (error) {
    if (isNoAnswer(error)) return undefined;
    throw error;
  }
}

const job = (name: string, help: string, stat: string): GuestMetric => ({
  name: `kubevirt_vmi_migration_${name}`,
  help,
  type: 'gauge',
  labels: PLACE,
  *series({ migration }) {
    const value = migration?.number(stat);
    if (value !== undefined) yield [[], value];
  },
});

/** Of guests that are moving. */
export const MIGRATION_METRICS: readonly GuestMetric[] = [
  job('data_processed_bytes', 'The total Guest OS data processed and migrated to the new VM.', 'data_processed'),
  job('data_remaining_bytes', 'The remaining guest OS data to be migrated to the new VM.', 'data_remaining'),
  job('dirty_memory_rate_bytes', 'The rate of memory being dirty in the Guest OS.', 'memory_dirty_rate'),
  job('memory_transfer_rate_bytes', 'The rate at which the memory is being transferred.', 'memory_bps'),
];
