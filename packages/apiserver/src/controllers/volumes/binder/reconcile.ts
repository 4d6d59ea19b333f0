import type { Persisted, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import type { BinderActions } from './act.ts';
import { type BindingContext, decideClaim, type Notice } from './decideClaim.ts';
import { decideVolume } from './decideVolume.ts';

/** Brings a claim as far as it can come now. */
export async function reconcileClaim(
  claim: Persisted<PersistentVolumeClaim>,
  context: BindingContext,
  act: BinderActions,
  tell: (notice: Notice) => void,
): Promise<void> {
  const decision = decideClaim(claim, context);
  switch (decision.action) {
    case 'bind':
      return act.bind(decision.volume, claim);
    case 'provision':
      await act.provision(claim, decision.provisioner);
      tell({ type: 'Normal', reason: 'ExternalProvisioning', message: provisioningMessage(decision.provisioner) });
      return;
    case 'wait':
      if (decision.notice) tell(decision.notice);
      return act.setClaimPhase(claim, 'Pending');
    case 'lose':
      if (claim.status?.phase !== 'Lost') tell(decision.notice);
      return act.setClaimPhase(claim, 'Lost');
  }
}

const provisioningMessage = (provisioner: string): string =>
  `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system ` +
  'administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.';

/** Brings the phase of a volume in line with its claim. */
export async function reconcileVolume(
  volume: Persisted<PersistentVolume>,
  claim: Persisted<PersistentVolumeClaim> | undefined,
  act: BinderActions,
): Promise<void> {
  const decision = decideVolume(volume, claim);
  switch (decision.action) {
    case 'phase':
      await act.setVolumePhase(volume, decision.phase);
      return;
    case 'release':
      // A failed removal is its maker's to tell; it stays failed until that succeeds.
      if (volume.status?.phase !== 'Failed') await act.setVolumePhase(volume, 'Released');
      return;
    case 'unbind':
      return act.unbind(volume, decision.keepsName);
    case 'none':
      return;
  }
}
