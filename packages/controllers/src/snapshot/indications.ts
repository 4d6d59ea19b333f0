import { isConditionTrue } from '@vireo/api';
import { isPaused, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { SnapshotStatus } from './kinds.ts';

/** What a snapshot was taken of, and what that means for whoever restores it. */
const MESSAGES = {
  GuestAgent: 'The file systems of the guest were frozen: the disks contain everything that it had written.',
  NoDisks: 'The snapshot contains only the configuration of the VM and none of its disks.',
  NoGuestAgent: 'The guest agent did not respond: the disks are crash-consistent, as after a power loss.',
  Online: 'The VM was running.',
  PartialSnapshot: 'The snapshot does not contain all disks of the VM: the storage of some does not support snapshots.',
  Paused: 'The VM was paused: data that the guest had only in memory is not on the disks.',
  QuiesceFailed: 'The guest could not freeze its file systems: the disks are crash-consistent, as after a power loss.',
  QuiesceTimeout:
    'The guest did not freeze its file systems in time: the disks are crash-consistent, as after a power loss.',
} as const;

export type Indication = keyof typeof MESSAGES;

/** Whether the guest should be asked to freeze its file systems. */
export const canFreeze = (vmi: Vmi): boolean => isConditionTrue(vmi, 'AgentConnected') && !isPaused(vmi);

/** How much of a VM's disks is in a snapshot. */
export type Share = 'all' | 'some' | 'none';

/** The indications of a VM as it is now. */
export function indicationsOf(vmi: Vmi | undefined, share: Share): Indication[] {
  const partial: Indication[] = share === 'all' ? [] : [share === 'some' ? 'PartialSnapshot' : 'NoDisks'];
  if (!vmi) return partial;
  return ['Online', isPaused(vmi) ? 'Paused' : canFreeze(vmi) ? 'GuestAgent' : 'NoGuestAgent', ...partial];
}

/** The indications in the status of a snapshot, in both of its forms. */
export function indicationStatus(
  indications: readonly Indication[],
): Pick<SnapshotStatus, 'indications' | 'sourceIndications'> {
  if (indications.length === 0) return {};
  const sorted = [...indications].sort();
  return {
    indications: sorted,
    sourceIndications: sorted.map((indication) => ({ indication, message: MESSAGES[indication] })),
  };
}

/** Instead of `GuestAgent`, which was hoped for: why the guest was not frozen. */
export function withoutFreeze(indications: readonly string[] | undefined, why: string): Indication[] {
  const known = (indications ?? []).filter((each): each is Indication => Object.hasOwn(MESSAGES, each));
  const failure: Indication = /timed? ?out|VSS|freeze limit/i.test(why) ? 'QuiesceTimeout' : 'QuiesceFailed';
  return [...known.filter((each) => each !== 'GuestAgent'), failure];
}
