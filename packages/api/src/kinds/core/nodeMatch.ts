import { selectorOf } from '../../labelSelector.ts';
import type { Node } from './node.ts';
import type { NodeSelectorTerm } from './nodeSelector.ts';
import type { PersistentVolume } from './persistentVolume.ts';
import type { Pod } from './pod.ts';
import type { Taint, Toleration } from './scheduling.ts';

type Labels = Readonly<Record<string, string>> | undefined;

interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const OPERATORS = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!', Gt: '>', Lt: '<' } as const;

/** One requirement of a node selector, which has `Gt` and `Lt` besides the operators of labels. */
export function matchesRequirement({ key, operator, values = [] }: SelectorRequirement, labels: Labels): boolean {
  if (!Object.hasOwn(OPERATORS, operator)) return false;
  const known = OPERATORS[operator as keyof typeof OPERATORS];
  if ((known === '>' || known === '<') && !/^-?\d+$/.test(values[0] ?? '')) return false;
  return selectorOf([{ key, operator: known, values }]).matches(labels);
}

/** Whether a node satisfies one term. A term without requirements takes no node. */
export function matchesNodeTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const fields = { 'metadata.name': node.metadata.name ?? '' };
  return (
    matchExpressions.every((requirement) => matchesRequirement(requirement, node.metadata.labels)) &&
    matchFields.every((requirement) => matchesRequirement(requirement, fields))
  );
}

/** Whether a nodeSelector and a required node affinity allow the node. */
export function allowsNode(
  { nodeSelector, affinity }: Pick<NonNullable<Pod['spec']>, 'nodeSelector' | 'affinity'>,
  node: Node,
): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(nodeSelector ?? {}))
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || required.nodeSelectorTerms.some((term) => matchesNodeTerm(term, node));
}

/** Whether a volume can be used on the node, by the volume's affinity. */
export function reachesVolume(node: Node, { spec }: PersistentVolume): boolean {
  const required = spec?.nodeAffinity?.required;
  return !required || required.nodeSelectorTerms.some((term) => matchesNodeTerm(term, node));
}

/** Whether any of the tolerations puts up with the taint. */
export const tolerates = (tolerations: readonly Toleration[] | undefined, taint: Taint): boolean =>
  (tolerations ?? []).some((toleration) => toleratesTaint(toleration, taint));

function toleratesTaint({ key, operator, value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  // An empty key stands for all keys only together with Exists.
  return Boolean(key) && value === (taint.value ?? '');
}

/** The first taint that keeps pods with these tolerations off the node. */
export const untoleratedTaint = (
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined =>
  (taints ?? []).find(
    (taint) => (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !tolerates(tolerations, taint),
  );
