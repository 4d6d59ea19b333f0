import type { PolicyRule } from '@vireo/api';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';

const ACCOUNT = 'kubevirt-handler';

/** Who the node is to the server. */
export const USER = `system:serviceaccount:${KUBEVIRT_NAMESPACE}:${ACCOUNT}`;

const READ = ['get', 'list', 'watch'];

const on = (group: string, verbs: readonly string[], ...resources: string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs: [...verbs],
});

/** What the node may do: what it does, and no more. */
export const IDENTITY = {
  account: ACCOUNT,
  rules: [
    on('kubevirt.io', [...READ, 'patch'], 'virtualmachineinstances'),
    on('kubevirt.io', READ, 'kubevirts'),
    on('', [...READ, 'delete'], 'pods'),
    on('', ['patch'], 'pods/status', 'nodes/status'),
    on('', [...READ, 'create', 'patch'], 'nodes'),
    on('', ['get'], 'secrets', 'configmaps'),
    on('', ['create'], 'serviceaccounts/token'),
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
    on('k8s.cni.cncf.io', ['get'], 'network-attachment-definitions'),
    on('', ['create', 'patch'], 'events'),
    on('coordination.k8s.io', ['get', 'create', 'update', 'patch'], 'leases'),
  ] as readonly PolicyRule[],
};
