import type { ClusterRole, Kind } from '@vireo/api';
import { HARVESTER_GROUP, HARVESTER_SUBRESOURCE_GROUP } from '@vireo/api/kinds/harvester/names.ts';
import { HarvesterQuota } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { kubevirtKinds } from '@vireo/api/kinds/kubevirt/index.ts';
import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import { TEMPLATE_SUBRESOURCE_GROUP } from '@vireo/api/kinds/template/names.ts';
import type { Action, ActionGroup, MinimumRole } from '../actions/action.ts';
import { verbsOf } from '../actions/methods.ts';
import { NAMED_KINDS } from '../objectgraph/dependents.ts';

type Rule = NonNullable<ClusterRole['rules']>[number];

const EDIT_VERBS = ['get', 'delete', 'create', 'update', 'patch', 'list', 'watch'];
const VIEW_VERBS = ['get', 'list', 'watch'];
const SCALE_VERBS = ['get', 'update', 'patch'];
const MIGRATIONS = 'virtualmachineinstancemigrations';

/** What users of VMs may do: KubeVirt's roles, joined to the `admin`, `edit` and `view` that every cluster has. */
export const userRoles = (actions: readonly Action[]) => [
  role('default', {}, [
    rule('kubevirt.io', ['kubevirts'], ['get', 'list']),
    rule(SUBRESOURCE_GROUP, ['version', 'guestfs'], ['get', 'list']),
    // Whoever uploads asks there where to.
    rule('cdi.kubevirt.io', ['cdiconfigs'], VIEW_VERBS),
  ]),
  role('admin', aggregateTo('admin'), [
    ...STORAGE_RULES,
    ...templateRules('process', 'create'),
    ...actionRules(actions, ['view', 'edit', 'admin']),
    ...kindRules([...EDIT_VERBS, 'deletecollection']),
  ]),
  role('edit', aggregateTo('edit'), [
    ...STORAGE_RULES,
    ...templateRules('process', 'create'),
    ...actionRules(actions, ['view', 'edit']),
    ...kindRules(EDIT_VERBS),
    rule('kubevirt.io', ['kubevirts'], ['get', 'list']),
  ]),
  role('view', aggregateTo('view'), [
    ...templateRules('process'),
    ...actionRules(actions, ['view']),
    ...kindRules(VIEW_VERBS),
    rule('kubevirt.io', ['kubevirts'], ['get', 'list']),
  ]),
  role('migrate', {}, [
    ...actionRules(actions, ['migrate']),
    ...rulesOfGroup(actions, HARVESTER_SUBRESOURCE_GROUP, ['migrate']),
    rule('kubevirt.io', [MIGRATIONS], [...EDIT_VERBS, 'deletecollection']),
  ]),
  harvesterRole('admin', aggregateTo('admin'), [
    ...rulesOfGroup(actions, HARVESTER_SUBRESOURCE_GROUP, ['view', 'edit', 'admin']),
    ...objectRules([...EDIT_VERBS, 'deletecollection'], isHarvesterKind),
  ]),
  harvesterRole('edit', aggregateTo('edit'), [
    ...rulesOfGroup(actions, HARVESTER_SUBRESOURCE_GROUP, ['view', 'edit']),
    ...objectRules(EDIT_VERBS, isHarvesterKind),
  ]),
  harvesterRole('view', aggregateTo('view'), [
    ...rulesOfGroup(actions, HARVESTER_SUBRESOURCE_GROUP, ['view']),
    ...objectRules(VIEW_VERBS, isHarvesterKind),
  ]),
  harvesterRole('nodes', {}, rulesOfGroup(actions, HARVESTER_SUBRESOURCE_GROUP, ['nodes'])),
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'kubevirt.io:default', labels: { 'kubevirt.io': '' } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'kubevirt.io:default' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
  },
];

/** What those may do with disks who may change VMs: upload to them, copy them elsewhere, take snapshots of them. */
const STORAGE_RULES: readonly Rule[] = [
  rule('cdi.kubevirt.io', ['datavolumes/source'], ['create']),
  rule('upload.cdi.kubevirt.io', ['uploadtokenrequests'], ['create']),
  rule('snapshot.storage.k8s.io', ['volumesnapshots'], EDIT_VERBS),
];

