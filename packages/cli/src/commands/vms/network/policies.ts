import type { NetworkPolicy } from '@vireo/api';
import { formatSelector } from '@vireo/api/kinds/columns.ts';
import { matchesLabelSelector } from '@vireo/api/labelSelector.ts';
import { directionsOf } from '@vireo/node/network/policies.ts';
import type { Machine } from './machines.ts';

type Spec = NonNullable<NetworkPolicy['spec']>;
type Rule = NonNullable<Spec['ingress']>[number] & NonNullable<Spec['egress']>[number];
type Peer = NonNullable<Rule['from']>[number];
type Port = NonNullable<Rule['ports']>[number];
type Direction = ReturnType<typeof directionsOf>[number];

/** What is told of a NetworkPolicy. */
export interface PolicyLine {
  readonly namespace: string;
  readonly name: string;
  /** The VMs that it selects. */
  readonly vms: readonly string[];
  /** What it allows in each direction that it restricts. */
  readonly ingress?: readonly string[];
  readonly egress?: readonly string[];
}

/** A policy with the VMs that it selects; `machines` may be of other namespaces, too. */
export function policyLine(policy: NetworkPolicy, machines: readonly Machine[]): PolicyLine {
  const { name = '', namespace = '' } = policy.metadata;
  const directions = directionsOf(policy);
  return {
    namespace,
    name,
    vms: machines.filter((machine) => selectsMachine(policy, machine)).map((machine) => machine.name),
    ...(directions.includes('ingress') && { ingress: allowed(policy, 'ingress') }),
    ...(directions.includes('egress') && { egress: allowed(policy, 'egress') }),
  };
}

/** Whether a policy restricts a VM. */
export const selectsMachine = ({ metadata, spec }: NetworkPolicy, { namespace, labels }: Machine): boolean =>
  metadata.namespace === namespace && matchesLabelSelector(spec?.podSelector ?? {}, labels);

/** What a policy allows in a direction, a rule each; empty for nothing. */
const allowed = ({ spec }: NetworkPolicy, direction: Direction): string[] =>
  ((spec?.[direction] ?? []) as readonly Rule[]).map((rule) => ruleText(rule, direction));

function ruleText({ from, to, ports = [] }: Rule, direction: Direction): string {
  const peers = (direction === 'ingress' ? from : to) ?? [];
  const whom = peers.length > 0 ? peers.map(peerText).join(' or ') : 'everywhere';
  const where = ports.length > 0 ? ` on ${ports.map(portText).join(', ')}` : '';
  return `${direction === 'ingress' ? 'from' : 'to'} ${whom}${where}`;
}

const hasLabels = (selector: Peer['podSelector']): boolean => formatSelector(selector) !== '<none>';

function peerText({ ipBlock, namespaceSelector, podSelector }: Peer): string {
  if (ipBlock) return ipBlock.except?.length ? `${ipBlock.cidr} except ${ipBlock.except.join(', ')}` : ipBlock.cidr;
  const pods = hasLabels(podSelector) ? `pods with ${formatSelector(podSelector)}` : 'all pods';
  if (!namespaceSelector) return `${pods} in the namespace`;
  return hasLabels(namespaceSelector)
    ? `${pods} in namespaces with ${formatSelector(namespaceSelector)}`
    : `${pods} in all namespaces`;
}

function portText({ port, endPort, protocol = 'TCP' }: Port): string {
  if (port === undefined) return `all ports/${protocol}`;
  return `${port}${endPort === undefined ? '' : `-${endPort}`}/${protocol}`;
}
