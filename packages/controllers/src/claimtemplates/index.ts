import { PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';
import { reconcileClaimTemplates } from './reconcile.ts';

/** Makes the claims that VMs list in an annotation, as Harvester does. They stay when the VM goes. */
export async function startClaimTemplateController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder } = context;
  const vms = informers.for(Vm);
  const claims = informers.for(PersistentVolumeClaim);
  const classes = informers.for(StorageClass);
  /** The last problem of each VM, by uid: reported again only when it changes. */
  const lastProblems = new Map<string, string>();

  await runController(
    {
      name: 'claimtemplates',
      for: vms,
      watches: [watch(vms, { deleted: ({ metadata }) => void lastProblems.delete(metadata.uid) })],
      reads: [claims, classes],
      reconcile: async (key) => {
        const vm = vms.get(key);
        if (!vm) return;
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
