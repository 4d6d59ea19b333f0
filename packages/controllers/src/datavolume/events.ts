import type { Persisted } from '@vireo/api';
import type { DataVolume, DataVolumeStatus } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { Operation } from './source.ts';

/** The events that a user sees of a DataVolume. */
export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

const DONE: Readonly<Record<Operation, readonly [word: string, what: string]>> = {
  import: ['Import', 'imported into'],
  upload: ['Upload', 'uploaded to'],
  clone: ['Clone', 'cloned to'],
  none: ['Import', 'found on'],
};

const STEPS: Readonly<Record<string, string>> = {
  ImportScheduled: 'Import scheduled for',
  ImportInProgress: 'Importing data into',
  UploadScheduled: 'Upload scheduled for',
  UploadReady: 'Ready to accept uploads to',
  CloneScheduled: 'Clone scheduled for',
  CloneInProgress: 'Cloning data to',
};

/** What is worth telling about the way from one status to the next. */
export function eventsFor(
  dataVolume: Persisted<DataVolume>,
  operation: Operation,
  after: DataVolumeStatus,
  pendingCause?: string,
): EventDraft[] {
  const before = dataVolume.status ?? {};
  const claim = `PVC ${dataVolume.metadata.name}`;
  const events: EventDraft[] = [];
  const condition = (of: DataVolumeStatus, type: string) => of.conditions?.find((each) => each.type === type);
  const [wasBound, isBound] = [condition(before, 'Bound'), condition(after, 'Bound')];
  if (isBound && wasBound?.reason !== isBound.reason && ['Bound', 'Pending'].includes(isBound.reason ?? ''))
    events.push({ type: 'Normal', reason: isBound.reason ?? '', message: isBound.message ?? '' });
  if (pendingCause && wasBound?.message !== isBound?.message)
    events.push({ type: 'Warning', reason: 'ProvisioningFailed', message: pendingCause });
  const running = condition(after, 'Running');
  const isNewFailure = running?.message && running.message !== condition(before, 'Running')?.message;
  if (after.phase !== before.phase) {
    const [word, what] = DONE[operation];
    const step = STEPS[after.phase ?? ''];
    if (step) events.push({ type: 'Normal', reason: after.phase ?? '', message: `${step} ${claim}` });
    if (after.phase === 'Succeeded')
      events.push({ type: 'Normal', reason: `${word}Succeeded`, message: `Data was ${what} ${claim}` });
    if (after.phase === 'Failed' && isBound?.reason === 'ClaimLost')
      events.push({ type: 'Warning', reason: 'ErrClaimLost', message: `${claim} was lost` });
    else if (after.phase === 'Failed')
      events.push({ type: 'Warning', reason: `${word}Failed`, message: running?.message || `${claim} failed` });
  }
  if (isNewFailure && running.status === 'False' && after.phase !== 'Succeeded' && after.phase !== 'Failed')
    events.push({ type: 'Warning', reason: running.reason || 'Error', message: running.message ?? '' });
  return events;
}
