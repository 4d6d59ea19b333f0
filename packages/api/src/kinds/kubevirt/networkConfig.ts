import type { ConfigMap } from '../core/configMap.ts';
import { KUBEVIRT_NAMESPACE } from './names.ts';

/** The ConfigMap in the namespace of the installation that tells nodes about the network of the cluster. */
export const NETWORK_CONFIG = 'vireo-network';

/** What node agents have to know of the cluster's network, whichever server it has. */
export interface NetworkConfig {
  /** The range of all pods, of which each Node has a part: its `spec.podCIDR`. */
  readonly clusterCIDR: string;
  /** The IPv6 range of all pods, of which each Node has the second of its `spec.podCIDRs`; missing without IPv6. */
  readonly clusterCIDRv6?: string;
  /** The range of Services. */
  readonly serviceCIDR: string;
  /** The IPv6 range of Services; missing where they have IPv4 addresses only. */
  readonly serviceCIDRv6?: string;
  /** What the names of Services end in. */
  readonly clusterDomain: string;
}

/** What the embedded server has, unless it is told otherwise, and most other clusters, too. */
export const DEFAULT_NETWORK: NetworkConfig = {
  clusterCIDR: '10.244.0.0/16',
  serviceCIDR: '10.96.0.0/16',
  clusterDomain: 'cluster.local',
};

/** The length of the prefix of a Node's part of the cluster's range, unless the server is told otherwise. */
export const DEFAULT_NODE_CIDR_MASK_SIZE = 24;

/** The same of the IPv6 range, as in Kubernetes. */
export const NODE_CIDR_MASK_SIZE_V6 = 64;

/** On Nodes: `routed` where guests have addresses of their own, so that other nodes lead to them. */
export const POD_NETWORK_ANNOTATION = 'vireo.dev/pod-network';
/** On Nodes that have WireGuard: its public key, and the port at which it listens. */
export const WIREGUARD_KEY_ANNOTATION = 'vireo.dev/wireguard-public-key';
export const WIREGUARD_PORT_ANNOTATION = 'vireo.dev/wireguard-port';

/** On Nodes: all addresses of the host by family, with commas. Guests of other nodes reach no programs at them. */
export const IPV4_ADDRESSES_ANNOTATION = 'vireo.dev/ipv4-addresses';
export const IPV6_ADDRESSES_ANNOTATION = 'vireo.dev/ipv6-addresses';

/** The ConfigMap that says so. */
export const networkConfigMap = (config: Partial<NetworkConfig>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: NETWORK_CONFIG, namespace: KUBEVIRT_NAMESPACE },
  data: Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)),
});

/** What a ConfigMap says of the network; undefined where it does not say what the ranges are. */
export function parseNetworkConfig(map: Pick<ConfigMap, 'data'> | undefined): NetworkConfig | undefined {
  const { clusterCIDR, clusterCIDRv6, serviceCIDR, serviceCIDRv6 } = map?.data ?? {};
  if (!clusterCIDR || !serviceCIDR) return undefined;
  const clusterDomain = map?.data?.clusterDomain ?? DEFAULT_NETWORK.clusterDomain;
  const ranges6 = { ...(clusterCIDRv6 && { clusterCIDRv6 }), ...(serviceCIDRv6 && { serviceCIDRv6 }) };
  return { clusterCIDR, serviceCIDR, clusterDomain, ...ranges6 };
}
