import { toBytes } from '@vireo/api/quantity.ts';
import { MigrateFlags, type TypedParameter, typed } from '@vireo/libvirt';
import type { MigrationState } from './role.ts';

/** What decides how libvirt is asked to move a guest. */
export interface MoveOptions {
  readonly configuration: NonNullable<MigrationState['migrationConfiguration']>;
  /** The guest was paused, and stays so. */
  readonly isPaused: boolean;
  /** Targets of the disks that are copied. */
  readonly copiedDisks: readonly string[];
  /** Whether what lies below copied disks is on the target already. */
  readonly hasSameBases: boolean;
  /** Whether all other disks are on storage that both nodes were seen to share. */
  readonly isShared: boolean;
}

/** libvirt's flags for a move. */
export function moveFlags({ configuration, isPaused, copiedDisks, hasSameBases, isShared }: MoveOptions): number {
  const when = (isWanted: boolean | undefined, flag: number): number => (isWanted ? flag : 0);
  return (
    MigrateFlags.LIVE |
    MigrateFlags.PERSIST_DEST |
    when(isPaused, MigrateFlags.PAUSED) |
    when(copiedDisks.length > 0, hasSameBases ? MigrateFlags.NON_SHARED_INC : MigrateFlags.NON_SHARED_DISK) |
    when(isShared || configuration.unsafeMigrationOverride, MigrateFlags.UNSAFE) |
    when(configuration.allowAutoConverge, MigrateFlags.AUTO_CONVERGE) |
    when(configuration.allowPostCopy, MigrateFlags.POSTCOPY)
  );
}

/** Of those flags, the ones that the target understands. */
export const targetFlags = (flags: number): number => flags & ~MigrateFlags.AUTO_CONVERGE;

const MIB = 1024 * 1024;

/** libvirt's parameters for a move: the sockets of both channels, what is copied, how fast. */
export function moveParameters(
  sockets: Readonly<Record<'memory' | 'disks', string>>,
  copiedDisks: readonly string[],
  configuration: MoveOptions['configuration'] = {},
): TypedParameter[] {
  const bytesPerSecond = Number(toBytes(String(configuration.bandwidthPerMigration ?? '0')));
  return [
    typed.string('migrate_uri', `unix://${sockets.memory}`),
    ...(copiedDisks.length > 0 ? [typed.string('disks_uri', `unix://${sockets.disks}`)] : []),
    ...copiedDisks.map((disk) => typed.string('migrate_disks', disk)),
    ...(bytesPerSecond > 0 ? [typed.ullong('bandwidth', BigInt(Math.max(1, Math.round(bytesPerSecond / MIB))))] : []),
  ];
}
