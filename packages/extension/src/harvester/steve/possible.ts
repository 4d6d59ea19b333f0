import type { KubeObject, Persisted, UnknownObject } from '@vireo/api';
import { HARVESTER_SUBRESOURCE_GROUP } from '@vireo/api/kinds/harvester/names.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, keyOf, type UserInfo } from '@vireo/kube';
import type { Action, ActionResource, Targets } from '../../actions/action.ts';
import { steveVerb } from '../../actions/methods.ts';
import { RESOURCES } from '../../actions/resources.ts';
import type { Access } from '../../authorize.ts';
import { rightsOf } from '../../rights.ts';
import { readOnce } from './readOnce.ts';
import type { Possible } from './shape.ts';
import type { SteveType } from './types.ts';

/** The actions and links of a type. */
export const actionsOf = (actions: readonly Action[], { kind }: SteveType): readonly Action[] =>
  actions.filter(
    // Two groups may have kinds of one name, as VirtualMachineTemplate.
    ({ group, resource }) =>
      group === HARVESTER_SUBRESOURCE_GROUP && resource === kind.plural && RESOURCES[resource].group === kind.group,
  );

/** What RBAC is asked when an action is called by the Steve API. */
export const steveAccess = (action: Action, namespace: string | undefined, name: string): Access => ({
  group: action.group,
  verb: steveVerb(action),
  ...(namespace !== undefined && { namespace }),
  resource: action.resource,
  subresource: action.name,
  name,
});

/**
 * What a user may do now with each of the objects: by its state, and by the user's rights. Rights are asked once for a
 * namespace, and by name only where not all is allowed.
 */
export async function possibleFor(
  client: Client,
  user: UserInfo,
  type: SteveType,
  actions: readonly Action[],
  objects: readonly Persisted<UnknownObject>[],
): Promise<Possible[]> {
  const { may } = rightsOf(client, user);
  const context = { client: readOnce(client) };
  const own = actionsOf(actions, type).filter(({ isOfCollection }) => !isOfCollection);
  const targets = own.length > 0 ? await targetsOf(client, type, objects) : [];
  return Promise.all(
    objects.map(async (object, index) => {
      const { namespace, name } = object.metadata;
      const mayDo = (verb: string) =>
        may({ group: type.kind.group, resource: type.kind.plural, verb, namespace, name });
      const verbs = await filter(['update', 'patch', 'delete'], mayDo);
      const shown = await filter(own, async (action) => {
        const target = targets[index] as AnyTarget;
        if (!action.isLink && !(await action.isListed?.(target, context))) return false;
        return may(steveAccess(action, namespace, name));
      });
      const names = (isLink: boolean) =>
        shown.filter((each) => (each.isLink ?? false) === isLink).map((each) => each.name);
      return { verbs: new Set(verbs), actions: names(false), links: names(true) };
    }),
  );
}

/** Each is of the type's own resource. */
type AnyTarget = Targets['virtualmachines'] & Targets['virtualmachineinstances'] & Targets['nodes'];

async function targetsOf(
  client: Client,
  { kind }: SteveType,
  objects: readonly Persisted<UnknownObject>[],
): Promise<Targets[ActionResource][]> {
  if (kind.plural !== 'virtualmachines') return objects.map((object) => ({ object }) as unknown as Targets['nodes']);
  const vmis = await vmisOf(client, objects);
  return objects.map((object) => ({ vm: object as KubeObject as Vm, vmi: vmis.get(keyOf(object)) }));
}

/** The VMIs of VMs, by key: one list for many. */
async function vmisOf(client: Client, objects: readonly Persisted<UnknownObject>[]) {
  const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace));
  const [namespace] = namespaces;
  const [object] = objects;
  if (!object) return new Map<string, Vmi>();
  const vmis = client.of(VirtualMachineInstance);
  const { items } = await vmis.list({
    ...(namespaces.size === 1 && { namespace }),
    ...(objects.length === 1 && { fieldSelector: `metadata.name=${object.metadata.name}` }),
  });
  return new Map(items.map((each) => [keyOf(each), each]));
}

async function filter<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T[]> {
  const passed = await Promise.all(items.map(test));
  return items.filter((_, index) => passed[index]);
}
