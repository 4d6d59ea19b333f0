import type { BackupTarget } from '@vireo/api/kinds/harvester/backupTarget.ts';
import type { BackupTargetStatus } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import type { BackupStore } from '@vireo/backup';

/** A target that can be read and written. */
export interface UsableTarget {
  readonly target: BackupTarget;
  readonly store: BackupStore;
}

/** The target of backups as the controllers know it: the one that is set, while it can be used. */
export class CurrentTarget {
  #usable: UsableTarget | undefined;
  #wanted: BackupTarget | undefined;
  #problem: string | undefined;
  readonly #listeners = new Set<() => void>();

  get usable(): UsableTarget | undefined {
    return this.#usable;
  }

  /** Why there is none. */
  get problem(): string {
    return this.#problem ?? 'the backup target is not known yet';
  }

  /** Whether a backup is or may be stored at the target that is set, even if that cannot be used now. */
  mayHold(where: BackupTargetStatus | undefined): boolean {
    if (!where) return false;
    const isKnown = this.#usable !== undefined || this.#problem !== undefined;
    const wanted = this.#usable?.target ?? this.#wanted;
    return !isKnown || (wanted !== undefined && isSamePlace(where, placeOf(wanted)));
  }

  /** The target that a backup is stored at, if that is the one that is set. */
  holding(where: BackupTargetStatus | undefined): UsableTarget | undefined {
    return this.#usable && where && isSamePlace(where, placeOf(this.#usable.target)) ? this.#usable : undefined;
  }

  async use(usable: UsableTarget): Promise<void> {
    await this.#replace(usable, usable.target, undefined);
  }

  /** `wanted`: the target that is set and cannot be used. */
  async forget(problem: string | undefined, wanted?: BackupTarget): Promise<void> {
    await this.#replace(undefined, wanted, problem);
  }

  /** Calls back whenever a target becomes usable; returns how to stop it. */
  onUsable(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #replace(
    usable: UsableTarget | undefined,
    wanted: BackupTarget | undefined,
    problem: string | undefined,
  ): Promise<void> {
    const before = this.#usable;
    this.#usable = usable;
    this.#wanted = wanted;
    this.#problem = problem;
    if (usable && usable !== before) for (const listener of this.#listeners) listener();
    if (before && before.store !== usable?.store) await before.store.close();
  }
}

/** Where a target is, as backups name it in their status. */
export const placeOf = (target: BackupTarget): BackupTargetStatus =>
  target.type === 's3'
    ? { endpoint: target.endpoint, bucketName: target.bucketName, bucketRegion: target.bucketRegion }
    : { endpoint: target.endpoint };

/** Whether two places are one. */
export const isSamePlace = (a: BackupTargetStatus, b: BackupTargetStatus): boolean =>
  (['endpoint', 'bucketName', 'bucketRegion'] as const).every((field) => (a[field] ?? '') === (b[field] ?? ''));
