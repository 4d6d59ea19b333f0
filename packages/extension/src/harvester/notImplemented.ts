import type { Action, ActionResource, MinimumRole, Targets } from '../actions/action.ts';
import { notImplemented } from '../actions/refusals.ts';
import { harvesterAction } from './action.ts';

type Row = readonly [name: string, method: Action['method'], why: string];

const ONE_NODE = 'machines do not move between nodes';

const OF_MACHINES: readonly Row[] = [
  ['migrate', 'PUT', ONE_NODE],
  ['abortMigration', 'PUT', ONE_NODE],
  ['findMigratableNodes', 'GET', ONE_NODE],
  ['backup', 'PUT', 'there is no backup target; the action snapshot keeps the disks on this host'],
  ['createTemplate', 'PUT', 'there are no templates; keep a manifest of the machine, or use clone'],
  ['addNic', 'PUT', 'network cards are plugged in by a restart: edit the spec of the machine'],
  ['removeNic', 'PUT', 'network cards are unplugged by a restart: edit the spec of the machine'],
  ['findHotunpluggableNics', 'GET', 'network cards are unplugged by a restart'],
  ['cpuAndMemoryHotplug', 'PUT', 'CPUs and memory change by a restart: edit the spec of the machine'],
  ['storageMigration', 'PUT', 'disks do not move between storage classes; clone the claim'],
  ['cancelStorageMigration', 'PUT', 'disks do not move between storage classes'],
  ['dismissInsufficientResourceQuota', 'PUT', 'quotas do not change by themselves'],
  ['updateResourceQuota', 'PUT', 'the size of snapshots is not limited'],
  ['deleteResourceQuota', 'PUT', 'the size of snapshots is not limited'],
];

const OF_NODES: readonly Row[] = [
  ['enableCPUManager', 'PUT', 'the host decides on which CPUs guests run'],
  ['disableCPUManager', 'PUT', 'the host decides on which CPUs guests run'],
];

const OF_CLAIMS: readonly Row[] = [
  ['dataMigration', 'PUT', 'disks do not move between storage classes; clone the claim'],
];

const OF_NAMESPACES: readonly Row[] = [
  ['updateResourceQuota', 'PUT', 'the size of snapshots is not limited'],
  ['deleteResourceQuota', 'PUT', 'the size of snapshots is not limited'],
];

const OF_KEY_PAIRS: readonly Row[] = [['keygen', 'PUT', 'there are no key pairs; make one with ssh-keygen']];

const OF_TEMPLATES: readonly Row[] = [['versions', 'GET', 'there are no templates']];

const rows = (
  resource: ActionResource,
  minimumRole: MinimumRole,
  list: readonly Row[],
  { isTargetless = false, isLink = false } = {},
): Action[] =>
  list.map(([name, method, why]) => {
    const action: Action = harvesterAction(resource)({
      name,
      method,
      minimumRole,
      summary: `Not done yet: ${why}.`,
      isNotImplemented: true,
      isTargetless,
      isLink,
      offered: () => false,
      decide: (target) => {
        throw notImplemented(action, nameOf(target), why);
      },
    });
    return action;
  });

const nameOf = (target: Targets[ActionResource]): string =>
  ('object' in target ? target.object : (target.vm ?? target.vmi))?.metadata.name ?? '';

/** What Harvester offers and Vireo does not do yet: known by name, so that the refusal can say so. */
export const NOT_IMPLEMENTED: readonly Action[] = [
  ...rows('virtualmachines', 'edit', OF_MACHINES),
  ...rows('nodes', 'nodes', OF_NODES),
  ...rows('persistentvolumeclaims', 'edit', OF_CLAIMS),
  ...rows('namespaces', 'none', OF_NAMESPACES),
  ...rows('keypairs', 'edit', OF_KEY_PAIRS, { isTargetless: true }),
  ...rows('virtualmachinetemplates', 'view', OF_TEMPLATES, { isTargetless: true, isLink: true }),
];
