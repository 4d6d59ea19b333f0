import { CustomResourceDefinition, type KubeObject } from '@vireo/api';
import {
  KUBEVIRT_NAMESPACE,
  METRICS_PORT_NAME,
  METRICS_SERVICE,
  VIRT_API_PORT_NAME,
} from '@vireo/api/kinds/kubevirt/names.ts';
import { FIELD_MANAGER } from '@vireo/controllers';
import { type Client, ignoreNotFound, type ResourceRef } from '@vireo/kube';

/** On the Services that are scraped, as KubeVirt has it. */
export const SCRAPED = { 'prometheus.kubevirt.io': 'true' };

const SERVICE_MONITOR: ResourceRef = {
  group: 'monitoring.coreos.com',
  version: 'v1',
  kind: 'ServiceMonitor',
  plural: 'servicemonitors',
  namespaced: true,
};
const NAME = 'kubevirt';

/**
 * The Service behind which Prometheus finds the roles. It selects no pods: whoever serves metrics to other hosts writes
 * an EndpointSlice of its own.
 */
export const metricsService = (): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: METRICS_SERVICE, namespace: KUBEVIRT_NAMESPACE, labels: { 'kubevirt.io': '', ...SCRAPED } },
    spec: {
      type: 'ClusterIP',
      clusterIP: 'None',
      ports: [{ name: METRICS_PORT_NAME, port: 443, targetPort: 8443, protocol: 'TCP' }],
    },
  }) as KubeObject;

/** Tells the Prometheus operator what to scrape: the controllers by that Service, and the extension by its own. */
export const serviceMonitor = (): KubeObject => {
  const endpoint = {
    scheme: 'https',
    path: '/metrics',
    honorLabels: true,
    bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    // Controllers sign their certificates themselves.
    tlsConfig: { insecureSkipVerify: true },
  };
  return {
    apiVersion: `${SERVICE_MONITOR.group}/${SERVICE_MONITOR.version}`,
    kind: SERVICE_MONITOR.kind,
    metadata: {
      name: NAME,
      namespace: KUBEVIRT_NAMESPACE,
      labels: { 'k8s-app': 'kubevirt', 'openshift.io/cluster-monitoring': 'true', ...SCRAPED },
    },
    spec: {
      namespaceSelector: { matchNames: [KUBEVIRT_NAMESPACE] },
      selector: {
        matchExpressions: [{ key: 'app.kubernetes.io/managed-by', operator: 'In', values: ['vireo'] }],
      },
      endpoints: [
        { port: METRICS_PORT_NAME, ...endpoint },
        { port: VIRT_API_PORT_NAME, ...endpoint },
      ],
    },
  } as KubeObject;
};

/** Has the Prometheus operator scrape the roles, where there is one. */
export async function applyServiceMonitor(client: Client): Promise<boolean> {
  const definition = `${SERVICE_MONITOR.plural}.${SERVICE_MONITOR.group}`;
  if (!(await client.of(CustomResourceDefinition).find(definition))) return false;
  const body = serviceMonitor();
  const at = { namespace: KUBEVIRT_NAMESPACE, type: 'apply', fieldManager: FIELD_MANAGER, force: true } as const;
  await client.of(SERVICE_MONITOR).patch(NAME, body, at);
  return true;
}

/** Takes it back. */
export const deleteServiceMonitor = async (client: Client): Promise<void> => {
  await client.of(SERVICE_MONITOR).delete(NAME, { namespace: KUBEVIRT_NAMESPACE }).catch(ignoreNotFound);
};
