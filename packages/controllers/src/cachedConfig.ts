import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { type ClusterConfig, clusterConfig } from '@vireo/hypervisor';
import type { Informer, Informers } from '@vireo/kube';

/** The settings of the cluster, worked out once for each change of the KubeVirt object. */
export function cachedConfig(informers: Informers): { kubevirts: Informer<KubeVirt>; config: () => ClusterConfig } {
  const kubevirts = informers.for(KubeVirt, { namespace: KUBEVIRT_NAMESPACE });
  let known: { readonly of: KubeVirt | undefined; readonly config: ClusterConfig } | undefined;
  const config = () => {
    const kubevirt = kubevirts.get(`${KUBEVIRT_NAMESPACE}/${KUBEVIRT_NAME}`);
    if (!known || known.of !== kubevirt) known = { of: kubevirt, config: clusterConfig(kubevirt) };
    return known.config;
  };
  return { kubevirts, config };
}
