import { BOOT_SECTOR_IMAGE, GUEST_IMAGE } from '@vireo/node';

/** How much is measured. */
export interface Plan {
  /** What the guest boots that is moved alone. */
  readonly image: typeof BOOT_SECTOR_IMAGE | typeof GUEST_IMAGE;
  readonly memoryMiB: number;
  readonly rounds: number;
  /** How many guests of one sector leave their node together. */
  readonly drained: number;
  /** For all rounds: a busy host makes fewer of them, not a longer wait. */
  readonly budgetSeconds: number;
}

export const FULL: Plan = { image: GUEST_IMAGE, memoryMiB: 512, rounds: 10, drained: 10, budgetSeconds: 120 };

export const QUICK: Plan = { ...FULL, rounds: 3, drained: 4, budgetSeconds: 30 };

/** Just enough that everything is done once. */
export const TINY: Plan = { image: BOOT_SECTOR_IMAGE, memoryMiB: 64, rounds: 1, drained: 2, budgetSeconds: 0 };
