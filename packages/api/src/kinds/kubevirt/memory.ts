import { boolean, type Infer, map, quantity, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const Hugepages = struct('io.kubevirt.v1.Hugepages', "Backs the guest's memory with huge pages.", {
  pageSize: optional(string, 'Size of a page, such as 2Mi or 1Gi.'),
});
export interface Hugepages extends Infer<typeof Hugepages> {}

export const ReservedOverhead = struct(
  'io.kubevirt.v1.ReservedOverhead',
  "Memory beyond the guest's own that is set aside for it.",
  {
    addedOverhead: optional(quantity, 'How much more than the calculated overhead to set aside.'),
    memLock: optional(string, "Whether the guest's memory must be locked: Required or NotRequired."),
  },
);
export interface ReservedOverhead extends Infer<typeof ReservedOverhead> {}

export const Memory = struct('io.kubevirt.v1.Memory', 'The memory that the guest sees.', {
  guest: optional(
    quantity,
    'How much memory the guest has, such as 2Gi. The requested memory when missing. Can be raised while the machine runs.',
  ),
  hugepages: optional(Hugepages, 'Huge pages instead of ordinary memory.'),
  maxGuest: optional(quantity, 'How far guest may be raised while the machine runs.'),
  reservedOverhead: optional(ReservedOverhead, "Memory to set aside beyond the guest's own."),
});
export interface Memory extends Infer<typeof Memory> {}

export const MemoryStatus = struct('io.kubevirt.v1.MemoryStatus', 'How much memory a machine has.', {
  guestAtBoot: optional(quantity, 'What it started with.'),
  guestCurrent: optional(quantity, 'What it has now.'),
  guestRequested: optional(quantity, 'What it is to have.'),
  memoryOverhead: optional(quantity, "What running it costs beyond the guest's memory."),
});
export interface MemoryStatus extends Infer<typeof MemoryStatus> {}

export const ResourceRequirements = struct(
  'io.kubevirt.v1.ResourceRequirements',
  'What a machine needs of its node, and what it may use at most.',
  {
    limits: optional(map(quantity), 'The most that may be used, of cpu and memory.'),
    overcommitGuestOverhead: optional(
      boolean,
      'Whether the scheduler ignores the overhead of running the guest. Crowded nodes may then kill guests.',
    ),
    requests: optional(map(quantity), 'What is set aside on the node, of cpu and memory.'),
  },
);
export interface ResourceRequirements extends Infer<typeof ResourceRequirements> {}

export const ResourceRequirementsWithoutClaims = struct(
  'io.kubevirt.v1.ResourceRequirementsWithoutClaims',
  'What a container needs, and what it may use at most.',
  {
    limits: optional(map(quantity), 'The most that may be used.'),
    requests: optional(map(quantity), 'What is set aside on the node.'),
  },
);
export interface ResourceRequirementsWithoutClaims extends Infer<typeof ResourceRequirementsWithoutClaims> {}
