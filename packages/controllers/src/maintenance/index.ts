import { isReason, Node } from '@vireo/api';
import { DRAIN_REQUESTED, MAINTAIN_NODE, MAINTAIN_STATUS } from '@vireo/api/kinds/harvester/names.ts';
import { type Client, enqueueKey, keyOf, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext, Recorder } from '../context.ts';
import { isControlledBy, isFinal, Vm, Vmi } from '../kinds.ts';
import {
  decideMaintenance,
  type Guest,
  type MachineWrites,
  type MaintenanceDecision,
  nodesOf,
  startWrites,
  stopWrites,
} from './decide.ts';
import { closePatch, completePatch, enterPatch, withdrawPatch } from './nodePatches.ts';

/** Empties nodes that are to be maintained, as Harvester does, and starts their machines again when it is time. */
export async function startMaintenanceController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const nodes = informers.for(Node);
  const vmis = informers.for(Vmi);
  const vms = informers.for(Vm, {
    indexes: { maintained: ({ metadata }) => [metadata.annotations?.[MAINTAIN_NODE] ?? ''] },
  });
  const queue = new WorkQueue({ clock });
  nodes.on(enqueueKey(queue));
  const onVmi = (vmi: Vmi): void => {
    for (const name of nodesOf(vmi)) {
      const node = nodes.get(name);
      if (node && isMaintained(node)) queue.add(keyOf(node));
    }
  };
  vmis.on({ added: onVmi, updated: (_, vmi) => onVmi(vmi), deleted: onVmi });
  const onVm = ({ metadata }: Vm): void => {
    const node = metadata.annotations?.[MAINTAIN_NODE];
    if (node) queue.add(node);
  };
  vms.on({ added: onVm, updated: (_, vm) => onVm(vm) });

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
      queue,
      informers: [nodes, vmis, vms],
      log,
      metrics,
      reconcile: async (name) => {
        const node = nodes.get(name);
        // A node that is gone is not maintained: what waits for it waits for nothing.
        if (!node) {
          for (const vm of vms.byIndex('maintained', name)) await write(client, vm, startWrites(vm));
          return;
        }
        const guests = isMaintained(node) ? guestsOf(name) : [];
        const stopped = vms.byIndex('maintained', name);
        await act(node, decideMaintenance(node, guests, stopped), client, recorder);
      },
    },
    signal,
  );
}

const isMaintained = ({ metadata: { annotations = {} } }: Node): boolean =>
  Boolean(annotations[DRAIN_REQUESTED] || annotations[MAINTAIN_STATUS]);

async function act(node: Node, decision: MaintenanceDecision, client: Client, recorder: Recorder): Promise<void> {
  const name = node.metadata.name ?? '';
  const patchNode = (patch: object) => client.of(Node).patch(name, patch, { type: 'merge' });
  switch (decision.action) {
    case 'none':
      return;
    case 'refuse': {
      await patchNode(withdrawPatch(node));
      const names = decision.obstacles.map(keyOf).join(', ');
      const message = `The node is not maintained: ${names} cannot move to another node and may not be shut down`;
      return recorder.event(node, 'Warning', 'MaintenanceRefused', message);
    }
    case 'drain': {
      const closing = closePatch(node);
      if (closing) {
        await patchNode(closing);
        recorder.event(node, 'Normal', 'MaintenanceBegan', 'Machines are leaving the node');
      }
      for (const { vm, vmi, isRestarted } of decision.stops)
        await write(client, vm, stopWrites(vm, vmi, name, isRestarted));
      for (const vmi of decision.evictions) await remove(client, vmi);
      return;
    }
    case 'enter': {
      const closing = closePatch(node);
      if (closing) await patchNode(closing);
      else await patchNode(enterPatch(node));
      return;
    }
    case 'complete':
      for (const vm of decision.starts) await write(client, vm, startWrites(vm));
      await patchNode(completePatch(node));
      return recorder.event(node, 'Normal', 'MaintenanceReady', 'No machine runs on the node any more');
    case 'resume':
      for (const vm of decision.starts) {
        await write(client, vm, startWrites(vm));
        recorder.event(vm, 'Normal', 'StartedAfterMaintenance', `The maintenance of node ${name} is over`);
      }
  }
}

const nameOf = ({ metadata }: Vm | Vmi): string => metadata.name ?? '';
const at = ({ metadata }: Vm | Vmi) => ({ namespace: metadata.namespace });

/** The request first: while the mark is on the machine, it is looked at again. */
async function write(client: Client, vm: Vm, { patch, request }: MachineWrites): Promise<void> {
  const options = { namespace: vm.metadata.namespace, type: 'merge' } as const;
  const status = { stateChangeRequests: [request] };
  if (request?.action === 'Start') await client.of(Vm).patchStatus(nameOf(vm), { status }, options);
  if (patch) await client.of(Vm).patch(nameOf(vm), patch, options);
  if (request?.action === 'Stop') await client.of(Vm).patchStatus(nameOf(vm), { status }, options);
}

async function remove(client: Client, vmi: Vmi): Promise<void> {
  const { uid } = vmi.metadata;
  await client
    .of(Vmi)
    .delete(nameOf(vmi), { ...at(vmi), preconditions: { uid } })
    .catch((error: unknown) => {
      if (!isReason(error, 'NotFound', 'Conflict')) throw error;
    });
}
