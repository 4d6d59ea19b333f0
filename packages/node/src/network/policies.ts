import type { Namespace, NetworkPolicy, Pod } from '@vireo/api';
import { matchesLabelSelector } from '@vireo/api/labelSelector.ts';
import {
  type Direction,
  type PolicyPort,
  type PolicyRule,
  type PolicyRules,
  type Protocol,
  policyChain,
} from '@vireo/network';
import { podAddresses } from './addresses.ts';
import { protocolOf } from './protocol.ts';

type Spec = NonNullable<NetworkPolicy['spec']>;
type Rule = NonNullable<Spec['ingress']>[number] & NonNullable<Spec['egress']>[number];
type Peer = NonNullable<Rule['from']>[number];
type Port = NonNullable<Rule['ports']>[number];

/** What policies select from. */
export interface Cluster {
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
}

const DIRECTIONS: readonly Direction[] = ['ingress', 'egress'];

/** The directions that a policy restricts; without a list, egress only where it has rules for it. */
export function directionsOf({ spec }: NetworkPolicy): Direction[] {
  const types = spec?.policyTypes;
  if (types?.length) return DIRECTIONS.filter((each) => types.some((type) => type.toLowerCase() === each));
  return spec?.egress?.length ? ['ingress', 'egress'] : ['ingress'];
}

const keyOf = ({ metadata }: NetworkPolicy): string => `${metadata.namespace}/${metadata.name}`;

/** The rules of a policy, with selectors resolved to addresses. */
export function policyRules(policy: NetworkPolicy, cluster: Cluster): PolicyRules[] {
  return directionsOf(policy).map((direction) => ({
    id: keyOf(policy),
    direction,
    rules: ((policy.spec?.[direction] ?? []) as readonly Rule[]).map((rule) =>
      rulesOf(policy, rule, direction, cluster),
    ),
  }));
}

function rulesOf(policy: NetworkPolicy, rule: Rule, direction: Direction, cluster: Cluster): PolicyRule {
  const peers = direction === 'ingress' ? rule.from : rule.to;
  const selected = peers?.length ? peers.flatMap((peer) => podsOf(policy, peer, cluster)) : undefined;
  const { numbers, names } = splitPorts(rule.ports ?? []);
  const hasPorts = (rule.ports ?? []).length > 0;
  // A name is that of a port of whoever is connected to.
  const targets =
    direction === 'ingress' ? cluster.pods.filter((pod) => selects(policy, pod)) : (selected ?? cluster.pods);
  return {
    ...(selected && {
      peers: {
        addresses: addressesOf(selected),
        blocks: (peers ?? []).flatMap(({ ipBlock }) =>
          ipBlock ? [{ cidr: ipBlock.cidr, except: ipBlock.except ?? [] }] : [],
        ),
      },
    }),
    ...(hasPorts && { ports: numbers }),
    ...(names.length > 0 && { namedPorts: names.flatMap((name) => namedPorts(name, targets)) }),
  };
}

/** Whether a policy looks at pods of other namespaces: at those of its peers, or at the ports by name of anybody. */
export const looksElsewhere = ({ spec }: NetworkPolicy): boolean =>
  [
    ...(spec?.ingress ?? []).flatMap(({ from = [] }) => from),
    ...(spec?.egress ?? []).flatMap(({ to = [] }) => to),
  ].some(({ namespaceSelector }) => namespaceSelector !== undefined) ||
  (spec?.egress ?? []).some(({ to, ports = [] }) => !to?.length && ports.some(({ port }) => typeof port === 'string'));

/** What policies look at in a pod that they may select. */
type Selectable = { readonly metadata: Pick<Pod['metadata'], 'namespace' | 'labels'> };

/** Whether a policy selects a pod. */
export const selects = ({ metadata, spec }: NetworkPolicy, pod: Selectable): boolean =>
  pod.metadata.namespace === metadata.namespace && matchesLabelSelector(spec?.podSelector ?? {}, pod.metadata.labels);

function podsOf(policy: NetworkPolicy, peer: Peer, { pods, namespaces }: Cluster): Pod[] {
  if (peer.ipBlock) return [];
  const { namespaceSelector, podSelector } = peer;
  const isThere = namespaceSelector
    ? new Set(
        namespaces
          .filter(({ metadata }) => matchesLabelSelector(namespaceSelector, metadata.labels))
          .map(({ metadata }) => metadata.name),
      )
    : new Set([policy.metadata.namespace]);
  return pods.filter(
    ({ metadata }) => isThere.has(metadata.namespace ?? '') && matchesLabelSelector(podSelector ?? {}, metadata.labels),
  );
}

const isEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

const addressesOf = (pods: readonly Pod[]): string[] =>
  [...new Set(pods.flatMap((pod) => (isEnded(pod) ? [] : podAddresses(pod))))].sort();

function splitPorts(ports: readonly Port[]): { numbers: PolicyPort[]; names: { name: string; protocol: Protocol }[] } {
  const numbers: PolicyPort[] = [];
  const names: { name: string; protocol: Protocol }[] = [];
  for (const { port, endPort, protocol } of ports) {
    if (typeof port === 'string') names.push({ name: port, protocol: protocolOf(protocol) });
    else
      numbers.push({
        protocol: protocolOf(protocol),
        ...(port !== undefined && { port }),
        ...(endPort !== undefined && { endPort }),
      });
  }
  return { numbers, names };
}

const namedPorts = ({ name, protocol }: { name: string; protocol: Protocol }, pods: readonly Pod[]) =>
  pods.flatMap((pod) => {
    if (isEnded(pod)) return [];
    return (pod.spec?.containers ?? []).flatMap(({ ports = [] }) =>
      ports
        .filter((each) => each.name === name && protocolOf(each.protocol) === protocol)
        .flatMap(({ containerPort: port }) => podAddresses(pod).map((address) => ({ address, protocol, port }))),
    );
  });

/** The chains of the policies that select a pod, by direction; a direction that no policy restricts is missing. */
export function isolationOf(pod: Selectable, policies: readonly NetworkPolicy[]): Partial<Record<Direction, string[]>> {
  const selecting = policies.filter((policy) => selects(policy, pod));
  const found: Partial<Record<Direction, string[]>> = {};
  for (const direction of DIRECTIONS) {
    const restricting = selecting.filter((policy) => directionsOf(policy).includes(direction));
    if (restricting.length > 0)
      found[direction] = restricting.map((policy) => policyChain({ id: keyOf(policy), direction })).sort();
  }
  return found;
}
