import { isIP } from 'node:net';
import type {
  ConfigMap,
  EndpointSlice,
  Endpoints,
  KubeObject,
  Namespace,
  PriorityClass,
  Service,
  ServiceCIDR,
  UnknownObject,
} from '@vireo/api';
import { CLUSTER_INFO, clusterInfoKubeconfig, KUBECONFIG_KEY } from '@vireo/kube/joining/clusterInfo.ts';
import { urlHost } from '@vireo/kube/serving/hostAddress.ts';
import { METRICS_API_SERVICE } from '../metricsServer/apiService.ts';
import { DEFAULT_SERVICE_CIDR_NAME, kubernetesServiceIp } from '../strategies/core/allocation.ts';
import { SYSTEM_PRIORITIES } from '../strategies/policy/priorityClass.ts';

export interface BootstrapOptions {
  /** IP address under which clients reach the server. */
  readonly serverAddress: string;
  readonly port: number;
  /** Where cluster IPs come from. */
  readonly serviceCIDR: string;
  readonly serviceCIDRv6?: string | undefined;
  /** Signs client certificates and the server's own. */
  readonly caPem: string;
  /** Signs whoever may speak for others; aggregated servers trust it. */
  readonly frontProxyCaPem: string;
  /** Common names that such a certificate may have. */
  readonly frontProxyNames: readonly string[];
}

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const PRIORITY_USE: Readonly<Record<string, string>> = {
  'system-cluster-critical':
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  'system-node-critical': 'Used for system critical pods that must not be moved from their current node.',
};

/**
 * What a new server has before anybody wrote to it, in the order to create it. Roles and bindings are RBAC's own
 * (`rbac/bootstrap.ts`).
 */
export const bootstrapObjects = (options: BootstrapOptions): UnknownObject[] =>
  [
    ...NAMESPACES.map(namespace),
    ...Object.entries(SYSTEM_PRIORITIES).map(([name, value]) => priorityClass(name, value)),
    serviceRange(options),
    ...Object.values(kubernetesServiceObjects(options)),
    authenticationConfig(options),
    clusterInfo(options),
    METRICS_API_SERVICE,
  ].map(asUnknown);

const asUnknown = (object: KubeObject): UnknownObject => ({ ...object });

const namespace = (name: string): Namespace => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

const priorityClass = (name: string, value: number): PriorityClass => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  globalDefault: false,
  description: PRIORITY_USE[name] ?? '',
  preemptionPolicy: 'PreemptLowerPriority',
});

const serviceRange = ({ serviceCIDR, serviceCIDRv6 }: BootstrapOptions): ServiceCIDR => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: DEFAULT_SERVICE_CIDR_NAME },
  spec: { cidrs: [serviceCIDR, ...(serviceCIDRv6 ? [serviceCIDRv6] : [])] },
});

/** What the Service of the server itself depends on. */
export type KubernetesServiceOptions = Pick<BootstrapOptions, 'serverAddress' | 'port' | 'serviceCIDR'>;

/** The Service `kubernetes`, and what says where it leads. */
export const kubernetesServiceObjects = (options: KubernetesServiceOptions) => ({
  service: kubernetesService(options),
  endpoints: kubernetesEndpoints(options),
  slice: kubernetesEndpointSlice(options),
});

const kubernetesService = ({ port, serviceCIDR }: KubernetesServiceOptions): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { component: 'apiserver', provider: 'kubernetes' },
  },
  spec: {
    type: 'ClusterIP',
    clusterIP: kubernetesServiceIp(serviceCIDR),
    clusterIPs: [kubernetesServiceIp(serviceCIDR)],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    sessionAffinity: 'None',
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
  },
});

const kubernetesEndpoints = ({ serverAddress, port }: KubernetesServiceOptions): Endpoints => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
  },
  subsets: [{ addresses: [{ ip: serverAddress }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
});

const kubernetesEndpointSlice = ({ serverAddress, port }: KubernetesServiceOptions): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
  addressType: isIP(serverAddress) === 6 ? 'IPv6' : 'IPv4',
  endpoints: [{ addresses: [serverAddress], conditions: { ready: true } }],
  ports: [{ name: 'https', port, protocol: 'TCP' }],
});

/** The ConfigMap in kube-system that aggregated servers read. */
export const AUTHENTICATION_CONFIG = 'extension-apiserver-authentication';
/** The common name of the certificate that this server shows to them. */
export const FRONT_PROXY_NAMES: readonly string[] = ['front-proxy-client'];

/** Tells aggregated API servers how to recognise clients and the front proxy. */
export const authenticationConfig = (
  options: Pick<BootstrapOptions, 'caPem' | 'frontProxyCaPem' | 'frontProxyNames'>,
): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: AUTHENTICATION_CONFIG, namespace: 'kube-system' },
  data: {
    'client-ca-file': options.caPem,
    'requestheader-allowed-names': JSON.stringify(options.frontProxyNames),
    'requestheader-client-ca-file': options.frontProxyCaPem,
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  },
});

/** Tells anybody where the server is and which authority to trust; the bootstrap signer keeps it true. */
const clusterInfo = ({ serverAddress, port, caPem }: BootstrapOptions): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: CLUSTER_INFO,
  data: { [KUBECONFIG_KEY]: clusterInfoKubeconfig(`https://${urlHost(serverAddress)}:${port}`, caPem) },
});
