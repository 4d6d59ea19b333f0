import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import type { KubeVirtConfiguration } from '@vireo/api/kinds/kubevirt/kubeVirtConfiguration.ts';

/** The KubeVirt object of a cluster with these settings. */
export const kubevirtWith = (configuration: KubeVirtConfiguration): KubeVirt => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { namespace: 'kubevirt', name: 'kubevirt' },
  spec: { configuration },
});
