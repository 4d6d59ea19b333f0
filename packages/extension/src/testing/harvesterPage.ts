import type { Action, ActionResource } from '../actions/action.ts';
import { methodsOf } from '../actions/methods.ts';
import { isPathNamespaced, RESOURCES } from '../actions/resources.ts';

const BOUND = 'the claim is bound and is not being expanded';

/** When an action is among the `actions` of an object, in words: `isListed` of its entry says the same in code. */
export const LISTED_WHEN: Readonly<Record<string, string>> = {
  'virtualmachines/start': 'the VM is not running and no start is pending',
  'virtualmachines/stop':
    'the run strategy is not `Halted`; with `Manual` or `RerunOnFailure`, only if a VMI runs or is starting',
  'virtualmachines/restart': 'a VMI exists, no start is pending, and the run strategy is neither `Halted` nor `Once`',
  'virtualmachines/softreboot': 'the VMI is running, is not paused, and has no liveness probe',
  'virtualmachines/pause': 'the VMI is running, is not paused, and has no liveness probe',
  'virtualmachines/unpause': 'the VMI is paused',
  'virtualmachines/forceStop': 'the VM is `Stopping`',
  'virtualmachines/addVolume': 'always',
  'virtualmachines/removeVolume': 'always',
  'virtualmachines/snapshot': 'the VM is stopped or running, is not being deleted, and no snapshot is in progress',
  'virtualmachines/backup':
    'the VM is stopped or running, is not being deleted, no snapshot is in progress, and a backup target is usable',
  'virtualmachines/restore': 'the VM is stopped and has a backup or a snapshot that is ready',
  'virtualmachines/clone': 'always',
  'virtualmachines/createTemplate': 'the VM is stopped or running, and is not being deleted',
  'virtualmachines/updateResourceQuota': 'always',
  'virtualmachines/deleteResourceQuota': 'always',
  'virtualmachines/dismissInsufficientResourceQuota':
    'the VM has the annotation `harvesterhci.io/insufficient-resource-quota`',
  'namespaces/updateResourceQuota': 'always',
  'namespaces/deleteResourceQuota': 'always',
  'virtualmachinetemplates/versions': 'always, as a link',
  'keypairs/keygen': 'always, of the collection',
  'virtualmachines/insertCdRomVolume': 'a CD-ROM drive is empty, and all empty drives are on SATA',
  'virtualmachines/ejectCdRomVolume': 'a CD-ROM drive has a disc that can be ejected, and all such drives are on SATA',
  'virtualmachines/ejectCdRom': 'the VM is ready and has a CD-ROM drive',
  'virtualmachines/migrate':
    'there are two nodes, the VMI is running, has no devices of its host, its `LiveMigratable` is not False, its node selector names no host, and it does not migrate yet',
  'virtualmachines/abortMigration': 'the VMI migrates, and nobody has cancelled that',
  'virtualmachines/findMigratableNodes': 'with `migrate`',
  'virtualmachines/storageMigration':
    'the VMI is running, has a disk on a claim, and neither it nor a disk of it moves yet',
  'virtualmachines/cancelStorageMigration': 'a disk of the VM moves to another claim',
  'virtualmachines/addNic':
    'the VMI is running, has hotplug enabled, and is not a node of a guest cluster (a label of Harvester’s node driver)',
  'virtualmachines/removeNic':
    'as `addNic`, and an interface can be unplugged: binding `bridge`, model virtio, not on the default network, not the only one',
  'virtualmachines/findHotunpluggableNics': 'with `removeNic`',
  'virtualmachines/cpuAndMemoryHotplug':
    'the VMI is running, its sockets have one core and one thread, the annotation `harvesterhci.io/enableCPUAndMemoryHotplug` is `true`, no restart is required, and no earlier change is under way',
  'nodes/cordon': 'the node is schedulable',
  'nodes/uncordon': 'the node is unschedulable and not in maintenance',
  'nodes/maintenancePossible': 'always',
  'nodes/enableMaintenanceMode': 'the node is not in maintenance',
  'nodes/disableMaintenanceMode': 'the node is in maintenance',
  'nodes/listUnhealthyVM': 'always',
  'nodes/powerActionPossible': 'always',
  'nodes/powerAction': 'the annotation `harvesterhci.io/maintain-status` of the node is not empty',
  'nodes/enableCPUManager': 'the node has no label `kubevirt.io/cpumanager=true`, and its policy is not being changed',
  'nodes/disableCPUManager': 'the node has that label, and its policy is not being changed',
  'persistentvolumeclaims/export': BOUND,
  'persistentvolumeclaims/clone': BOUND,
  'persistentvolumeclaims/snapshot': `${BOUND}, and its storage class supports snapshots`,
  'persistentvolumeclaims/dataMigration': `${BOUND}, and no running VM uses it`,
  'persistentvolumeclaims/cancelExpand': 'the claim is being expanded',
  'volumesnapshots/restore': 'the snapshot is ready to use',
  'virtualmachineimages/upload': "the image's source type is `upload` and its data is missing",
  'virtualmachineimages/download': 'always, as a link',
  'virtualmachineimages/downloadcancel': 'always, as a link',
  'upgradelogs/generate': 'the log collection has started',
  'upgradelogs/download': 'always, as a link',
};

const HEADINGS: Partial<Readonly<Record<ActionResource, string>>> = {
  virtualmachines: 'VMs',
  nodes: 'Nodes',
  persistentvolumeclaims: 'Claims',
  volumesnapshots: 'Volume snapshots',
  virtualmachineimages: 'Images',
  upgradelogs: 'Upgrade logs',
  virtualmachinetemplates: 'Templates',
  keypairs: 'Key pairs',
  namespaces: 'Namespaces',
};

export const nameOf = ({ resource, name }: Action): string => `${resource}/${name}`;

/** Every action of Harvester's as Markdown, by resource. */
export function harvesterActionsAsMarkdown(actions: readonly Action[]): string {
  const sections = [...Map.groupBy(actions, ({ resource }) => resource)].map(([resource, own]) =>
    [
      `### ${HEADINGS[resource] ?? resource}`,
      '',
      `Subresource: \`…/${isPathNamespaced(resource) ? 'namespaces/{namespace}/' : ''}${resource}/{name}/{action}\`. Steve: \`/v1/harvester/${steveTypeOf(resource)}/${RESOURCES[resource].namespaced ? '{namespace}/' : ''}{name}?action={action}\`.`,
      '',
      '| action | method | body | offered when | role | what it does |',
      '|---|---|---|---|---|---|',
      ...own.map(row),
      '',
    ].join('\n'),
  );
  return sections.join('\n');
}

const steveTypeOf = (resource: ActionResource): string => {
  const { group, plural } = RESOURCES[resource];
  return group === '' ? plural : `${group}.${plural}`;
};

function row(action: Action): string {
  const { name, minimumRole, summary, isLink } = action;
  const methods = `${methodsOf(action).join(', ')}${isLink ? '; Steve: a link' : ''}`;
  return `| \`${name}\` | ${methods} | ${bodyOf(action)} | ${LISTED_WHEN[nameOf(action)] ?? '–'} | ${minimumRole} | ${summary} |`;
}

function bodyOf({ body, takesData }: Action): string {
  if (takesData) return 'the data';
  const fields = Object.entries(body?.properties ?? {});
  if (fields.length === 0) return '–';
  return fields.map(([field, { required }]) => (required ? `**\`${field}\`**` : `\`${field}\``)).join(', ');
}
