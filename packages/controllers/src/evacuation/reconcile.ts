import type { Persisted, Pod } from '@vireo/api';
import { isActive } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isNamespaceTerminating } from '@vireo/kube';
import type { EvacuationActions } from './act.ts';
import { decideEvacuation, type EvacuationState } from './decide.ts';

/** Has a guest leave its node where somebody wants it to. */
export async function reconcileEvacuation(
  { launchers, ...state }: EvacuationState & { readonly launchers: readonly Persisted<Pod>[] },
  act: EvacuationActions,
  now: Date,
): Promise<void> {
  const { vmi } = state;
  // Of a guest that ends there is nothing to move.
  if (!isActive(vmi)) return;
  const { isRequested, migrateFrom } = decideEvacuation(state);
  if (migrateFrom !== undefined)
    await act.migrate(vmi, migrateFrom).catch((error: unknown) => {
      if (!isNamespaceTerminating(error)) throw error;
    });
  await act.tell(vmi, launchers, isRequested, now);
}
