import {
  isControlledBy,
  isDeleting,
  isReason,
  type Persisted,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { DataVolumeSourceSpec } from '@vireo/api/kinds/cdi/dataVolumeSource.ts';
import * as names from '@vireo/api/kinds/cdi/names.ts';
import { isNamespaceTerminating } from '@vireo/kube';
import type { DataVolumeActions } from './act.ts';
import { type ClaimContext, claimFor } from './claim.ts';
import { eventsFor } from './events.ts';
import { operationOf } from './source.ts';
import { type ClaimState, dataVolumeStatus } from './status.ts';

/** All that is known of one DataVolume. */
export interface DataVolumeState {
  readonly dataVolume: Persisted<DataVolume>;
  /** The claim of its name, whoever it belongs to. */
  readonly claim: Persisted<PersistentVolumeClaim> | undefined;
  /** Undefined: what it names does not exist. */
  readonly source: DataVolumeSourceSpec | undefined;
  readonly claimContext: ClaimContext;
  readonly isWaitingClass: (claim: Persisted<PersistentVolumeClaim>) => boolean;
  /** Whether claims may be taken over by those who do not say otherwise. */
  readonly allowsAdoption: boolean;
  readonly now: Date;
}

/** Gives a DataVolume its claim, and tells how far the work on that is. */
export async function reconcileDataVolume(state: DataVolumeState, act: DataVolumeActions): Promise<void> {
  const { dataVolume } = state;
  if (isDeleting(dataVolume)) return;
  const { claim, problem, error } = await provide(state, act);
  const isWaitingClass = claim !== undefined && state.isWaitingClass(claim);
  const operation = operationOf(dataVolume);
  const pendingCause = claim && pendingCauseOf(claim, state.claimContext.classes);
  const claimState: ClaimState = { claim, isWaitingClass, pendingCause, problem };
  const status = dataVolumeStatus(dataVolume, operation, claimState, state.now);
  if (await act.writeStatus(dataVolume, status))
    for (const event of eventsFor(dataVolume, operation, status, pendingCause)) act.recordEvent(dataVolume, event);
  if (error) throw error;
}

/** Why a claim has no volume: its class does not exist, or what a node says. */
export function pendingCauseOf(
  { metadata, spec, status }: PersistentVolumeClaim,
  classes: readonly StorageClass[],
): string | undefined {
  if (status?.phase === 'Bound') return undefined;
  const wanted = spec?.storageClassName;
  // A claim without a class waits for a volume that somebody makes by hand.
  if (wanted && !classes.some((each) => each.metadata.name === wanted))
    return `StorageClass "${wanted}" does not exist`;
  return metadata.annotations?.[names.BOUND_MESSAGE];
}

interface Provided {
  readonly claim?: Persisted<PersistentVolumeClaim> | undefined;
  readonly problem?: { readonly reason: string; readonly message: string };
  /** To be thrown when it has been reported, so that it is tried again. */
  readonly error?: unknown;
}

async function provide(state: DataVolumeState, act: DataVolumeActions): Promise<Provided> {
  const { dataVolume, claim, source } = state;
  const { name, annotations = {} } = dataVolume.metadata;
  const refuse = (reason: string, message: string): Provided => {
    act.recordEvent(dataVolume, { type: 'Warning', reason, message });
    return { problem: { reason, message } };
  };
  if (claim && isDeleting(claim) && !isControlledBy(claim, dataVolume))
    return refuse('ErrResourceMarkedForDeletion', `PVC ${name} exists and is being deleted`);
  if (claim && isControlledBy(claim, dataVolume)) return { claim };
  if (claim) {
    if (!isAdoptable(state, claim))
      return refuse('ErrResourceExists', `PVC ${name} already exists and is not owned by this DataVolume`);
    return { claim: await act.adopt(dataVolume, claim) };
  }
  if (annotations[names.PRE_POPULATED] !== undefined) return {};
  if (dataVolume.spec.sourceRef && !source?.pvc && !source?.snapshot) {
    const { namespace = dataVolume.metadata.namespace, name: of } = dataVolume.spec.sourceRef;
    return refuse('NotFound', `DataSource ${namespace}/${of} does not exist or has no source`);
  }
  try {
    return { claim: await act.create(claimFor(dataVolume, source, state.claimContext)) };
  } catch (error) {
    if (isNamespaceTerminating(error)) return {};
    const message = error instanceof Error ? error.message : String(error);
    const isQuota = isReason(error, 'Forbidden') && message.includes('exceeded quota');
    return { ...refuse(isQuota ? 'ErrExceededQuota' : 'ErrClaimNotValid', message), error };
  }
}

/** Whether a claim that was there first may become the DataVolume's: its data is what the DataVolume stands for. */
function isAdoptable(
  { dataVolume, allowsAdoption }: DataVolumeState,
  { metadata }: Persisted<PersistentVolumeClaim>,
): boolean {
  if (metadata.ownerReferences?.some(({ controller }) => controller)) return false;
  if (metadata.annotations?.[names.POPULATED_FOR] === dataVolume.metadata.name) return true;
  const annotation = dataVolume.metadata.annotations?.[names.ALLOW_ADOPTION];
  return annotation === undefined ? allowsAdoption : annotation === 'true';
}
