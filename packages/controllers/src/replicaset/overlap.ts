import type { ObjectMeta } from '@vireo/api';
import type { Informer } from '@vireo/kube';
import { isDeleting, type Vmi } from '../kinds.ts';
import { isFree } from './membership.ts';
import { parse, type ReplicaSet, selects } from './set.ts';

/*
 * Who may concern whom is looked up, not searched for. A selector that asks for a label is filed under that label, any
 * other under its namespace; what it may select has all of its labels and its namespace as its keys.
 */

/** Where instances and templates that the set may select are found. */
export function selectorKey(set: ReplicaSet): string | undefined {
  const parsed = parse(set);
  if ('problem' in parsed) return undefined;
  const label = parsed.selector.requirements.find(({ operator, values }) => operator === '=' && values.length === 1);
  return fileKey(set.metadata, label && `${label.key}=${label.values[0]}`);
}

/** Where the sets that may select these labels are found. */
export const labelKeys = (metadata: Pick<ObjectMeta, 'namespace'>, labels: ObjectMeta['labels']): string[] => [
  fileKey(metadata),
  ...Object.entries(labels ?? {}).map(([key, value]) => fileKey(metadata, `${key}=${value}`)),
];

const fileKey = ({ namespace }: Pick<ObjectMeta, 'namespace'>, label = ''): string => `${namespace} ${label}`;

export const SET_INDEXES = {
  selector: (set: ReplicaSet): string[] => [selectorKey(set) ?? []].flat(),
  template: (set: ReplicaSet): string[] => labelKeys(set.metadata, set.spec.template?.metadata?.labels),
};

export const VMI_INDEXES = {
  free: (vmi: Vmi): string[] => (isFree(vmi) ? labelKeys(vmi.metadata, vmi.metadata.labels) : []),
};

type Sets = Pick<Informer<ReplicaSet>, 'byIndex'>;

/** The sets that select these labels. */
export const setsSelecting = (
  sets: Sets,
  metadata: Pick<ObjectMeta, 'namespace'>,
  labels: ObjectMeta['labels'],
): ReplicaSet[] =>
  labelKeys(metadata, labels)
    .flatMap((key) => sets.byIndex('selector', key))
    .filter((set) => selects(set, labels));

/** The other sets that select what this one makes, or make what this one selects, oldest first. */
export function overlapping(sets: Sets, set: ReplicaSet): ReplicaSet[] {
  const key = selectorKey(set);
  const makers = key === undefined ? [] : sets.byIndex('template', key);
  const found = [
    ...setsSelecting(sets, set.metadata, set.spec.template?.metadata?.labels),
    ...makers.filter(({ spec }) => selects(set, spec.template?.metadata?.labels)),
  ];
  const others = new Map(found.map((each) => [each.metadata.uid, each]));
  others.delete(set.metadata.uid);
  return [...others.values()].sort(byPrecedence);
}

/** Whether a free instance is this set's to adopt: of several that select it the oldest may, so that they never race. */
export const hasPrecedence = (sets: Sets, set: ReplicaSet, vmi: Vmi): boolean =>
  setsSelecting(sets, vmi.metadata, vmi.metadata.labels)
    .filter((each) => !isDeleting(each) && !each.spec.paused)
    .every((each) => each.metadata.uid === set.metadata.uid || byPrecedence(set, each) < 0);

const byPrecedence = ({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number =>
  compare(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || compare(a.name ?? '', b.name ?? '');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
