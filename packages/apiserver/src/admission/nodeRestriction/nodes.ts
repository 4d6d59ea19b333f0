import type { Node } from '@vireo/api';
import { sameValue } from '../../strategies/immutable.ts';
import type { NodeRequest } from './nodeRestriction.ts';

const RESTRICTED = 'node-restriction.kubernetes.io';
/** Labels of Kubernetes' own domains that a node may set on itself. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);
const OWN_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** Why a node may not write a Node in this way. */
export function nodeProblem(request: NodeRequest, nodeName: string): string | undefined {
  const { operation, name, object, oldObject } = request;
  const requested = name || object?.metadata.name || '';
  if (requested !== nodeName) return `node "${nodeName}" is not allowed to modify node "${requested}"`;
  const node = object as unknown as Node | undefined;
  if (operation === 'CREATE') {
    if (node?.spec?.configSource) return `node "${nodeName}" is not allowed to create pods with a non-nil configSource`;
    const labels = forbiddenLabels(node?.metadata.labels, undefined);
    return labels && `node "${nodeName}" is not allowed to set the following labels: ${labels}`;
  }
  if (operation !== 'UPDATE') return undefined;
  const old = oldObject as unknown as Node | undefined;
  if (node?.spec?.configSource && !sameValue(node.spec.configSource, old?.spec?.configSource))
    return `node "${nodeName}" is not allowed to update configSource to a new non-nil configSource`;
  if (!sameValue(node?.spec?.taints, old?.spec?.taints)) return `node "${nodeName}" is not allowed to modify taints`;
  if (!sameValue(node?.metadata.ownerReferences, old?.metadata.ownerReferences))
    return `node "${nodeName}" is not allowed to modify ownerReferences`;
  const labels = forbiddenLabels(node?.metadata.labels, old?.metadata.labels);
  return labels && `is not allowed to modify labels: ${labels}`;
}

type Labels = Readonly<Record<string, string>> | undefined;

/** The changed labels that would let a node draw work to itself, by name. */
function forbiddenLabels(labels: Labels = {}, old: Labels = {}): string | undefined {
  const changed = [...new Set([...Object.keys(labels), ...Object.keys(old)])].filter((key) => labels[key] !== old[key]);
  return changed.filter(isForbidden).sort().join(', ') || undefined;
}

function isForbidden(label: string): boolean {
  const domain = label.includes('/') ? (label.split('/')[0] ?? '') : '';
  const isBelow = (parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
  if (isBelow(RESTRICTED)) return true;
  return (isBelow('kubernetes.io') || isBelow('k8s.io')) && !OWN_LABELS.has(label) && !OWN_DOMAINS.some(isBelow);
}
