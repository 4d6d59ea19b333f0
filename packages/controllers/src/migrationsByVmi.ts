import type { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';

/** The VMI that a migration is of, as the key of its informer. */
export const vmiKeyOf = ({ metadata, spec }: VirtualMachineInstanceMigration): string =>
  `${metadata.namespace}/${spec.vmiName ?? ''}`;

/** The index of migrations by their VMI: one function, for informers are shared. */
export const MIGRATIONS_BY_VMI = {
  vmiKey: (migration: VirtualMachineInstanceMigration): string[] => [vmiKeyOf(migration)],
};
