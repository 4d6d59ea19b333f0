import { isControlledBy, Node } from '@vireo/api';
import { isInMaintenance, maintenanceStrategyOf } from '@vireo/api/kinds/harvester/maintenance.ts';
import { MAINTAIN_NODE } from '@vireo/api/kinds/harvester/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';
import { cachedConfig } from '../cachedConfig.ts';
import { carryOut, writeVm } from './act.ts';
import { decideMaintenance, type Guest, nodesOf, startWrites } from './decide.ts';

/** Empties nodes that are to be maintained, as Harvester does, and starts their VMs again when it is time. */
export async function startMaintenanceController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder } = context;
  const nodes = informers.for(Node);
  const vmis = informers.for(Vmi, { indexes: VMIS_BY_NODES });
  const vms = informers.for(Vm, {
    indexes: { maintained: ({ metadata }) => [metadata.annotations?.[MAINTAIN_NODE] ?? ''] },
  });
  const { kubevirts, config } = cachedConfig(informers);
  const maintainedNodesOf = (vmi: Vmi): string[] =>
    nodesOf(vmi).filter((name) => {
      const node = nodes.get(name);
      return node && isInMaintenance(node);
    });
  const guestsOf = (name: string): Guest[] =>
    vmis
      .byIndex('nodes', name)
      .filter((vmi) => !isFinal(vmi))
      .map((vmi) => {
        const vm = vms.get(keyOf(vmi));
        const strategy = vmi.spec.evictionStrategy ?? config().evictionStrategy;
        return { vmi, vm: vm && isControlledBy(vmi, vm) ? vm : undefined, isMovedByOthers: strategy === 'External' };
      });

  await runController(
    {
      name: 'maintenance',
      for: nodes,
      watches: [
        watch(vmis, {
          added: maintainedNodesOf,
          // One that has moved is gone from where it was.
          updated: (old, vmi) => [...maintainedNodesOf(old), ...maintainedNodesOf(vmi)],
          deleted: maintainedNodesOf,
        }),
        watch(vms, {
          changed: ({ metadata }) => metadata.annotations?.[MAINTAIN_NODE] || undefined,
          updated(old, vm) {
            const vmi = maintenanceStrategyOf(old) === maintenanceStrategyOf(vm) ? undefined : vmis.get(keyOf(vm));
            return vmi && maintainedNodesOf(vmi);
          },
        }),
        // Who moves guests, the cluster says as well.
        watch(kubevirts, () => nodes.list().filter(isInMaintenance).map(keyOf)),
      ],
      reconcile: async (name) => {
        const node = nodes.get(name);
        // A node that is gone is not maintained: what waits for it waits for nothing.
        if (!node) {
          for (const vm of vms.byIndex('maintained', name)) await writeVm(client, vm, startWrites(vm));
          return;
        }
        const guests = isInMaintenance(node) ? guestsOf(name) : [];
        const stopped = vms.byIndex('maintained', name);
        const others = nodes.list().filter(({ metadata }) => metadata.name !== name);
        await carryOut(node, decideMaintenance(node, guests, stopped, others), client, recorder);
      },
    },
    context,
    signal,
  );
}

/** The index of VMIs by the nodes that have them, or will. */
const VMIS_BY_NODES = { nodes: nodesOf };
