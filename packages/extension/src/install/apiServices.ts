import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { ACTION_GROUPS, DIALECTS } from '../actions/dialects.ts';
import { UPLOAD_GROUP, UPLOAD_VERSION } from '../uploads/tokenRequests.ts';

/** The objects that bring requests for subresources and for upload tokens here. */
export const apiServices = (caBundle?: string) => [
  ...ACTION_GROUPS.flatMap((group) =>
    DIALECTS[group].versions.map((version) =>
      apiService(group, version, { 'kubevirt.io': 'virt-api-aggregator' }, caBundle),
    ),
  ),
  apiService(UPLOAD_GROUP, UPLOAD_VERSION, { 'cdi.kubevirt.io': 'cdi-api-aggregator' }, caBundle),
];

const apiService = (group: string, version: string, labels: Record<string, string>, caBundle?: string) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${group}`, labels },
  spec: {
    group,
    version,
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace: KUBEVIRT_NAMESPACE, name: VIRT_API_SERVICE },
    ...(caBundle && { caBundle }),
  },
});
