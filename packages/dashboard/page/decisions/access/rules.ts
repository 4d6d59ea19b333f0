import type { Rule } from '../../data/accessKinds.ts';
import type { Permission } from '../actions.ts';

const has = (values: readonly string[] = [], wanted: string): boolean =>
  values.includes('*') || values.includes(wanted);

/** Whether rules allow something, to one object if a name is given. Matches as Kubernetes does. */
export function allows(rules: readonly Rule[], permission: Permission, name?: string): boolean {
  const { verb, group, resource, subresource } = permission;
  return rules.some(
    (rule) =>
      has(rule.verbs, verb) &&
      has(rule.apiGroups, group) &&
      hasResource(rule.resources, resource, subresource) &&
      (!rule.resourceNames?.length || (name !== undefined && rule.resourceNames.includes(name))),
  );
}

function hasResource(resources: readonly string[] = [], resource: string, subresource: string | undefined): boolean {
  const wanted = subresource ? `${resource}/${subresource}` : resource;
  return has(resources, wanted) || (subresource !== undefined && resources.includes(`*/${subresource}`));
}

/** What rules allow of a kind: `virtualmachines.kubevirt.io`: read, change. */
export interface KindRights {
  readonly kind: string;
  readonly verbs: readonly string[];
  /** Only these objects; empty: all. */
  readonly names: readonly string[];
}

/** Rules by kind, with verbs in words. Equal kinds with other names stay apart. */
export function rightsByKind(rules: readonly Rule[]): KindRights[] {
  const found = new Map<string, { kind: string; names: readonly string[]; verbs: Set<string> }>();
  for (const { apiGroups = [''], resources = [], resourceNames = [], verbs } of rules)
    for (const group of apiGroups)
      for (const resource of resources) {
        const kind = group === '' ? resource : `${resource}.${group}`;
        const key = `${kind} ${resourceNames.join(' ')}`;
        const entry = found.get(key) ?? { kind, names: resourceNames, verbs: new Set<string>() };
        for (const verb of verbs) entry.verbs.add(verb);
        found.set(key, entry);
      }
  return [...found.values()]
    .map(({ kind, names, verbs }) => ({ kind, names, verbs: verbWords([...verbs]) }))
    .sort((a, b) => Number(!isOfMachines(a.kind)) - Number(!isOfMachines(b.kind)) || (a.kind < b.kind ? -1 : 1));
}

/** What this page is about comes first. */
const isOfMachines = (kind: string): boolean => kind.startsWith('*') || kind.includes('kubevirt.io');

/** get, list and watch together are reading; update and patch are changing. */
export function verbWords(verbs: readonly string[]): string[] {
  if (verbs.includes('*')) return ['everything'];
  const left = new Set(verbs);
  const words: string[] = [];
  const take = (word: string, ...needed: string[]): void => {
    if (!needed.every((verb) => left.has(verb))) return;
    for (const verb of needed) left.delete(verb);
    words.push(word);
  };
  take('read', 'get', 'list', 'watch');
  take('change', 'update', 'patch');
  return [...words, ...left];
}
