import { ApiError, conditionOf, field, type Infer, type Node, type Persisted } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import {
  INVENTORY_NAMESPACE,
  INVENTORY_READY,
  Inventory,
  MACHINE_NOT_CONTACTABLE,
  POWER_OPERATIONS,
} from '@vireo/api/kinds/harvester/inventory.ts';
import { isInMaintenance } from '@vireo/api/kinds/harvester/maintenance.ts';
import { MAINTAIN_STATUS } from '@vireo/api/kinds/harvester/names.ts';
import { string, struct } from '@vireo/api/schema.ts';
import type { Client } from '@vireo/kube';
import type { Action } from '../../actions/action.ts';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';
import { nodeConflict } from './states.ts';

const PowerActionInput = struct('io.harvesterhci.v1beta1.PowerActionInput', 'Power operation on the host.', {
  operation: required(string, 'shutdown, poweron or reboot.'),
});
interface PowerActionInput extends Infer<typeof PowerActionInput> {}

const needs = (...verbs: string[]): NonNullable<Action['needs']> => [
  { apiGroups: [Inventory.group], resources: [Inventory.plural], verbs },
];

export const powerActionPossible = harvesterAction('nodes')({
  name: 'powerActionPossible',
  method: 'GET',
  minimumRole: 'nodes',
  summary: 'Responds with 204 if the host has a BMC that answers; with 424 if no Inventory names one.',
  refuses: [424],
  needs: needs('get'),
  isListed: () => true,
  decide: ({ object }) => ({
    type: 'lookup',
    decide: async ({ client }) => {
      await readyInventory(object, client);
      return { type: 'write', writes: [] };
    },
  }),
});

export const powerAction = harvesterAction('nodes')<PowerActionInput>({
  name: 'powerAction',
  method: 'PUT',
  minimumRole: 'nodes',
  summary: 'Shuts the host down, powers it on or reboots it through its BMC; 424 if no Inventory names one.',
  refuses: [424],
  needs: needs('get', 'patch'),
  body: PowerActionInput,
  isListed: ({ object }) => Boolean(object.metadata.annotations?.[MAINTAIN_STATUS]),
  async act({ object }, { body: { operation } }, { client, dryRun }) {
    if (!(POWER_OPERATIONS as readonly string[]).includes(operation)) {
      const error = field.notSupported('operation', [operation], [...POWER_OPERATIONS]);
      throw invalidField(error, { kind: 'PowerActionInput' });
    }
    const inventory = await readyInventory(object, client);
    const { actionStatus, lastActionRequested } = inventory.status?.powerAction ?? {};
    const pending = inventory.spec.powerActionRequested || (actionStatus === 'running' && lastActionRequested);
    if (pending) throw nodeConflict(object, `its power operation ${pending} is not finished`);
    if (operation !== 'poweron' && !isInMaintenance(object))
      throw nodeConflict(object, 'it is not in maintenance, and VMs may run there: call enableMaintenanceMode first');
    await client.of(Inventory).patchIfUnchanged(inventory, { spec: { powerActionRequested: operation } }, { dryRun });
    return undefined;
  },
});

const FAILED_DEPENDENCY = 424;

/** The Inventory of a node whose BMC answers. */
async function readyInventory(node: Persisted<Node>, client: Client): Promise<Persisted<Inventory>> {
  const { name } = node.metadata;
  const inventory = await client.of(Inventory).find(name, { namespace: INVENTORY_NAMESPACE });
  if (!inventory) throw noSwitch(name);
  if (inventory.status?.status === INVENTORY_READY) return inventory;
  const { message = 'it has not been asked yet' } = conditionOf(inventory, MACHINE_NOT_CONTACTABLE) ?? {};
  throw nodeConflict(node, `its BMC is not ready: ${message}`);
}

const noSwitch = (name: string): ApiError =>
  new ApiError(
    undefined,
    `Vireo cannot control the power of node "${name}", because there is no Inventory ${INVENTORY_NAMESPACE}/${name} that ` +
      'names its baseboard management controller (BMC). Create one, or shut down or start the host directly',
    { name, kind: 'nodes' },
    FAILED_DEPENDENCY,
  );
