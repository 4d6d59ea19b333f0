import type { Action, ActionResource, MinimumRole, Targets } from '../actions/action.ts';
import { notImplemented } from '../actions/refusals.ts';
import { harvesterAction } from './action.ts';

type Row = readonly [name: string, method: Action['method'], why: string];

const OF_VMS: readonly Row[] = [
  ['backup', 'PUT', 'Vireo has no backup targets; the action snapshot keeps a copy of the disks on this host'],
  ['createTemplate', 'PUT', 'Vireo has no VM templates; keep the manifest of the VM, or use the action clone'],
  ['cpuAndMemoryHotplug', 'PUT', "changing CPUs or memory needs a restart; edit the VM's spec"],
  ['storageMigration', 'PUT', 'Vireo does not move disks between storage classes; clone the claim'],
  ['cancelStorageMigration', 'PUT', 'Vireo does not move disks between storage classes'],
  ['dismissInsufficientResourceQuota', 'PUT', 'Vireo does not adjust quotas automatically'],
  ['updateResourceQuota', 'PUT', 'Vireo does not limit the size of snapshots'],
  ['deleteResourceQuota', 'PUT', 'Vireo does not limit the size of snapshots'],
];

const OF_NODES: readonly Row[] = [
  ['enableCPUManager', 'PUT', 'the host decides which CPUs guests run on'],
  ['disableCPUManager', 'PUT', 'the host decides which CPUs guests run on'],
];

const OF_CLAIMS: readonly Row[] = [
  ['dataMigration', 'PUT', 'Vireo does not move disks between storage classes; clone the claim'],
];

const OF_NAMESPACES: readonly Row[] = [
  ['updateResourceQuota', 'PUT', 'Vireo does not limit the size of snapshots'],
  ['deleteResourceQuota', 'PUT', 'Vireo does not limit the size of snapshots'],
];

const OF_KEY_PAIRS: readonly Row[] = [['keygen', 'PUT', 'Vireo has no key pairs; create one with ssh-keygen']];

const OF_TEMPLATES: readonly Row[] = [['versions', 'GET', 'Vireo has no VM templates']];

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
      summary: `Not implemented: ${why}.`,
      isNotImplemented: true,
      isTargetless,
      isLink,
      isListed: () => false,
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
  ...rows('virtualmachines', 'edit', OF_VMS),
  ...rows('nodes', 'nodes', OF_NODES),
  ...rows('persistentvolumeclaims', 'edit', OF_CLAIMS),
  ...rows('namespaces', 'none', OF_NAMESPACES),
  ...rows('keypairs', 'edit', OF_KEY_PAIRS, { isTargetless: true }),
  ...rows('virtualmachinetemplates', 'view', OF_TEMPLATES, { isTargetless: true, isLink: true }),
];
