import { isControlledBy, Node } from '@vireo/api';
import { DRAIN_REQUESTED, MAINTAIN_NODE, MAINTAIN_STATUS } from '@vireo/api/kinds/harvester/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';
import { carryOut, writeVm } from './act.ts';
import { decideMaintenance, type Guest, nodesOf, startWrites } from './decide.ts';

/** Empties nodes that are to be maintained, as Harvester does, and starts their VMs again when it is time. */
export async function startMaintenanceController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder } = context;
  const nodes = informers.for(Node);
  const vmis = informers.for(Vmi);
  const vms = informers.for(Vm, {
    indexes: { maintained: ({ metadata }) => [metadata.annotations?.[MAINTAIN_NODE] ?? ''] },
  });
  const maintainedNodesOf = (vmi: Vmi): string[] =>
    nodesOf(vmi).filter((name) => {
      const node = nodes.get(name);
      return node && isMaintained(node);
    });
  const guestsOf = (name: string): Guest[] =>
    vmis
      .list()
      .filter((vmi) => nodesOf(vmi).includes(name) && !isFinal(vmi))
      .map((vmi) => {
        const vm = vms.get(keyOf(vmi));
        return { vmi, vm: vm && isControlledBy(vmi, vm) ? vm : undefined };
      });

  await runController(
    {
      name: 'maintenance',
      for: nodes,
      watches: [
        watch(vmis, maintainedNodesOf),
        watch(vms, { changed: ({ metadata }) => metadata.annotations?.[MAINTAIN_NODE] || undefined }),
      ],
      reconcile: async (name) => {
        const node = nodes.get(name);
        // A node that is gone is not maintained: what waits for it waits for nothing.
        if (!node) {
          for (const vm of vms.byIndex('maintained', name)) await writeVm(client, vm, startWrites(vm));
          return;
        }
        const guests = isMaintained(node) ? guestsOf(name) : [];
        const stopped = vms.byIndex('maintained', name);
        await carryOut(node, decideMaintenance(node, guests, stopped), client, recorder);
      },
    },
    context,
    signal,
  );
}

const isMaintained = ({ metadata: { annotations = {} } }: Node): boolean =>
  Boolean(annotations[DRAIN_REQUESTED] || annotations[MAINTAIN_STATUS]);
