import { Node, type Persisted } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, ignoreNotFoundOrConflict, keyOf, type MergePatch, type Recorder } from '@vireo/kube';
import { type MaintenanceDecision, startWrites, stopWrites, type VmWrites } from './decide.ts';
import { COMPLETE_PATCH, closePatch, ENTER_PATCH, withdrawPatch } from './nodePatches.ts';

/** Does what was decided about a node. */
export async function carryOut(
  node: Persisted<Node>,
  decision: MaintenanceDecision,
  client: Client,
  recorder: Recorder,
): Promise<void> {
  const name = node.metadata.name;
  const patchNode = (patch: MergePatch) => client.of(Node).patchIfUnchanged(node, patch);
  switch (decision.action) {
    case 'none':
      return;
    case 'refuse': {
      await patchNode(withdrawPatch(node));
      const names = decision.obstacles.map(keyOf).join(', ');
      const message = `The node cannot enter maintenance: ${names} cannot be migrated and must not be shut down`;
      return recorder.event(node, 'Warning', 'MaintenanceRefused', message);
    }
    case 'drain': {
      const closing = closePatch(node);
      if (closing) {
        await patchNode(closing);
        recorder.event(node, 'Normal', 'MaintenanceBegan', departureText(decision));
      }
      for (const vmi of decision.marks)
        await client
          .of(Vmi)
          .patchExactly(vmi, { status: { evacuationNodeName: name } })
          .catch(ignoreNotFoundOrConflict);
      for (const { vm, vmi, isRestarted } of decision.stops)
        await writeVm(client, vm, stopWrites(vm, vmi, name, isRestarted));
      for (const vmi of decision.evictions) await client.of(Vmi).deleteExactly(vmi).catch(ignoreNotFoundOrConflict);
      return;
    }
    case 'enter': {
      const closing = closePatch(node);
      if (closing) await patchNode(closing);
      else await patchNode(ENTER_PATCH);
      return;
    }
    case 'complete':
      for (const vm of decision.starts) await writeVm(client, vm, startWrites(vm));
      await patchNode(COMPLETE_PATCH);
      return recorder.event(node, 'Normal', 'MaintenanceReady', 'No VMs are running on the node');
    case 'resume':
      for (const vm of decision.starts) {
        await writeVm(client, vm, startWrites(vm));
        recorder.event(vm, 'Normal', 'StartedAfterMaintenance', `Node ${name} left maintenance`);
      }
  }
}

/** How the VMs of a node leave it. */
function departureText({ moves, stops, evictions }: Extract<MaintenanceDecision, { action: 'drain' }>): string {
  const [moving, ending] = [moves.length, stops.length + evictions.length];
  return `VMs are leaving the node: ${moving} by migration, ${ending} by shutdown`;
}

/** The request first: while the mark is on the VM, it is looked at again. */
export async function writeVm(client: Client, vm: Vm, { patch, request }: VmWrites): Promise<void> {
  const { name, namespace } = vm.metadata;
  const options = { namespace, type: 'merge' } as const;
  const status = { stateChangeRequests: [request] };
  if (request?.action === 'Start') await client.of(Vm).patchStatus(name, { status }, options);
  if (patch) await client.of(Vm).patch(name, patch, options);
  if (request?.action === 'Stop') await client.of(Vm).patchStatus(name, { status }, options);
}
