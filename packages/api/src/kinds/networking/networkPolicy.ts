import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, intOrString, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn, formatSelector } from '../columns.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const IPBlock = struct('io.k8s.api.networking.v1.IPBlock', 'A range of IP addresses.', {
  cidr: req(1, string, 'The range, such as 192.168.1.0/24.'),
  except: opt(2, list(string, 'atomic'), 'Ranges that are left out of it.'),
});
export interface IPBlock extends Infer<typeof IPBlock> {}

export const NetworkPolicyPeer = struct(
  'io.k8s.api.networking.v1.NetworkPolicyPeer',
  'Who traffic comes from or goes to.',
  {
    ipBlock: opt(3, IPBlock, 'A range of IP addresses. Excludes the selectors.'),
    namespaceSelector: opt(2, LabelSelector, 'Namespaces of the pods.'),
    podSelector: opt(1, LabelSelector, 'Labels of the pods.'),
  },
);
export interface NetworkPolicyPeer extends Infer<typeof NetworkPolicyPeer> {}

export const NetworkPolicyPort = struct('io.k8s.api.networking.v1.NetworkPolicyPort', 'Ports of traffic.', {
  endPort: opt(3, int32, { pointer: true, doc: 'Last port of a range that begins with port.' }),
  port: opt(2, intOrString, 'Number or name of the port. All ports if missing.'),
  protocol: opt(1, string, {
    default: 'TCP',
    pointer: true,
    doc: 'Protocol of the port: TCP, UDP or SCTP. Defaults to TCP.',
  }),
});
export interface NetworkPolicyPort extends Infer<typeof NetworkPolicyPort> {}

export const NetworkPolicyIngressRule = struct(
  'io.k8s.api.networking.v1.NetworkPolicyIngressRule',
  'Traffic to the pods that is allowed.',
  {
    from: opt(2, list(NetworkPolicyPeer, 'atomic'), 'Who may send it. Everybody if empty.'),
    ports: opt(1, list(NetworkPolicyPort, 'atomic'), 'Ports that it may go to. All if empty.'),
  },
);
export interface NetworkPolicyIngressRule extends Infer<typeof NetworkPolicyIngressRule> {}

export const NetworkPolicyEgressRule = struct(
  'io.k8s.api.networking.v1.NetworkPolicyEgressRule',
  'Traffic from the pods that is allowed.',
  {
    ports: opt(1, list(NetworkPolicyPort, 'atomic'), 'Ports that it may go to. All if empty.'),
    to: opt(2, list(NetworkPolicyPeer, 'atomic'), 'Who may receive it. Everybody if empty.'),
  },
);
export interface NetworkPolicyEgressRule extends Infer<typeof NetworkPolicyEgressRule> {}

export const NetworkPolicySpec = struct(
  'io.k8s.api.networking.v1.NetworkPolicySpec',
  'Pods, and the traffic that is allowed to and from them.',
  {
    egress: opt(3, list(NetworkPolicyEgressRule, 'atomic'), 'Traffic from the pods that is allowed.'),
    ingress: opt(2, list(NetworkPolicyIngressRule, 'atomic'), 'Traffic to the pods that is allowed.'),
    podSelector: opt(1, LabelSelector, 'Pods that the policy is for. All of the namespace if empty.'),
    policyTypes: opt(4, list(string, 'atomic'), 'Directions that the policy is about: Ingress, Egress or both.'),
  },
);
export interface NetworkPolicySpec extends Infer<typeof NetworkPolicySpec> {}

export const NetworkPolicySchema = struct(
  'io.k8s.api.networking.v1.NetworkPolicy',
  'Restricts the traffic to and from pods.',
  { ...objectFields, spec: opt(2, NetworkPolicySpec, 'Desired state of the NetworkPolicy.') },
);
export interface NetworkPolicy extends Infer<typeof NetworkPolicySchema> {}

export const NetworkPolicy = defineKind<NetworkPolicy>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
  shortNames: ['netpol'],
  schema: NetworkPolicySchema,
  generation: true,
  columns: [
    {
      name: 'Pod-Selector',
      type: 'string',
      description: 'Pods that the policy is for.',
      value: ({ spec }) => formatSelector(spec?.podSelector),
    },
    ageColumn,
  ],
  applyDefaults: ({ spec }) => {
    if (!spec || spec.policyTypes?.length) return;
    spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
  },
});
