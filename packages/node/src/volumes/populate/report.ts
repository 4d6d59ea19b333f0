import { type Persisted, PersistentVolumeClaim } from '@vireo/api';
import {
  CLONE_OF,
  IMPORT_FATAL,
  IMPORT_POD_NAME,
  POD_PHASE,
  POD_READY,
  POD_RESTARTS,
  PREALLOCATION_DONE,
  PROGRESS,
  RUNNING,
  RUNNING_MESSAGE,
  RUNNING_REASON,
} from '@vireo/api/kinds/cdi/names.ts';
import { type Client, ignoreNotFoundOrConflict, keyOf } from '@vireo/kube';
import type { Work } from './work.ts';

type Annotations = Readonly<Record<string, string>>;

/** What a claim says of the work on it, in the words of a worker pod's state. */
export const states = {
  running: (claim: Persisted<PersistentVolumeClaim>, { kind }: Work): Annotations => ({
    [POD_PHASE]: 'Running',
    [IMPORT_POD_NAME]: `${kind === 'clone' || kind === 'restore' ? 'cdi-clone' : 'importer'}-${claim.metadata.name}`,
    [POD_RESTARTS]: claim.metadata.annotations?.[POD_RESTARTS] ?? '0',
    [RUNNING]: 'true',
    [RUNNING_REASON]: 'Pod is running',
    [RUNNING_MESSAGE]: '',
  }),
  uploadReady: (claim: Persisted<PersistentVolumeClaim>): Annotations => ({
    [POD_PHASE]: 'Running',
    [POD_READY]: 'true',
    [POD_RESTARTS]: claim.metadata.annotations?.[POD_RESTARTS] ?? '0',
    [RUNNING]: 'true',
    [RUNNING_REASON]: 'Pod is running',
  }),
  progress: (share: number): Annotations => ({ [PROGRESS]: `${(Math.min(share, 1) * 100).toFixed(2)}%` }),
  /** What goes on, in words. */
  step: (message: string): Annotations => ({ [RUNNING_MESSAGE]: message }),
  /** Something is in the way that passes by itself. */
  waiting: (message: string): Annotations => ({
    [RUNNING]: 'false',
    [RUNNING_REASON]: 'Pending',
    [RUNNING_MESSAGE]: message,
  }),
  failed: (claim: Persisted<PersistentVolumeClaim>, message: string): Annotations => ({
    [RUNNING]: 'false',
    [RUNNING_REASON]: 'Error',
    [RUNNING_MESSAGE]: message,
    [POD_RESTARTS]: String(restartsOf(claim) + 1),
  }),
  /** No retry helps. */
  failedForGood: (message: string): Annotations => ({
    [POD_PHASE]: 'Failed',
    [IMPORT_FATAL]: 'true',
    [RUNNING]: 'false',
    [RUNNING_REASON]: 'Error',
    [RUNNING_MESSAGE]: message,
  }),
  succeeded: (work: Work, isPreallocated: boolean): Annotations => ({
    [POD_PHASE]: 'Succeeded',
    [RUNNING]: 'false',
    [RUNNING_REASON]: 'Completed',
    [RUNNING_MESSAGE]: COMPLETE[work.kind] ?? 'Import Complete',
    ...(isPreallocated && { [PREALLOCATION_DONE]: 'true' }),
    ...(work.kind === 'upload' ? { [POD_READY]: 'false' } : { [PROGRESS]: '100.0%' }),
    ...(work.kind === 'clone' && { [CLONE_OF]: 'true' }),
  }),
} as const;

const COMPLETE: Partial<Record<Work['kind'], string>> = {
  upload: 'Upload Complete',
  clone: 'Clone Complete',
  restore: 'Clone Complete',
  backup: 'Restore Complete',
};

export const restartsOf = ({ metadata }: Persisted<PersistentVolumeClaim>): number =>
  Number(metadata.annotations?.[POD_RESTARTS] ?? 0) || 0;

/** The claim as it is now; of one that has gone, what it was last: another claim may have its name already. */
export function currentClaim(
  claims: { get(key: string): Persisted<PersistentVolumeClaim> | undefined },
  claim: Persisted<PersistentVolumeClaim>,
): Persisted<PersistentVolumeClaim> {
  const current = claims.get(keyOf(claim));
  return current && current.metadata.uid === claim.metadata.uid ? current : claim;
}

/** Writes what is new. A claim that has gone meanwhile needs to hear nothing. */
export async function report(
  client: Client,
  claim: Persisted<PersistentVolumeClaim>,
  wanted: Annotations,
): Promise<void> {
  const { annotations = {} } = claim.metadata;
  const changed = Object.entries(wanted).filter(([key, value]) => annotations[key] !== value);
  if (changed.length === 0) return;
  const patch = { metadata: { annotations: Object.fromEntries(changed) } };
  await client.of(PersistentVolumeClaim).patchExactly(claim, patch).catch(ignoreNotFoundOrConflict);
}