/** Whoever sees a template may see what comes of it. A VM is made of it with the rights of whoever asks. */
const templateRules = (...actions: string[]): Rule[] => [
  rule(
    TEMPLATE_SUBRESOURCE_GROUP,
    actions.map((action) => `virtualmachinetemplates/${action}`),
    ['create'],
  ),
];

const role = (name: string, labels: Record<string, string>, rules: Rule[]): ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: `kubevirt.io:${name}`, labels: { 'kubevirt.io': '', ...labels } },
  rules,
});

/** The same for Harvester's actions. What reaches beyond a namespace, as nodes do, is a role of its own. */
const harvesterRole = (name: string, labels: Record<string, string>, rules: Rule[]): ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: `harvesterhci.io:${name}`, labels: { 'kubevirt.io': '', ...labels } },
  rules,
});

const aggregateTo = (name: string): Record<string, string> => ({
  [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true',
});

function rule(group: string, resources: string[], verbs: readonly string[]): Rule {
  return { apiGroups: [group], resources, verbs: [...verbs] };
}

function actionRules(actions: readonly Action[], grantees: readonly MinimumRole[]): Rule[] {
  const dependents = NAMED_KINDS.map(({ plural }) => `${plural}/dependents`);
  const beside = grantees.includes('view')
    ? [rule(SUBRESOURCE_GROUP, dependents, ['get']), rule(SUBRESOURCE_GROUP, ['expand-vm-spec'], ['update'])]
    : [];
  return [...rulesOfGroup(actions, SUBRESOURCE_GROUP, grantees), ...beside];
}

/**
 * API servers look at the first segment of a subresource only, so that the right to `evacuate/cancel` takes that to
 * `evacuate` besides. Where the segment is an action of its own, as `vnc`, that one says who has it.
 */
const parentSubresource = (resource: string, name: string): string[] =>
  name.includes('/') && !name.startsWith('vnc/') ? [`${resource}/${name.split('/')[0]}`] : [];

/** One rule for what looks, and one for what changes. */
function rulesOfGroup(actions: readonly Action[], group: ActionGroup, grantees: readonly MinimumRole[]): Rule[] {
  const granted = actions.filter((action) => action.group === group && grantees.includes(action.minimumRole));
  const byMethod = Map.groupBy(granted, ({ method }) => method);
  return [...byMethod.values()].map((alike) =>
    rule(
      group,
      [
        ...new Set(
          alike.flatMap(({ resource, name }) => [`${resource}/${name}`, ...parentSubresource(resource, name)]),
        ),
      ],
      verbsOf(alike[0]!),
    ),
  );
}

/** Migrations and their policies are the administrators': others may look. The installation's settings are in no role. */
function kindRules(verbs: string[]): Rule[] {
  return [...objectRules(verbs, isKubeVirts), ...scaleRules(verbs)];
}

/** Whoever may change a set may scale it, and whoever sees it may see its scale. */
function scaleRules(verbs: readonly string[]): Rule[] {
  const groups = Map.groupBy(
    kubevirtKinds.filter(({ scale }) => scale !== undefined),
    ({ group }) => group,
  );
  return [...groups].map(([group, kinds]) => {
    const resources = new Set(kinds.map(({ plural }) => `${plural}/scale`));
    return rule(
      group,
      [...resources],
      SCALE_VERBS.filter((verb) => verbs.includes(verb)),
    );
  });
}

const isKubeVirts = ({ group, plural }: Kind): boolean => group.endsWith('kubevirt.io') && plural !== 'kubevirts';
/** Settings and the power of hosts are the cluster administrators', who need no role of ours. */
const isHarvesterKind = ({ group, kind }: Kind): boolean => group === HARVESTER_GROUP && kind !== Setting.kind;

function objectRules(verbs: string[], isMeant: (kind: Kind) => boolean): Rule[] {
  // Quotas, too, are set by others than those whom they limit.
  const looked = new Set([MIGRATIONS, 'migrationpolicies', HarvesterQuota.plural]);
  const groups = Map.groupBy(kubevirtKinds.filter(isMeant), ({ group }) => group);
  return [...groups].flatMap(([group, kinds]) => {
    const plurals = [...new Set(kinds.map(({ plural }) => plural))];
    const [seen, changed] = [plurals.filter((name) => looked.has(name)), plurals.filter((name) => !looked.has(name))];
    return [
      ...(changed.length > 0 ? [rule(group, changed, verbs)] : []),
      ...(seen.length > 0 ? [rule(group, seen, VIEW_VERBS)] : []),
    ];
  });
}
