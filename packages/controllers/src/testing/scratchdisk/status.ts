import type { Persisted, PersistentVolumeClaim } from '@vireo/api';
import type { ScratchDisk } from './kind.ts';

export const scratchDiskStatus = (claim: PersistentVolumeClaim | undefined): NonNullable<ScratchDisk['status']> => ({
  phase: claim?.status?.phase ?? 'Pending',
});

export const remainingMs = ({ metadata, spec }: Persisted<ScratchDisk>, nowMs: number): number =>
  Date.parse(metadata.creationTimestamp) + spec.ttlSeconds * 1000 - nowMs;
