import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { TEMPLATE_SUBRESOURCE_GROUP, TEMPLATE_SUBRESOURCE_VERSIONS } from '@vireo/api/kinds/template/names.ts';
import { ACTION_GROUPS, DIALECTS } from '../actions/dialects.ts';
import { UPLOAD_GROUP, UPLOAD_VERSION } from '../uploads/tokenRequests.ts';

/** How the extension is reached that runs in a process of its own. */
export interface Reached {
  /** Base64 of the certificates that its own is signed by. */
  readonly caBundle?: string;
  /** Default: 443. */
  readonly port?: number;
}

/** The objects that bring requests for subresources and for upload tokens here. */
export const apiServices = (reached: Reached = {}) => [
  ...ACTION_GROUPS.flatMap((group) =>
    DIALECTS[group].versions.map((version) =>
      apiService(group, version, { 'kubevirt.io': 'virt-api-aggregator' }, reached),
    ),
  ),
  ...TEMPLATE_SUBRESOURCE_VERSIONS.map((version) =>
    apiService(TEMPLATE_SUBRESOURCE_GROUP, version, { 'kubevirt.io': 'virt-template-apiserver' }, reached),
  ),
  apiService(UPLOAD_GROUP, UPLOAD_VERSION, { 'cdi.kubevirt.io': 'cdi-api-aggregator' }, reached),
];

const apiService = (group: string, version: string, labels: Record<string, string>, { caBundle, port }: Reached) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${group}`, labels },
  spec: {
    group,
    version,
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace: KUBEVIRT_NAMESPACE, name: VIRT_API_SERVICE, ...(port !== undefined && { port }) },
    ...(caBundle && { caBundle }),
  },
});
