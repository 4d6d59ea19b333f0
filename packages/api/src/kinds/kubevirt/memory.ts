import { boolean, type Infer, map, quantity, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const Hugepages = struct('io.kubevirt.v1.Hugepages', "Backs the guest's memory with huge pages.", {
  pageSize: optional(string, 'Size of a page, such as 2Mi or 1Gi.'),
});
export interface Hugepages extends Infer<typeof Hugepages> {}

export const ReservedOverhead = struct(
  'io.kubevirt.v1.ReservedOverhead',
  "Memory that is reserved in addition to the guest's own.",
  {
    addedOverhead: optional(quantity, 'How much more than the calculated overhead to set aside.'),
    memLock: optional(string, "Whether the guest's memory must be locked: Required or NotRequired."),
  },
);
export interface ReservedOverhead extends Infer<typeof ReservedOverhead> {}

export const Memory = struct('io.kubevirt.v1.Memory', "Size and kind of the guest's memory.", {
  guest: optional(
    quantity,
    'Amount of memory that the guest sees, such as 2Gi. Defaults to the requested memory. Raising it hotplugs memory into the running guest.',
  ),
  hugepages: optional(Hugepages, "Back the guest's memory with huge pages of the node."),
  maxGuest: optional(quantity, 'Maximum memory that can be hotplugged while the guest runs.'),
  reservedOverhead: optional(ReservedOverhead, "Memory to set aside beyond the guest's own."),
});
export interface Memory extends Infer<typeof Memory> {}

export const MemoryStatus = struct(
  'io.kubevirt.v1.MemoryStatus',
  'Memory of a running guest, as it was, is and should be.',
  {
    guestAtBoot: optional(quantity, 'Memory that the guest had at boot.'),
    guestCurrent: optional(quantity, 'Memory that the guest has now.'),
    guestRequested: optional(quantity, 'Memory that spec.domain.memory.guest asks for.'),
    memoryOverhead: optional(quantity, "Memory that running the guest needs in addition to the guest's own."),
  },
);
export interface MemoryStatus extends Infer<typeof MemoryStatus> {}

export const ResourceRequirements = struct(
  'io.kubevirt.v1.ResourceRequirements',
  'Resources that the guest requests from its node, and the limits on their use.',
  {
    limits: optional(map(quantity), 'Maximum amounts of cpu and memory.'),
    overcommitGuestOverhead: optional(
      boolean,
      'Whether the scheduler ignores the overhead of running the guest. Crowded nodes may then kill guests.',
    ),
    requests: optional(map(quantity), 'Amounts of cpu and memory that are reserved on the node.'),
  },
);
export interface ResourceRequirements extends Infer<typeof ResourceRequirements> {}

export const ResourceRequirementsWithoutClaims = struct(
  'io.kubevirt.v1.ResourceRequirementsWithoutClaims',
  'Resources that a container requests, and the limits on their use.',
  {
    limits: optional(map(quantity), 'Maximum amount of each resource that the container may use.'),
    requests: optional(map(quantity), 'Amounts that are reserved on the node.'),
  },
);
export interface ResourceRequirementsWithoutClaims extends Infer<typeof ResourceRequirementsWithoutClaims> {}
