import type { Vm, Vmi } from '../../data/kinds.ts';
import type {
  EndpointSlice,
  LabelSelector,
  NetworkPolicy,
  PolicyPeer,
  PolicyRule,
  Service,
} from '../../data/networkKinds.ts';

type Labels = Readonly<Record<string, string>>;

/** The labels that Services and policies see: those of the launcher pod, which has the instance's and its host name. */
export function podLabels(vm: Vm | undefined, vmi: Vmi | undefined): Labels {
  const name = (vmi ?? vm)?.metadata.name ?? '';
  const hostname = (vmi?.spec ?? vm?.spec.template?.spec)?.hostname ?? name.split('.')[0]?.slice(0, 63) ?? '';
  return {
    ...(vmi?.metadata.labels ?? vm?.spec.template?.metadata?.labels),
    'vm.kubevirt.io/name': hostname,
  };
}

/** A Service that leads to a machine. */
export interface ServiceLine {
  readonly name: string;
  readonly type: string;
  readonly ports: readonly string[];
  readonly addresses: readonly { readonly from: string; readonly address: string }[];
  /** Whether connections reach this machine now. */
  readonly isReady: boolean;
}

export function servicesFor(
  services: readonly Service[],
  slices: readonly EndpointSlice[],
  labels: Labels,
  addresses: readonly string[],
  nodes: readonly string[] = [],
): ServiceLine[] {
  return services
    .filter(({ spec }) => selects(spec?.selector, labels))
    .map((service) => ({
      name: service.metadata.name,
      type: service.spec?.clusterIP === 'None' ? 'headless' : (service.spec?.type ?? 'ClusterIP'),
      ports: (service.spec?.ports ?? []).map(portText),
      addresses: addressesOf(service, nodes),
      isReady: slices.some(
        ({ metadata, endpoints }) =>
          metadata.labels?.['kubernetes.io/service-name'] === service.metadata.name &&
          endpoints?.some(
            (endpoint) =>
              endpoint.conditions?.ready !== false && endpoint.addresses?.some((each) => addresses.includes(each)),
          ),
      ),
    }));
}

function selects(selector: Labels | undefined, labels: Labels): boolean {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

const portText = ({
  name,
  port,
  targetPort,
  protocol = 'TCP',
}: NonNullable<NonNullable<Service['spec']>['ports']>[number]) =>
  `${name ? `${name}: ` : ''}${port}${targetPort !== undefined && targetPort !== port ? ` → ${targetPort}` : ''}/${protocol}`;

/** A node port is open on every node; a few addresses suffice. */
const MOST_NODES = 2;

/** Where a Service is reached, and from where. */
function addressesOf({ metadata, spec, status }: Service, nodes: readonly string[]): ServiceLine['addresses'] {
  const ports = spec?.ports ?? [];
  const withPorts = (from: string, host: string, choose: 'port' | 'nodePort' = 'port') =>
    ports.flatMap((each) => {
      const port = each[choose];
      return port ? [{ from, address: `${host.includes(':') ? `[${host}]` : host}:${port}` }] : [];
    });
  const outside = [
    ...(status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip ?? hostname ?? []),
    ...(spec?.externalIPs ?? []),
  ];
  const inside = (spec?.clusterIPs ?? [spec?.clusterIP ?? '']).filter((each) => each && each !== 'None');
  return [
    ...outside.flatMap((host) => withPorts('from everywhere', host)),
    ...nodes.slice(0, MOST_NODES).flatMap((host) => withPorts('from everywhere', host, 'nodePort')),
    ...(nodes.length === 0 ? withPorts('from everywhere; NODE is the address of a node', 'NODE', 'nodePort') : []),
    ...inside.flatMap((host) => withPorts('from guests and nodes', host)),
    ...withPorts('from guests', `${metadata.name}.${metadata.namespace}`),
  ];
}

/** Whether a label selector selects something with these labels. An empty one selects all. */
export function matchesSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return false;
      }
    })
  );
}

/** A NetworkPolicy that restricts a machine: what it allows, a line a rule. */
export interface PolicyLine {
  readonly name: string;
  readonly ingress: readonly string[] | undefined;
  readonly egress: readonly string[] | undefined;
}

export const policiesFor = (policies: readonly NetworkPolicy[], labels: Labels): PolicyLine[] =>
  policies
    .filter(({ spec }) => matchesSelector(spec?.podSelector ?? {}, labels))
    .map(({ metadata, spec }) => {
      const types = spec?.policyTypes ?? ['Ingress', ...(spec?.egress ? ['Egress'] : [])];
      return {
        name: metadata.name,
        ingress: types.includes('Ingress') ? (spec?.ingress ?? []).map((rule) => ruleText(rule, 'from')) : undefined,
        egress: types.includes('Egress') ? (spec?.egress ?? []).map((rule) => ruleText(rule, 'to')) : undefined,
      };
    });

function ruleText(rule: PolicyRule, direction: 'from' | 'to'): string {
  const peers = rule[direction] ?? [];
  const whom = peers.length > 0 ? peers.map(peerText).join(' or ') : 'everywhere';
  const ports = (rule.ports ?? []).map(
    ({ port, endPort, protocol = 'TCP' }) =>
      `${port === undefined ? 'all ports' : `${port}${endPort === undefined ? '' : `-${endPort}`}`}/${protocol}`,
  );
  return `${direction} ${whom}${ports.length > 0 ? ` on ${ports.join(', ')}` : ''}`;
}

function peerText({ ipBlock, namespaceSelector, podSelector }: PolicyPeer): string {
  if (ipBlock) return ipBlock.except?.length ? `${ipBlock.cidr} except ${ipBlock.except.join(', ')}` : ipBlock.cidr;
  const text = selectorText(podSelector);
  const pods = text ? `pods with ${text}` : 'all pods';
  if (!namespaceSelector) return `${pods} in the namespace`;
  const namespaces = selectorText(namespaceSelector);
  return namespaces ? `${pods} in namespaces with ${namespaces}` : `${pods} in all namespaces`;
}

const selectorText = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string =>
  [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values }) =>
      values?.length ? `${key} ${operator} (${values.join(', ')})` : `${key} ${operator}`,
    ),
  ].join(', ');
