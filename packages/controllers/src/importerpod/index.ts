import { PersistentVolume, PersistentVolumeClaim, Pod } from '@vireo/api';
import { IMPORTER_SELECTOR, importedClaim } from '@vireo/api/kinds/cdi/importerPod.ts';
import { type ControllerContext, ignoreNotFoundOrConflict, runController, watch } from '@vireo/kube';
import { createNamingPod } from '../namingPod.ts';
import { decideImporter } from './decide.ts';
import { importerName, importerPod } from './pod.ts';

/** Lets nodes read the Secrets and ConfigMaps of the imports that they carry out, for as long as these take. */
export async function startImporterPodController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const claims = informers.for(PersistentVolumeClaim);
  const volumes = informers.for(PersistentVolume);
  const pods = informers.for(Pod, { labelSelector: IMPORTER_SELECTOR });
  await runController(
    {
      name: 'importerpod',
      for: claims,
      watches: [
        watch(pods, (pod) => {
          const claim = importedClaim(pod);
          return claim ? `${pod.metadata.namespace}/${claim.name}` : [];
        }),
        watch(volumes, ({ spec }) => (spec?.claimRef ? `${spec.claimRef.namespace}/${spec.claimRef.name}` : [])),
      ],
      reconcile: async (key) => {
        const claim = claims.get(key);
        // What a claim has left goes with it: it is the owner.
        if (!claim) return;
        const pod = pods.get(`${claim.metadata.namespace}/${importerName(claim)}`);
        const volume = volumes.get(claim.spec?.volumeName ?? '');
        const decision = decideImporter({ claim, volume, pod });
        if (decision.action === 'create') {
          await createNamingPod(importerPod(claim, decision.node, decision.objects), claim, context);
        }
        if (decision.action === 'delete')
          await client.of(Pod).deleteExactly(decision.pod).catch(ignoreNotFoundOrConflict);
      },
    },
    context,
    signal,
  );
}
