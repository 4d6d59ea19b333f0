import { field, type Infer } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { HarvesterQuota, QUOTA_NAME, type SnapshotLimit } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { parseQuantity, toBytes } from '@vireo/api/quantity.ts';
import { string, struct } from '@vireo/api/schema.ts';
import type { Client } from '@vireo/kube';
import type { Action } from '../../actions/action.ts';
import { retryOnConflict } from '../../actions/writes.ts';
import { invalidInput } from '../input.ts';

export const UpdateResourceQuotaInput = struct(
  'io.harvesterhci.v1beta1.UpdateResourceQuotaInput',
  'Limit of the total size of snapshots.',
  { totalSnapshotSizeQuota: required(string, 'The limit as a quantity of bytes, such as 20Gi. 0 means unlimited.') },
);
export interface UpdateResourceQuotaInput extends Infer<typeof UpdateResourceQuotaInput> {}

export const WRITE_QUOTAS: NonNullable<Action['needs']> = [
  { apiGroups: [HarvesterQuota.group], resources: [HarvesterQuota.plural], verbs: ['get', 'create', 'patch'] },
];

/** The limit that was asked for, in bytes. */
export function limitIn({ totalSnapshotSizeQuota: given }: UpdateResourceQuotaInput): number {
  const why = problemOf(given);
  if (why === undefined) return Number(toBytes(given));
  throw invalidInput(UpdateResourceQuotaInput, [field.invalid('totalSnapshotSizeQuota', given, why)]);
}

function problemOf(given: string): string | undefined {
  try {
    const { nano } = parseQuantity(given);
    if (nano < 0n) return 'must not be negative';
    if (nano % 1_000_000_000n !== 0n) return 'must be a whole number of bytes';
    return nano / 1_000_000_000n > BigInt(Number.MAX_SAFE_INTEGER) ? 'is too large' : undefined;
  } catch {
    return 'must be a quantity, such as 20Gi';
  }
}

/** Changes the limits of a namespace, of which there may be none yet. Setting none where there is none writes nothing. */
export async function changeLimit(
  namespace: string | undefined,
  change: SnapshotLimitPatch,
  { client, dryRun, isRemoval }: { readonly client: Client; readonly dryRun: boolean; readonly isRemoval: boolean },
): Promise<void> {
  const quotas = client.of(HarvesterQuota);
  await retryOnConflict(
    () => quotas.find(QUOTA_NAME, { namespace }),
    async (quota) => {
      if (quota) await quotas.patchIfUnchanged(quota, { spec: { snapshotLimit: change } }, { dryRun });
      else if (!isRemoval)
        await quotas.create(
          { metadata: { name: QUOTA_NAME, namespace }, spec: { snapshotLimit: change as SnapshotLimit } },
          { dryRun },
        );
    },
  );
}

/** A merge patch of the limits: null removes one. */
export interface SnapshotLimitPatch {
  readonly namespaceTotalSnapshotSizeQuota?: number;
  readonly vmTotalSnapshotSizeQuota?: Readonly<Record<string, number | null>>;
}
