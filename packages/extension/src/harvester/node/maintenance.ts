import { field, type Infer, Node, type Persisted } from '@vireo/api';
import { optional, required } from '@vireo/api/kinds/customResource.ts';
import { isInMaintenance } from '@vireo/api/kinds/harvester/maintenance.ts';
import { DRAIN_FORCED, DRAIN_REQUESTED, MAINTAIN_STATUS } from '@vireo/api/kinds/harvester/names.ts';
import { list, string, struct } from '@vireo/api/schema.ts';
import { keyOf } from '@vireo/kube';
import type { Action, PlanContext, SettledPlan } from '../../actions/action.ts';
import { harvesterAction } from '../action.ts';
import { invalidInput } from '../input.ts';
import { withoutDrain } from './cordon.ts';
import { immovable, unhealthyVms } from './guests.ts';
import { maintenanceObstacle, nodeConflict, PATCH_NODES } from './states.ts';

const MaintenanceModeInput = struct('io.harvesterhci.v1beta1.MaintenanceModeInput', 'Options for maintenance mode.', {
  force: optional(
    string,
    '"true" shuts down VMs that cannot move and have no maintenance strategy; they are not started again.',
  ),
});
interface MaintenanceModeInput extends Infer<typeof MaintenanceModeInput> {}

const UnhealthyVmsSchema = struct(
  'io.harvesterhci.v1beta1.UnhealthyVM',
  'VMs that maintenance would stop, for one reason.',
  {
    message: required(string, 'Reason why these VMs cannot move.'),
    vms: required(list(string), 'VMs, as namespace/name.'),
  },
);

const FLAGS = ['true', 'false'];

const LIST_VMS: NonNullable<Action['needs']> = [
  ...PATCH_NODES,
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachines', 'virtualmachineinstances'], verbs: ['list'] },
];

export const maintenancePossible = harvesterAction('nodes')({
  name: 'maintenancePossible',
  method: 'GET',
  minimumRole: 'nodes',
  summary: 'Responds with 204 if enableMaintenanceMode would begin now, or with the reason why it would not.',
  needs: LIST_VMS,
  query: [
    { name: 'force', type: 'string', description: 'Whether it would be forced, as in the input of that action.' },
  ],
  isListed: () => true,
  decide: ({ object }, { query }) => ({
    type: 'lookup',
    decide: async (context) => {
      await expectPossible(object, query.get('force') === 'true', context);
      return { type: 'write', writes: [] };
    },
  }),
});

export const enableMaintenanceMode = harvesterAction('nodes')<MaintenanceModeInput>({
  name: 'enableMaintenanceMode',
  method: 'PUT',
  minimumRole: 'nodes',
  summary:
    'Cordons the node, migrates its VMs to other nodes, and shuts down those whose maintenance strategy says so.',
  body: MaintenanceModeInput,
  needs: LIST_VMS,
  isListed: ({ object }) => !isInMaintenance(object),
  decide({ object }, { body }) {
    // Something else would be taken for no, and the response would not say so.
    if (body.force && !FLAGS.includes(body.force))
      throw invalidInput(MaintenanceModeInput, [field.notSupported('force', body.force, FLAGS)]);
    return { type: 'lookup', decide: (context) => request(object, body.force === 'true', context) };
  },
});

async function request(node: Persisted<Node>, isForced: boolean, context: PlanContext): Promise<SettledPlan> {
  await expectPossible(node, isForced, context);
  const annotations = { [DRAIN_REQUESTED]: 'true', ...(isForced && { [DRAIN_FORCED]: 'true' }) };
  return { type: 'write', writes: [{ to: 'object', patch: { metadata: { annotations } } }] };
}

async function expectPossible(node: Persisted<Node>, isForced: boolean, { client }: PlanContext): Promise<void> {
  const { items } = await client.of(Node).list();
  const why = maintenanceObstacle(node, items);
  if (why) throw nodeConflict(node, why);
  const inTheWay = isForced ? [] : await immovable(client, node);
  if (inTheWay.length > 0)
    throw nodeConflict(
      node,
      `${inTheWay.map(keyOf).join(', ')} cannot move to another node. Stop them, give their VMs the label ` +
        'harvesterhci.io/maintain-mode-strategy (Shutdown, ShutdownAndRestartAfterEnable or ' +
        'ShutdownAndRestartAfterDisable), or call enableMaintenanceMode with {"force": "true"}',
    );
}

export const disableMaintenanceMode = harvesterAction('nodes')({
  name: 'disableMaintenanceMode',
  method: 'PUT',
  minimumRole: 'nodes',
  summary: 'Ends maintenance, and starts the VMs that it stopped if their maintenance strategy says so.',
  needs: PATCH_NODES,
  isListed: ({ object }) => isInMaintenance(object),
  decide({ object }) {
    if (!isInMaintenance(object)) throw nodeConflict(object, 'it is not in maintenance');
    const annotations = { [DRAIN_REQUESTED]: null, [DRAIN_FORCED]: null, [MAINTAIN_STATUS]: null };
    const spec = { unschedulable: null, taints: withoutDrain(object) };
    return { type: 'write', writes: [{ to: 'object', patch: { metadata: { annotations }, spec } }] };
  },
});

export const listUnhealthyVM = harvesterAction('nodes')({
  name: 'listUnhealthyVM',
  method: 'GET',
  minimumRole: 'nodes',
  summary: 'Lists the VMs that maintenance of the node would stop, grouped by reason.',
  response: { status: 200, schema: list(UnhealthyVmsSchema) },
  needs: LIST_VMS,
  isListed: () => true,
  decide: ({ object }) => ({ type: 'respond', respond: ({ client }) => unhealthyVms(client, object) }),
});
