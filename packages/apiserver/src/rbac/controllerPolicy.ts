import {
  CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  LEGACY_SIGNER,
} from '@vireo/kube/certificates/signers.ts';
import { clusterRole, on, READ } from './policyObjects.ts';
import type { ClusterRole, PolicyRule } from './types.ts';

const events: PolicyRule = {
  apiGroups: ['', 'events.k8s.io'],
  resources: ['events'],
  verbs: ['create', 'patch', 'update'],
};

/** What each controller of the server needs, by the name of its ServiceAccount in kube-system. */
const NEEDS: Readonly<Record<string, readonly PolicyRule[]>> = {
  'apiservice-controller': [
    on('apiregistration.k8s.io', [...READ, 'create', 'delete', 'patch', 'update'], 'apiservices'),
    on('apiregistration.k8s.io', ['patch', 'update'], 'apiservices/status'),
    on('', READ, 'services'),
    on('discovery.k8s.io', READ, 'endpointslices'),
    events,
  ],
  'certificate-controller': [
    on('certificates.k8s.io', [...READ, 'delete'], 'certificatesigningrequests'),
    on(
      'certificates.k8s.io',
      ['patch', 'update'],
      'certificatesigningrequests/approval',
      'certificatesigningrequests/status',
    ),
    { ...on('certificates.k8s.io', ['approve'], 'signers'), resourceNames: [KUBELET_CLIENT_SIGNER] },
    {
      ...on('certificates.k8s.io', ['sign'], 'signers'),
      resourceNames: [CLIENT_SIGNER, KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, LEGACY_SIGNER],
    },
    on('authorization.k8s.io', ['create'], 'subjectaccessreviews'),
    events,
  ],
  'cluster-authentication-trust-controller': [
    on('', READ, 'configmaps'),
    on('', ['create', 'patch', 'update'], 'configmaps'),
  ],
  'clusterrole-aggregation-controller': [
    // It writes rules that it does not hold itself.
    on('rbac.authorization.k8s.io', ['escalate', 'get', 'list', 'patch', 'update', 'watch'], 'clusterroles'),
  ],
  'customresourcedefinition-controller': [
    on('apiextensions.k8s.io', [...READ, 'patch', 'update'], 'customresourcedefinitions'),
    on('apiextensions.k8s.io', ['patch', 'update'], 'customresourcedefinitions/status'),
    // It empties definitions that go, whatever their kind.
    on('*', [...READ, 'delete', 'deletecollection'], '*'),
    events,
  ],
  'disruption-controller': [
    on('', READ, 'pods'),
    on('', READ, 'replicationcontrollers'),
    on('apps', READ, 'deployments', 'replicasets', 'statefulsets'),
    on('policy', READ, 'poddisruptionbudgets'),
    on('policy', ['patch', 'update'], 'poddisruptionbudgets/status'),
    on('*', ['get'], '*/scale'),
    events,
  ],
  'endpoint-controller': [
    on('', READ, 'pods', 'services'),
    on('', [...READ, 'create', 'delete', 'update'], 'endpoints'),
    events,
  ],
  'endpointslice-controller': [
    on('', READ, 'nodes', 'pods', 'services'),
    // Slices refer to their Service so that its deletion waits for them.
    on('', ['update'], 'services/finalizers'),
    on('discovery.k8s.io', [...READ, 'create', 'delete', 'update'], 'endpointslices'),
    events,
  ],
  'endpointslicemirroring-controller': [
    on('', READ, 'endpoints', 'services'),
    on('', ['update'], 'endpoints/finalizers', 'services/finalizers'),
    on('discovery.k8s.io', [...READ, 'create', 'delete', 'update'], 'endpointslices'),
    events,
  ],
  'event-ttl-controller': [on('', ['delete', ...READ], 'events')],
  'generic-garbage-collector': [on('*', ['delete', 'get', 'list', 'patch', 'update', 'watch'], '*'), events],
  'horizontal-pod-autoscaler': [
    on('autoscaling', READ, 'horizontalpodautoscalers'),
    on('autoscaling', ['patch', 'update'], 'horizontalpodautoscalers/status'),
    on('*', ['get', 'update'], '*/scale'),
    on('', ['list'], 'pods'),
    on('metrics.k8s.io', ['list'], 'pods'),
    on('custom.metrics.k8s.io', ['get', 'list'], '*'),
    on('external.metrics.k8s.io', ['get', 'list'], '*'),
    events,
  ],
  'kubernetes-service-controller': [
    on('', [...READ, 'create'], 'services'),
    on('', [...READ, 'create', 'update'], 'endpoints'),
    on('discovery.k8s.io', [...READ, 'create', 'delete', 'update'], 'endpointslices'),
  ],
  'namespace-controller': [
    on('', ['delete', 'get', 'list', 'watch'], 'namespaces'),
    on('', ['patch', 'update'], 'namespaces/finalize', 'namespaces/status'),
    on('*', ['delete', 'deletecollection', 'get', 'list', 'watch'], '*'),
  ],
  'node-controller': [
    on('', ['delete', 'get', 'list', 'patch', 'update', 'watch'], 'nodes'),
    on('', ['patch', 'update'], 'nodes/status', 'pods/status'),
    on('', ['delete', 'get', 'list', 'watch'], 'pods'),
    on('coordination.k8s.io', READ, 'leases'),
    events,
  ],
  'persistent-volume-binder': [
    on('', [...READ, 'patch', 'update'], 'persistentvolumeclaims', 'persistentvolumes'),
    on('', ['patch', 'update'], 'persistentvolumeclaims/status', 'persistentvolumes/status'),
    on('', READ, 'nodes'),
    on('storage.k8s.io', READ, 'storageclasses'),
    events,
  ],
  'pod-garbage-collector': [
    on('', READ, 'nodes', 'pods'),
    on('', ['delete'], 'pods'),
    on('', ['patch'], 'pods/status'),
  ],
  'pv-protection-controller': [on('', [...READ, 'patch', 'update'], 'persistentvolumes')],
  'pvc-protection-controller': [on('', [...READ, 'patch', 'update'], 'persistentvolumeclaims'), on('', READ, 'pods')],
  'resourcequota-controller': [
    on('*', ['list', 'watch'], '*'),
    on('', ['patch', 'update'], 'resourcequotas/status'),
    events,
  ],
  'root-ca-cert-publisher': [
    on('', READ, 'namespaces'),
    on('', ['create', 'get', 'list', 'patch', 'update', 'watch'], 'configmaps'),
    events,
  ],
  'service-cidrs-controller': [
    on('networking.k8s.io', [...READ, 'patch', 'update'], 'servicecidrs'),
    on('networking.k8s.io', ['patch', 'update'], 'servicecidrs/finalizers', 'servicecidrs/status'),
    on('networking.k8s.io', [...READ, 'create', 'delete'], 'ipaddresses'),
    on('', READ, 'services'),
    events,
  ],
  'service-controller': [
    on('', READ, 'nodes', 'services'),
    on('discovery.k8s.io', READ, 'endpointslices'),
    on('', ['patch', 'update'], 'services/status'),
    events,
  ],
  'service-account-controller': [
    on('', READ, 'namespaces'),
    on('', ['create', 'get', 'list', 'watch'], 'serviceaccounts'),
    events,
  ],
  'serviceaccount-token-controller': [
    on('', READ, 'serviceaccounts'),
    on('', ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'], 'secrets'),
    events,
  ],
  'unmanaged-workload-controller': [
    on('apps', READ, 'daemonsets', 'deployments', 'replicasets', 'statefulsets'),
    on('batch', READ, 'cronjobs', 'jobs'),
    on('', READ, 'replicationcontrollers'),
    events,
  ],
  'validatingadmissionpolicy-status-controller': [
    on('admissionregistration.k8s.io', READ, 'validatingadmissionpolicies'),
    on('admissionregistration.k8s.io', ['get', 'patch', 'update'], 'validatingadmissionpolicies/status'),
    events,
  ],
};

/** `system:controller:<name>` → the ServiceAccount of that name. */
export const CONTROLLER_NAMES: readonly string[] = Object.keys(NEEDS);

export const CONTROLLER_ROLES: readonly ClusterRole[] = Object.entries(NEEDS).map(([name, rules]) =>
  clusterRole(`system:controller:${name}`, rules),
);
