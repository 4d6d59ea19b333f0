import { field, type Infer, isDeleting, notFound } from '@vireo/api';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { optional, required } from '@vireo/api/kinds/customResource.ts';
import { CREATOR, NODE_DRIVER, STORAGE_NETWORK } from '@vireo/api/kinds/harvester/names.ts';
import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { list, string, struct } from '@vireo/api/schema.ts';
import type { PlanContext, SettledPlan, Targets } from '../../actions/action.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { cniPlugin } from '../../cniConfig.ts';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';

type Target = Targets['virtualmachines'];

const AddNicInput = struct('io.harvesterhci.v1beta1.AddNicInput', 'Network interface to plug in.', {
  interfaceName: required(string, 'Name of the interface and of its network.'),
  networkName: required(string, 'NetworkAttachmentDefinition, as namespace/name or name.'),
  macAddress: optional(string, 'MAC address. If empty, the system generates one.'),
});
interface AddNicInput extends Infer<typeof AddNicInput> {}

const RemoveNicInput = struct('io.harvesterhci.v1beta1.RemoveNicInput', 'Network interface to unplug.', {
  interfaceName: required(string, 'Name of the interface.'),
});
interface RemoveNicInput extends Infer<typeof RemoveNicInput> {}

const HotunpluggableNics = struct('io.harvesterhci.v1beta1.HotunpluggableNics', 'Interfaces that can be unplugged.', {
  interfaces: required(list(string), 'Names of the interfaces.'),
});

const DEFINITIONS = { group: NetworkAttachmentDefinition.group, resource: NetworkAttachmentDefinition.plural };
const MAC = /^[\da-f]{2}([:-][\da-f]{2}){5}$/i;

/** The network interfaces of a VM; one whose template says nothing of them has those that it was started with. */
function cardsOf({ vm, vmi }: Target): {
  readonly interfaces: readonly Interface[];
  readonly networks: readonly Network[];
} {
  const own = vm.spec.template.spec;
  const spec = own?.domain.devices?.interfaces?.length ? own : (vmi?.spec ?? own);
  return { interfaces: spec?.domain.devices?.interfaces ?? [], networks: spec?.networks ?? [] };
}

/** Why nothing can be plugged into a VM now. Unlike Harvester's, it need not migrate for that, nor know its addresses. */
function obstacle({ vm, vmi }: Target): string | undefined {
  if (!vmi || !isRunning(vmi) || isDeleting(vmi)) return 'it is not running; edit spec.template, and start it';
  if (vm.metadata.labels?.[CREATOR] === NODE_DRIVER) return 'it is a node of a guest cluster';
  if (vmi.spec.domain.devices?.disableHotplug) return 'its spec.template.spec.domain.devices.disableHotplug is true';
  return undefined;
}

/** Why an interface cannot be unplugged. */
function fixed(target: Target, { name, bridge, model, state }: Interface): string | undefined {
  const { interfaces, networks } = cardsOf(target);
  if (state === 'absent') return `interface ${name} is being unplugged already`;
  if (!bridge) return `interface ${name} does not have the binding bridge`;
  if (model && model !== 'virtio') return `interface ${name} has the model ${model}, not virtio`;
  const network = networks.find((each) => each.name === name);
  if (network?.pod || network?.multus?.default) return `interface ${name} is on the default network`;
  return interfaces.length > 1 ? undefined : `interface ${name} is its only one`;
}

const unpluggable = (target: Target): string[] =>
  cardsOf(target)
    .interfaces.filter((card) => fixed(target, card) === undefined)
    .map(({ name }) => name);

const isUnpluggable = (target: Target): boolean => obstacle(target) === undefined && unpluggable(target).length > 0;

const cardsPlan = (interfaces: readonly Interface[], networks: readonly Network[]): SettledPlan => ({
  type: 'write',
  writes: [{ to: 'vm', patch: { spec: { template: { spec: { networks, domain: { devices: { interfaces } } } } } } }],
});

export const addNic = harvesterAction('virtualmachines')<AddNicInput>({
  name: 'addNic',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Plugs a network interface into the running VM, without a migration.',
  body: AddNicInput,
  needs: [{ apiGroups: [DEFINITIONS.group], resources: [DEFINITIONS.resource], verbs: ['get'] }],
  isListed: (target) => obstacle(target) === undefined,
  decide(target, { body }) {
    const { vm } = target;
    const why = obstacle(target);
    if (why) throw vmConflict(vm, why);
    const { interfaceName: name, macAddress } = body;
    if (macAddress && !MAC.test(macAddress))
      throw invalidField(field.invalid('macAddress', macAddress, 'must be a MAC address such as 02:00:00:00:00:01'));
    if (cardsOf(target).interfaces.some((card) => card.name === name))
      throw vmConflict(vm, `it has an interface ${name} already`);
    return { type: 'lookup', decide: (context) => plugIn(target, body, context) };
  },
});

async function plugIn(target: Target, body: AddNicInput, { client }: PlanContext): Promise<SettledPlan> {
  const { interfaceName: name, networkName, macAddress } = body;
  const [definitionName = '', namespace = target.vm.metadata.namespace ?? '', ...more] = networkName
    .split('/')
    .reverse();
  if (more.length > 0) throw invalidField(field.invalid('networkName', networkName, 'must be namespace/name or name'));
  const definition = await client.of(NetworkAttachmentDefinition).find(definitionName, { namespace });
  if (!definition) throw notFound(DEFINITIONS, networkName);
  const type = cniPlugin(definition.spec?.config)?.type;
  if (type !== 'bridge' && type !== 'cnv-bridge')
    throw invalidField(
      field.invalid(
        'networkName',
        networkName,
        `is of the CNI type ${JSON.stringify(type)}; only bridges can be plugged in`,
      ),
    );
  if (definition.metadata.annotations?.[STORAGE_NETWORK] === 'true')
    throw invalidField(field.invalid('networkName', networkName, 'is a network of the system'));
  const { interfaces, networks } = cardsOf(target);
  return cardsPlan(
    [...interfaces, { name, model: 'virtio', bridge: {}, ...(macAddress && { macAddress }) }],
    [...networks, { name, multus: { networkName } }],
  );
}

export const removeNic = harvesterAction('virtualmachines')<RemoveNicInput>({
  name: 'removeNic',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Unplugs a network interface from the running VM, without a migration.',
  body: RemoveNicInput,
  isListed: isUnpluggable,
  decide(target, { body: { interfaceName } }) {
    const { interfaces, networks } = cardsOf(target);
    const card = interfaces.find(({ name }) => name === interfaceName);
    const obstructed = obstacle(target);
    if (obstructed) throw vmConflict(target.vm, obstructed);
    if (!card) throw invalidField(field.invalid('interfaceName', interfaceName, 'the VM has no such interface'));
    const why = fixed(target, card);
    if (why) throw vmConflict(target.vm, why);
    return cardsPlan(
      interfaces.map((each) => (each === card ? { ...card, state: 'absent' } : each)),
      networks,
    );
  },
});

export const findHotunpluggableNics = harvesterAction('virtualmachines')({
  name: 'findHotunpluggableNics',
  method: 'GET',
  minimumRole: 'edit',
  summary: 'Lists the network interfaces that `removeNic` can unplug.',
  response: { status: 200, schema: HotunpluggableNics },
  isListed: isUnpluggable,
  decide(target) {
    const why = obstacle(target);
    if (why) throw vmConflict(target.vm, why);
    return { type: 'respond', respond: async () => ({ interfaces: unpluggable(target) }) };
  },
});
