import { PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';
import { hasMoves, movedTemplates } from './moved.ts';
import { reconcileClaimTemplates } from './reconcile.ts';

/**
 * Makes the claims that VMs list in an annotation, as Harvester does, and has the list name others once disks have moved
 * to them. Claims stay when the VM goes.
 */
export async function startClaimTemplateController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder } = context;
  const vms = informers.for(Vm);
  const vmis = informers.for(Vmi);
  const claims = informers.for(PersistentVolumeClaim);
  const classes = informers.for(StorageClass);
  /** The last problem of each VM, by uid: reported again only when it changes. */
  const lastProblems = new Map<string, string>();

  await runController(
    {
      name: 'claimtemplates',
      for: vms,
      watches: [
        watch(vms, { deleted: ({ metadata }) => void lastProblems.delete(metadata.uid) }),
        watch(vmis, (vmi) => (hasMoves(vms.get(keyOf(vmi))) ? keyOf(vmi) : undefined)),
      ],
      reads: [claims, classes],
      reconcile: async (key) => {
        const vm = vms.get(key);
        if (!vm) return;
        const { name, namespace } = vm.metadata;
        const moved = movedTemplates(vm, vmis.get(key), (claim) => claims.get(`${namespace}/${claim}`));
        if (moved !== undefined) {
          const { resourceVersion } = vm.metadata;
          const metadata = { resourceVersion, annotations: { [VOLUME_CLAIM_TEMPLATES]: moved } };
          await client.of(Vm).patch(name, { metadata }, { namespace, type: 'merge' });
          return;
        }
        const isThere = (claim: Pick<PersistentVolumeClaim, 'metadata'>) => claims.get(keyOf(claim)) !== undefined;
        const problem = await reconcileClaimTemplates(vm, classes.list(), isThere, client);
        if (problem === undefined) return;
        const { uid } = vm.metadata;
        if (lastProblems.get(uid) !== problem) recorder.event(vm, 'Warning', 'FailedVolumeClaimTemplates', problem);
        lastProblems.set(uid, problem);
      },
    },
    context,
    signal,
  );
}
