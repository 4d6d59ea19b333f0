import { isConditionTrue, isDeleting } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { type Pool, parse } from './pool.ts';

/** The VMs that a pool controls. */
export interface PoolVms {
  /** Those that the pool selects and that stay. */
  readonly current: readonly Vm[];
  /** Those that go. They count until they are gone: their names, and maybe their disks, are still theirs. */
  readonly deleting: readonly Vm[];
  /** Those that the pool no longer selects. */
  readonly toRelease: readonly Vm[];
}

export function poolVms(pool: Pool, controlled: readonly Vm[]): PoolVms {
  const parsed = parse(pool);
  const groups = Object.groupBy(controlled, (vm) => {
    if (isDeleting(vm)) return 'deleting';
    return 'selector' in parsed && !parsed.selector.matches(vm.metadata.labels) ? 'toRelease' : 'current';
  });
  return { current: groups.current ?? [], deleting: groups.deleting ?? [], toRelease: groups.toRelease ?? [] };
}

export const isReadyVm = (vm: Vm): boolean => isConditionTrue(vm, 'Ready');
