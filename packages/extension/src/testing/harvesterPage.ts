import type { Action, ActionResource } from '../actions/action.ts';
import { methodsOf } from '../actions/methods.ts';
import { isPathNamespaced, RESOURCES } from '../actions/resources.ts';
import { NOT_IMPLEMENTED } from '../harvester/notImplemented.ts';

const BOUND = 'it is bound and not being expanded';

/** When an action is among the `actions` of an object, in words: `offered` of its entry says the same in code. */
export const OFFERED_WHEN: Readonly<Record<string, string>> = {
  'virtualmachines/start': 'nothing runs, and no start is pending',
  'virtualmachines/stop':
    'the run strategy is not `Halted`; with `Manual` and `RerunOnFailure`, an instance runs or is starting',
  'virtualmachines/restart':
    'there is an instance, no start is pending, and the run strategy is neither `Halted` nor `Once`',
  'virtualmachines/softreboot': 'the instance runs, is not paused and has no liveness probe',
  'virtualmachines/pause': 'the instance runs, is not paused and has no liveness probe',
  'virtualmachines/unpause': 'the instance is paused',
  'virtualmachines/forceStop': 'the machine is `Stopping`',
  'virtualmachines/addVolume': 'always',
  'virtualmachines/removeVolume': 'always',
  'virtualmachines/snapshot':
    'the machine can be kept: it is off or runs, nothing of it is going, and no snapshot is being made',
  'virtualmachines/restore': 'the machine is off and has a snapshot',
  'virtualmachines/clone': 'always',
  'virtualmachines/insertCdRomVolume': 'a CD-ROM drive is empty, and every empty one is on SATA',
  'virtualmachines/ejectCdRomVolume': 'a CD-ROM drive has a disc that can be ejected, and every such one is on SATA',
  'virtualmachines/ejectCdRom': 'the machine is ready and has a CD-ROM drive',
  'nodes/cordon': 'machines may be placed on it',
  'nodes/uncordon': 'no machines may be placed on it, and it is not in maintenance',
  'nodes/maintenancePossible': 'always',
  'nodes/enableMaintenanceMode': 'it is not in maintenance',
  'nodes/disableMaintenanceMode': 'it is in maintenance',
  'nodes/listUnhealthyVM': 'always',
  'nodes/powerActionPossible': 'always',
  'nodes/powerAction': 'never: there is no controller of the board to ask',
  'persistentvolumeclaims/export': BOUND,
  'persistentvolumeclaims/clone': BOUND,
  'persistentvolumeclaims/snapshot': `${BOUND}, and somebody makes snapshots of its class`,
  'persistentvolumeclaims/cancelExpand': 'it is being expanded',
  'volumesnapshots/restore': 'it is ready to use',
  'virtualmachineimages/upload': 'its source is an upload that has not come yet',
  'virtualmachineimages/download': 'always, as a link',
  'virtualmachineimages/downloadcancel': 'always, as a link',
  'upgradelogs/generate': 'it has been started',
  'upgradelogs/download': 'always, as a link',
};

const HEADINGS: Partial<Readonly<Record<ActionResource, string>>> = {
  virtualmachines: 'Machines',
  nodes: 'Nodes',
  persistentvolumeclaims: 'Claims',
  volumesnapshots: 'Snapshots of volumes',
  virtualmachineimages: 'Images',
  upgradelogs: 'Upgrade logs',
};

export const nameOf = ({ resource, name }: Action): string => `${resource}/${name}`;

/** Every action of Harvester's as Markdown: what works by resource, and what is refused. */
export function harvesterActionsAsMarkdown(actions: readonly Action[]): string {
  const done = actions.filter((action) => !NOT_IMPLEMENTED.includes(action));
  const sections = [...Map.groupBy(done, ({ resource }) => resource)].map(([resource, own]) =>
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
  const refused = actions
    .filter((action) => NOT_IMPLEMENTED.includes(action))
    .map((action) => {
      const why = action.summary.replace(/^Not done yet: (.*)\.$/, '$1');
      return `| \`${nameOf(action)}\` | ${methodsOf(action).join(', ')} | ${why} |`;
    });
  return [
    ...sections,
    '### Refused',
    '',
    'Known by name, never offered, and answered with 501 and the reason:',
    '',
    '| action | method | why |',
    '|---|---|---|',
    ...refused,
    '',
  ].join('\n');
}

const steveTypeOf = (resource: ActionResource): string => {
  const { group, plural } = RESOURCES[resource];
  return group === '' ? plural : `${group}.${plural}`;
};

function row(action: Action): string {
  const { name, minimumRole, summary, isLink } = action;
  const methods = `${methodsOf(action).join(', ')}${isLink ? '; Steve: a link' : ''}`;
  return `| \`${name}\` | ${methods} | ${bodyOf(action)} | ${OFFERED_WHEN[nameOf(action)] ?? '–'} | ${minimumRole} | ${summary} |`;
}

function bodyOf({ body, takesData }: Action): string {
  if (takesData) return 'the data';
  const fields = Object.entries(body?.properties ?? {});
  if (fields.length === 0) return '–';
  return fields.map(([field, { required }]) => (required ? `**\`${field}\`**` : `\`${field}\``)).join(', ');
}
