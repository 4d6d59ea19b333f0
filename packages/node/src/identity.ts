import type { PolicyRule } from '@vireo/api';
import { NODE_GROUP } from '@vireo/api/kinds/kubevirt/identities.ts';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { NETWORK_CONFIG } from '@vireo/api/kinds/kubevirt/networkConfig.ts';

const READ = ['get', 'list', 'watch'];

const on = (group: string, verbs: readonly string[], ...resources: string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs: [...verbs],
});

/**
 * What nodes may do beside what every kubelet may: what they do, and no more. Nodes, Leases, pods, Secrets, ConfigMaps
 * and events are not here: those are the kubelet's. Which objects a node may write is up to admission.
 */
export const NODES_IDENTITY = {
  group: NODE_GROUP,
  rules: [
    on('kubevirt.io', [...READ, 'patch'], 'virtualmachineinstances'),
    on('kubevirt.io', READ, 'kubevirts'),
    on('', [...READ, 'patch'], 'persistentvolumeclaims'),
    on('', [...READ, 'create', 'delete', 'patch'], 'persistentvolumes'),
    on('', ['patch'], 'persistentvolumeclaims/status', 'persistentvolumes/status'),
    on('storage.k8s.io', READ, 'storageclasses'),
    on('cdi.kubevirt.io', ['get'], 'datavolumes', 'datasources'),
    on('cdi.kubevirt.io', READ, 'cdiconfigs'),
    on('harvesterhci.io', ['get'], 'virtualmachineimages'),
    on('snapshot.storage.k8s.io', READ, 'volumesnapshots'),
    on('snapshot.storage.k8s.io', [...READ, 'patch'], 'volumesnapshotcontents'),
    on('snapshot.storage.k8s.io', ['patch'], 'volumesnapshotcontents/status'),
    { ...on('', READ, 'configmaps'), resourceNames: [NETWORK_CONFIG] },
    on('k8s.cni.cncf.io', ['get'], 'network-attachment-definitions'),
    // For the rules of the pod network: as kube-proxy and network plug-ins.
    on('', READ, 'services', 'namespaces', 'pods', 'nodes'),
    on('discovery.k8s.io', READ, 'endpointslices'),
    on('networking.k8s.io', READ, 'networkpolicies'),
  ] as readonly PolicyRule[],
};

const ACCOUNT = 'kubevirt-handler';

/** Who simulated nodes are: one account for all of them. */
export const USER = `system:serviceaccount:${KUBEVIRT_NAMESPACE}:${ACCOUNT}`;

/** What simulated nodes may do. */
export const IDENTITY = {
  account: ACCOUNT,
  rules: [
    on('kubevirt.io', [...READ, 'patch'], 'virtualmachineinstances'),
    on('', [...READ, 'delete'], 'pods'),
    on('', ['patch'], 'pods/status', 'nodes/status'),
    on('', [...READ, 'create', 'patch'], 'nodes'),
    on('', ['create', 'patch'], 'events'),
    on('coordination.k8s.io', ['get', 'create', 'update', 'patch'], 'leases'),
  ] as readonly PolicyRule[],
};
