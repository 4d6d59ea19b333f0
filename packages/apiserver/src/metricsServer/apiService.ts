import type { UnknownObject } from '@vireo/api';

/** The Service that stands for what serves metrics.k8s.io in process. */
export const METRICS_SERVICE = { namespace: 'kube-system', name: 'metrics-server' };

/** Says who serves metrics.k8s.io; whoever brings a metrics-server of their own changes it. */
export const METRICS_API_SERVICE: UnknownObject = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1beta1.metrics.k8s.io', labels: { 'k8s-app': 'metrics-server' } },
  spec: {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: METRICS_SERVICE,
  },
};
