import { type ConditionDraft, mergeConditions, type Persisted, timestamp } from '@vireo/api';
import type { DataImportCron, DataImportCronStatus } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { LAST_CRON_TIME, type PollResult } from '@vireo/api/kinds/cdi/importCron.ts';
import { digestOf, importName } from './imports.ts';

/** What a DataImportCron is judged by. */
export interface Observed {
  /** The DataVolume of the digest that the image has now. */
  readonly current: DataVolume | undefined;
  /** How the last look at the image has ended, as far as its pod is there. */
  readonly poll: PollResult | undefined;
  readonly now: Date;
}

type Status = readonly [status: 'True' | 'False', reason: string, message: string];

/** The status that a DataImportCron should have. */
export function cronStatus(cron: Persisted<DataImportCron>, { current, poll, now }: Observed): DataImportCronStatus {
  const { namespace = '', annotations = {} } = cron.metadata;
  const digest = digestOf(cron);
  const { status: before = {} } = cron;
  const name = digest && importName(cron, digest);
  const isImported = current?.status?.phase === 'Succeeded';
  const isNew = isImported && before.lastImportedPVC?.name !== name;
  const conditions = [
    condition('Progressing', progressing(current)),
    condition('UpToDate', upToDate(digest, current, poll)),
  ];
  return {
    ...before,
    ...(digest && name && { currentImports: [{ DataVolumeName: name, Digest: digest }] }),
    ...(annotations[LAST_CRON_TIME] && { lastExecutionTimestamp: annotations[LAST_CRON_TIME] }),
    ...(isNew && name && { lastImportedPVC: { namespace, name }, lastImportTimestamp: timestamp(now) }),
    sourceFormat: 'pvc',
    conditions: mergeConditions(before.conditions, conditions, now, { stamp: { lastHeartbeatTime: timestamp(now) } }),
  };
}

const condition = (type: string, [status, reason, message]: Status): ConditionDraft => ({
  type,
  status,
  reason,
  message,
});

const NO_IMPORT: Status = ['False', 'NoImport', 'No current import'];
const SCHEDULED: Status = ['False', 'ImportScheduled', 'Import is scheduled'];
const IN_PROGRESS: Status = ['True', 'ImportProgressing', 'Import is progressing'];

function progressing(current: DataVolume | undefined): Status {
  const { phase } = current?.status ?? {};
  if (!current || phase === 'Succeeded') return NO_IMPORT;
  if (!phase || phase === 'ImportScheduled') return SCHEDULED;
  if (phase === 'ImportInProgress') return IN_PROGRESS;
  return ['False', phase, `Import DataVolume phase ${phase}`];
}

function upToDate(digest: string | undefined, current: DataVolume | undefined, poll: PollResult | undefined): Status {
  const problem = poll && 'error' in poll ? poll : undefined;
  const told = problem ? `: ${problem.error}` : '';
  if (digest === undefined)
    return ['False', problem?.isRefused ? 'NotAuthorized' : 'NoDigest', `No source digest${told}`];
  const { phase } = current?.status ?? {};
  // What is there is still what was there when somebody could look.
  if (phase === 'Succeeded') return ['True', 'UpToDate', `Latest import is up to date${told && `; last poll${told}`}`];
  if (phase === 'ImportInProgress') return ['False', IN_PROGRESS[1], IN_PROGRESS[2]];
  if (phase === 'ImportScheduled') return ['False', SCHEDULED[1], SCHEDULED[2]];
  return ['False', 'Outdated', 'Source digest updated since last import'];
}
