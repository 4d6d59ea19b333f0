import { dirname } from 'node:path';
import type { Vmi, VmiCondition } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { formatBytes } from '@vireo/api/quantity.ts';
import { type DomainState, isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { type DiskSpace, hasRoomToResume, readDiskSpace } from '../host/diskSpace.ts';
import { diskPaths } from './domainView.ts';
import type { RunningVmi } from './localVmi.ts';

/** A guest on a full disk is tried again so often. */
export const RESUME_AGAIN_MS = 5_000;
/** One that has filled the disk again soon after it was resumed is left alone for so long. */
const RESUMED_AGAIN_MS = 30_000;

/** Volumes whose disks take space of the node as the guest writes. */
const GROWING = ['persistentVolumeClaim', 'dataVolume', 'ephemeral', 'emptyDisk', 'containerDisk', 'hostDisk'] as const;

/** A file system for which a guest is paused, and what has to happen before it is resumed. */
export interface FullDisk extends DiskSpace {
  readonly waitsFor: 'space' | 'pause' | 'copy';
}

export const isPausedByIoError = ({ state, reason }: DomainState): boolean =>
  state === 'paused' && reason === 'io-error';

/**
 * Resumes a guest that was paused because a file system was full, once there is room. Returns that file system while
 * the guest waits. Only for a domain that libvirt has as paused: QEMU goes on to report a disk as
 * full after the guest was resumed and has written to it.
 */
export async function resumeWhenRoom(
  local: RunningVmi,
  {
    libvirt,
    domains,
    guests,
    clock,
    recorder,
  }: Pick<NodeContext, 'libvirt' | 'domains' | 'guests' | 'clock' | 'recorder'>,
  readSpace = readDiskSpace,
): Promise<FullDisk | undefined> {
  const { cache, vmi } = local;
  const { ref } = local.domain;
  try {
    const errors = await libvirt.calls.diskErrors(ref);
    const full = errors.flatMap(({ disk, error }) => (error === 'no-space' ? [disk] : []));
    if (full.length === 0) return undefined;
    const paths = diskPaths(await libvirt.calls.domainXml(ref));
    const spaces = await Promise.all(
      full.flatMap((disk) => paths.get(disk) ?? []).map((path) => readSpace(dirname(path))),
    );
    const lacking = spaces.find((space) => !hasRoomToResume(space));
    const isTooSoon = clock.now() - (cache.resumedAtMs ?? Number.NEGATIVE_INFINITY) < RESUMED_AGAIN_MS;
    if (lacking) return { ...lacking, waitsFor: 'space' };
    const [first] = spaces;
    if (isTooSoon) return first && { ...first, waitsFor: 'pause' };
    if (!(await guests.resume(ref))) return first && { ...first, waitsFor: 'copy' };
  } catch (error) {
    // It ended, or somebody else resumed it.
    if (!isLibvirtError(error, 'OPERATION_INVALID') && !isLibvirtError(error, 'NO_DOMAIN')) throw error;
    await domains.refresh(ref);
    return undefined;
  }
  cache.resumedAtMs = clock.now();
  recorder.event(vmi, 'Normal', 'Resumed', 'The guest was resumed: its disk has free space again.');
  await domains.refresh(ref);
  return undefined;
}

/** What a VMI says of the disk of its node; undefined while there is nothing to say. */
export function diskPressureCondition(
  vmi: Vmi,
  node: string,
  { isUnderPressure, full }: { readonly isUnderPressure: boolean; readonly full: FullDisk | undefined },
): Omit<VmiCondition, 'type'> | undefined {
  if (full)
    return {
      status: 'True',
      reason: 'NodeDiskFull',
      message: fullDiskMessage(full, node),
    };
  const canGrow = vmi.spec.volumes?.some((volume) => GROWING.some((kind) => volume[kind] !== undefined));
  if (!isUnderPressure || !canGrow) return undefined;
  return {
    status: 'True',
    reason: 'NodeHasDiskPressure',
    message: `the disk of node ${node} is nearly full: the guest will be paused when it is full`,
  };
}

function fullDiskMessage({ directory, waitsFor }: FullDisk, node: string): string {
  const where = `${directory} on node ${node}`;
  switch (waitsFor) {
    case 'space':
      return `no space left in ${where}: the guest is paused and resumes when space is free again`;
    case 'pause':
      return `the guest filled ${where} again soon after it was resumed: it is paused and resumes within ${RESUMED_AGAIN_MS / 1000} seconds`;
    case 'copy':
      return `the guest filled ${where}: it is paused and resumes when its disks have been copied`;
  }
}

/** The event for a condition that a VMI did not have before; it tells the figures too. */
export function diskPressureEvent(
  before: Pick<VmiCondition, 'reason'> | undefined,
  after: Omit<VmiCondition, 'type'> | undefined,
  space: DiskSpace | undefined,
): { readonly reason: string; readonly message: string } | undefined {
  if (!after?.reason || !after.message || before?.reason === after.reason) return undefined;
  const figures = space ? ` (${formatBytes(space.freeBytes)} of ${formatBytes(space.totalBytes)} is free)` : '';
  return { reason: after.reason, message: `${after.message}${figures}` };
}
