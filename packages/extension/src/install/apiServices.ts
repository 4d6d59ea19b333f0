import { NAMESPACE, SERVICE_NAME, SUBRESOURCE_GROUP, SUBRESOURCE_VERSIONS } from '../wellKnown.ts';

/** The objects that bring requests for subresources here. */
export const apiServices = (caBundle?: string) =>
  SUBRESOURCE_VERSIONS.map((version) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${SUBRESOURCE_GROUP}`, labels: { 'kubevirt.io': 'virt-api-aggregator' } },
    spec: {
      group: SUBRESOURCE_GROUP,
      version,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: NAMESPACE, name: SERVICE_NAME },
      ...(caBundle && { caBundle }),
    },
  }));
