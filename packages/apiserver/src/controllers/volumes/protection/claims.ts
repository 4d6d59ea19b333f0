import { PersistentVolumeClaim, Pod } from '@vireo/api';
import { CLAIM_PROTECTION } from '@vireo/api/kinds/core/volumeNames.ts';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';

export const CLAIM_PROTECTION_USER = 'system:serviceaccount:kube-system:pvc-protection-controller';

/** Lets a claim that was deleted go when no pod uses it any more. */
export async function startClaimProtection(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const claims = informers.for(PersistentVolumeClaim);
  const pods = informers.for(Pod, { indexes: { claim: claimKeys } });
  await runController(
    {
      name: 'pvc-protection',
      for: claims,
      watches: [watch(pods, { updated: (_, pod) => claimKeys(pod), deleted: claimKeys })],
      reconcile: async (key) => {
        const claim = claims.get(key);
        if (!claim?.metadata.deletionTimestamp || pods.byIndex('claim', key).some(isUsing)) return;
        const { namespace, finalizers } = claim.metadata;
        if (!finalizers?.includes(CLAIM_PROTECTION)) return;
        // The cache may be behind; a pod that was placed since must keep its data.
        const { items } = await client.of(Pod).list({ namespace });
        if (items.some((pod) => claimKeys(pod).includes(keyOf(claim)) && isUsing(pod))) return;
        await client.of(PersistentVolumeClaim).removeFinalizer(claim, CLAIM_PROTECTION);
      },
    },
    context,
    signal,
  );
}

/** A pod that has no node has not begun, and one that ended is done. */
const isUsing = ({ spec, status }: Pod): boolean =>
  spec?.nodeName !== undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

function claimKeys({ metadata, spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name}-${name}`);
    return claim ? [`${metadata.namespace}/${claim}`] : [];
  });
}
