import type { Vm } from '../../data/kinds.ts';
import type { Claim, DataVolume } from '../../data/storageKinds.ts';
import type { Machine } from '../machine.ts';
import { bytesOf } from '../quantity.ts';
import type { VolumeSource } from './changes.ts';
import { claimOf, type DiskLine, sizeOfClaim } from './lines.ts';

/** Why no disk can be changed now. */
export function machineObstacle({ isDeleting }: Machine, vm: Vm | undefined): string | undefined {
  if (isDeleting) return 'The machine is being deleted.';
  if (vm?.status?.snapshotInProgress) return `Snapshot ${vm.status.snapshotInProgress} is being taken.`;
  if (vm?.status?.restoreInProgress) return `Restore ${vm.status.restoreInProgress} is under way.`;
  return undefined;
}

/** Why a disk cannot be unplugged now. */
export function unplugObstacle(line: DiskLine, { hasInstance }: Machine): string | undefined {
  if (!line.isInSpec) return 'It is being unplugged already.';
  if (hasInstance && !line.isHotpluggable) return 'It is not hotpluggable. Stop the machine to remove it.';
  return undefined;
}

/** Why a disc cannot be put into a drive, or changed. */
export function insertObstacle(
  { source, bus, isHotpluggable, state }: DiskLine,
  { hasInstance }: Machine,
): string | undefined {
  if (state.label === 'After a restart') return 'The drive comes with a restart.';
  if (bus && bus !== 'sata' && bus !== 'scsi')
    return `Discs in drives on the bus ${bus} cannot be changed: use sata or scsi.`;
  if (hasInstance && source && !isHotpluggable) return 'The disc is not hotpluggable. Stop the machine to change it.';
  return undefined;
}

/** Why a drive has nothing to eject. */
export function ejectObstacle(line: DiskLine, { hasInstance }: Machine): string | undefined {
  if (!line.source) return 'The drive is empty.';
  if (hasInstance && !line.isHotpluggable && line.isInSpec)
    return 'The disc is not hotpluggable. Stop the machine to eject it.';
  return undefined;
}

/** Something to plug in or insert. */
export interface Choice {
  readonly source: VolumeSource;
  readonly sizeBytes: number | undefined;
  /** What is special about it, such as that its import is under way. */
  readonly note: string | undefined;
}

/** Claims and DataVolumes that a machine does not have yet. A claim of a DataVolume is offered as the DataVolume. */
export function choicesOf(vm: Vm | undefined, claims: readonly Claim[], dataVolumes: readonly DataVolume[]): Choice[] {
  const used = new Set((vm?.spec.template?.spec?.volumes ?? []).map(claimOf));
  const isFree = ({ metadata }: Claim | DataVolume): boolean =>
    !used.has(metadata.name) && metadata.deletionTimestamp === undefined;
  const imported = new Set(dataVolumes.map(({ metadata }) => metadata.name));
  const byName = new Map(claims.map((claim) => [claim.metadata.name, claim]));
  return [
    ...dataVolumes.filter(isFree).map((each) => ({
      source: { kind: 'dataVolume' as const, name: each.metadata.name },
      sizeBytes: sizeOfClaim(byName.get(each.metadata.name)) ?? requested(each),
      note: each.status?.phase === 'Succeeded' ? undefined : (each.status?.phase ?? 'new'),
    })),
    ...claims
      .filter((claim) => isFree(claim) && !imported.has(claim.metadata.name))
      .map((claim) => ({
        source: { kind: 'claim' as const, name: claim.metadata.name },
        sizeBytes: sizeOfClaim(claim),
        note: claim.status?.phase === 'Bound' ? undefined : (claim.status?.phase ?? 'Pending'),
      })),
  ].sort((a, b) => (a.source.name < b.source.name ? -1 : 1));
}

const requested = ({ spec }: DataVolume): number | undefined =>
  bytesOf((spec?.storage ?? spec?.pvc)?.resources?.requests?.storage);

/** A name that nothing in the machine has, made of a wish: `data`, `data-2`. */
export function freeName(wish: string, taken: Iterable<string>): string {
  const base =
    wish
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 58) || 'disk';
  const names = new Set(taken);
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!names.has(name)) return name;
  }
}

/** What is wrong with a name for an object or a volume. */
export function nameProblem(name: string, taken: Iterable<string> = []): string | undefined {
  if (name === '') return 'Enter a name.';
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name))
    return 'Use lower-case letters, digits and hyphens; begin and end with a letter or digit.';
  if (name.length > 63) return 'Use at most 63 characters.';
  return [...taken].includes(name) ? `${name} is taken.` : undefined;
}

/** What is wrong with a size such as `10Gi`. */
export function sizeProblem(size: string): string | undefined {
  const bytes = bytesOf(size);
  if (bytes === undefined) return 'Enter a size such as 10Gi or 512Mi.';
  return bytes < 2 ** 20 ? 'A disk has at least 1Mi.' : undefined;
}
