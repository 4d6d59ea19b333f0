import type { Binding, Role, Rule, Subject } from '../../data/accessKinds.ts';
import type { Permission } from '../actions.ts';
import { allows } from './rules.ts';

const of = (verb: string, resource: string, subresource?: string): Permission => ({
  verb,
  group: subresource ? 'subresources.kubevirt.io' : 'kubevirt.io',
  resource,
  ...(subresource && { subresource }),
});

/** What people want to know about a machine, and the permissions that it takes. */
export const ABILITIES: readonly { readonly title: string; readonly needs: readonly Permission[] }[] = [
  { title: 'See', needs: [of('get', 'virtualmachines'), of('get', 'virtualmachineinstances')] },
  { title: 'Console', needs: [of('get', 'virtualmachineinstances', 'console')] },
  { title: 'Start, stop', needs: [of('update', 'virtualmachines', 'start'), of('update', 'virtualmachines', 'stop')] },
  { title: 'Change', needs: [of('update', 'virtualmachines')] },
  { title: 'Delete', needs: [of('delete', 'virtualmachines')] },
  { title: 'Migrate', needs: [of('update', 'virtualmachines', 'migrate')] },
];

/** Where a right comes from. */
export interface Source {
  readonly binding: string;
  readonly role: string;
  readonly isCluster: boolean;
}

/** Somebody, with what they may do. */
export interface Holder {
  readonly key: string;
  readonly subject: Subject;
  /** One for each of ABILITIES. */
  readonly abilities: readonly boolean[];
  readonly sources: readonly Source[];
}

export interface Known {
  readonly bindings: readonly Binding[];
  readonly clusterBindings: readonly Binding[];
  readonly roles: readonly Role[];
  readonly clusterRoles: readonly Role[];
}

export interface Who {
  readonly holders: readonly Holder[];
  /** Roles that bindings name and that cannot be seen: their subjects may be able to do more than is shown. */
  readonly unknownRoles: readonly string[];
}

/** Subjects and what they may do with the machines of a namespace, or with one of them. */
export function whoMay({ bindings, clusterBindings, roles, clusterRoles }: Known, machine?: string): Who {
  const rulesOf = new Map<string, readonly Rule[]>([
    ...roles.map((role) => [`Role ${role.metadata.name}`, role.rules ?? []] as const),
    ...clusterRoles.map((role) => [`ClusterRole ${role.metadata.name}`, role.rules ?? []] as const),
  ]);
  const unknown = new Set<string>();
  const gathered = new Map<string, { subject: Subject; rules: Rule[]; sources: Source[] }>();
  const gather = (binding: Binding, isCluster: boolean): void => {
    const role = `${binding.roleRef.kind} ${binding.roleRef.name}`;
    const rules = rulesOf.get(role);
    if (!rules) unknown.add(role);
    // A binding counts only if its role is about machines.
    if (!rules || !ABILITIES.some(({ needs }) => needs.some((need) => allows(rules, need, machine)))) return;
    for (const subject of binding.subjects ?? []) {
      const entry = gathered.get(subjectKey(subject)) ?? { subject, rules: [], sources: [] };
      entry.rules.push(...rules);
      entry.sources.push({ binding: binding.metadata.name, role: binding.roleRef.name, isCluster });
      gathered.set(subjectKey(subject), entry);
    }
  };
  for (const binding of bindings) gather(binding, false);
  for (const binding of clusterBindings) gather(binding, true);
  const holders = [...gathered]
    .map(([key, { subject, rules, sources }]) => ({
      key,
      subject,
      abilities: ABILITIES.map(({ needs }) => needs.every((need) => allows(rules, need, machine))),
      sources,
    }))
    .filter(({ abilities }) => abilities.includes(true));
  return { holders: holders.sort(byNearness), unknownRoles: [...unknown].sort() };
}

/** Those of the namespace come first: the others are mostly the cluster's own controllers. */
const byNearness = (a: Holder, b: Holder): number =>
  Number(a.sources.every(({ isCluster }) => isCluster)) - Number(b.sources.every(({ isCluster }) => isCluster)) ||
  (a.key < b.key ? -1 : 1);

export const subjectKey = ({ kind, namespace, name }: Subject): string =>
  [kind, ...(namespace ? [namespace] : []), name].join(' ');
