import {
  type ConditionDraft,
  conditionOf,
  isConditionTrue,
  type Persisted,
  type PersistentVolumeClaim,
  timestamp,
} from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { ALLOCATED_BYTES, DISK_BYTES } from '@vireo/api/kinds/cdi/names.ts';
import type { VirtualMachineImage, VirtualMachineImageStatus } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { harvesterConditions } from '../harvester/conditions.ts';

/** What is known of the data of an image. */
export interface ImageData {
  readonly dataVolume: Persisted<DataVolume> | undefined;
  readonly claim: PersistentVolumeClaim | undefined;
  /** Why there is no DataVolume. */
  readonly problem?: string | undefined;
}

/** Until the image can be used it is never said to be whole. */
const ALMOST = 99;

/** The status that an image should have. */
export function imageStatus(
  image: Persisted<VirtualMachineImage>,
  data: ImageData,
  now: Date,
): VirtualMachineImageStatus {
  const { spec } = image;
  const before = isRequestChanged(image) ? {} : (image.status ?? {});
  const { claim } = data;
  const isImported = hasData(data);
  const failed = spec.sourceType === 'upload' ? 0 : Math.max(before.failed ?? 0, failures(data));
  const storageClassName = claim?.spec?.storageClassName ?? before.storageClassName;
  const bytes = (name: string): number => Number(claim?.metadata.annotations?.[name] ?? 0);
  return {
    ...before,
    ...(spec.url && { appliedUrl: spec.url }),
    ...(spec.targetStorageClassName && { targetStorageClassName: spec.targetStorageClassName }),
    ...(storageClassName && { storageClassName }),
    ...(failed > (before.failed ?? 0) && { lastFailedTime: timestamp(now) }),
    failed,
    progress: isImported ? 100 : Math.min(ALMOST, percent(data.dataVolume?.status?.progress)),
    ...(isImported && { size: bytes(ALLOCATED_BYTES), virtualSize: bytes(DISK_BYTES) }),
    conditions: harvesterConditions(before.conditions, conditionDrafts(image, data, failed), now),
  };
}

/** Whether what was asked for has changed since it was last tried: earlier failures no longer count. */
export const isRequestChanged = ({ spec, status }: Persisted<VirtualMachineImage>): boolean =>
  status?.appliedUrl !== undefined && spec.url !== undefined && status.appliedUrl !== spec.url;

/** Whether no further attempt is made for what the image asks for. */
export const hasExceededRetries = (image: Persisted<VirtualMachineImage>): boolean =>
  !isRequestChanged(image) && isConditionTrue(image, 'RetryLimitExceeded');

/** The sizes come with the last word about the data. */
const hasData = ({ dataVolume, claim }: ImageData): boolean =>
  dataVolume?.status?.phase === 'Succeeded' && claim?.metadata.annotations?.[DISK_BYTES] !== undefined;

function conditionDrafts({ spec }: Persisted<VirtualMachineImage>, data: ImageData, failed: number): ConditionDraft[] {
  const { dataVolume, problem } = data;
  const limit = spec.retry ?? 0;
  const isFatal = dataVolume?.status?.phase === 'Failed';
  const isOver = isFatal || failed > limit;
  const why = problemOf(dataVolume);
  return [
    problem
      ? { type: 'Initialized', status: 'False', reason: 'Failed', message: problem }
      : { type: 'Initialized', status: 'True', reason: 'Initialized' },
    importedCondition(spec.sourceType, data, isOver, why),
    ...(failed > 0 || isFatal
      ? [{ type: 'RetryLimitExceeded', status: isOver ? 'True' : 'False', message: why }]
      : [{ type: 'RetryLimitExceeded', status: 'False' }]),
  ];
}

function importedCondition(
  sourceType: VirtualMachineImage['spec']['sourceType'],
  data: ImageData,
  isOver: boolean,
  why: string,
): ConditionDraft {
  const draft = (status: string, reason: string, message = ''): ConditionDraft => ({
    type: 'Imported',
    status,
    reason,
    message,
  });
  if (hasData(data)) return draft('True', 'Imported');
  if (isOver) return draft('False', 'ImportFailed', why);
  // Nobody sends it again by himself: whoever uploaded has to be told.
  if (sourceType === 'upload' && failures(data) > 0) return draft('False', 'UploadFailed', why);
  return draft('Unknown', 'Importing', why);
}

const failures = ({ dataVolume }: ImageData): number => dataVolume?.status?.restartCount ?? 0;

/** What the work on a DataVolume last stumbled over. */
const problemOf = (dataVolume: DataVolume | undefined): string => conditionOf(dataVolume, 'Running')?.message ?? '';

const percent = (progress: string | undefined): number => Math.floor(Number.parseFloat(progress ?? '0')) || 0;
