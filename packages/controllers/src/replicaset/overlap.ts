import { isDeleting, type ObjectMeta } from '@vireo/api';
import { isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Informer } from '@vireo/kube';
import { parse, type ReplicaSet, selects } from './replicaSet.ts';

/*
 * Which sets select which VMIs is found by index. A selector that requires a label is indexed under that label, any
 * other under its namespace; what it may select is indexed under all of its labels and its namespace.
 */

/** The index key of VMIs and templates that the set may select. */
function selectorKey(set: ReplicaSet): string | undefined {
  const parsed = parse(set);
  if ('problem' in parsed) return undefined;
  const label = parsed.selector.requirements.find(({ operator, values }) => operator === '=' && values.length === 1);
  return indexKey(set.metadata, label && `${label.key}=${label.values[0]}`);
}

/** The index keys of sets that may select these labels. */
const labelKeys = (metadata: Pick<ObjectMeta, 'namespace'>, labels: ObjectMeta['labels']): string[] => [
  indexKey(metadata),
  ...Object.entries(labels ?? {}).map(([key, value]) => indexKey(metadata, `${key}=${value}`)),
];

const indexKey = ({ namespace }: Pick<ObjectMeta, 'namespace'>, label = ''): string => `${namespace} ${label}`;

export const SET_INDEXES = {
  selector: (set: ReplicaSet): string[] => [selectorKey(set) ?? []].flat(),
  template: (set: ReplicaSet): string[] => labelKeys(set.metadata, set.spec.template?.metadata?.labels),
};

export const VMI_INDEXES = {
  adoptable: (vmi: Vmi): string[] => (isAdoptable(vmi) ? labelKeys(vmi.metadata, vmi.metadata.labels) : []),
};

/** Whether a set may adopt the VMI: nobody controls it. A finished one would be adopted only to be deleted. */
export const isAdoptable = (vmi: Vmi): boolean =>
  !vmi.metadata.ownerReferences?.some(({ controller }) => controller) && !isDeleting(vmi) && !isFinal(vmi);

export type Sets = Pick<Informer<ReplicaSet>, 'byIndex'>;

/** The sets that select these labels. */
export const setsSelecting = (
  sets: Sets,
  metadata: Pick<ObjectMeta, 'namespace'>,
  labels: ObjectMeta['labels'],
): ReplicaSet[] =>
  labelKeys(metadata, labels)
    .flatMap((key) => sets.byIndex('selector', key))
    .filter((set) => selects(set, labels));

/** The other sets that select what this one creates, or create what this one selects, oldest first. */
export function overlappingSets(sets: Sets, set: ReplicaSet): ReplicaSet[] {
  const key = selectorKey(set);
  const creators = key === undefined ? [] : sets.byIndex('template', key);
  const found = [
    ...setsSelecting(sets, set.metadata, set.spec.template?.metadata?.labels),
    ...creators.filter(({ spec }) => selects(set, spec.template?.metadata?.labels)),
  ];
  const others = new Map(found.map((each) => [each.metadata.uid, each]));
  others.delete(set.metadata.uid);
  return [...others.values()].sort(byPrecedence);
}

/** The VMIs that nobody controls and that this set may adopt. */
export const adoptableVmis = (sets: Sets, vmis: Pick<Informer<Vmi>, 'byIndex'>, set: ReplicaSet): Vmi[] =>
  vmis
    .byIndex('adoptable', selectorKey(set) ?? '')
    .filter((vmi) => selects(set, vmi.metadata.labels) && hasPrecedence(sets, set, vmi));

/** Whether this set may adopt the VMI: of several that select it the oldest may, so that they never race. */
const hasPrecedence = (sets: Sets, set: ReplicaSet, vmi: Vmi): boolean =>
  setsSelecting(sets, vmi.metadata, vmi.metadata.labels)
    .filter((each) => !isDeleting(each) && !each.spec.paused)
    .every((each) => each.metadata.uid === set.metadata.uid || byPrecedence(set, each) < 0);

const byPrecedence = ({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number =>
  compare(a.creationTimestamp, b.creationTimestamp) || compare(a.name, b.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
