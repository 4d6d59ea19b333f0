import { createHash } from 'node:crypto';

/** On NetworkAttachmentDefinitions: `"true"` has nodes make the bridge if it is missing. */
export const CREATE_BRIDGE_ANNOTATION = 'vireo.dev/create-bridge';
/** On NetworkAttachmentDefinitions: the device plug-in's resource, which names the device of a macvtap. */
export const RESOURCE_NAME_ANNOTATION = 'k8s.v1.cni.cncf.io/resourceName';
/** On launcher pods: what Multus says of their networks. */
export const NETWORK_STATUS_ANNOTATION = 'k8s.v1.cni.cncf.io/network-status';

/** What KubeVirt calls an interface within the launcher pod. */
export const podInterfaceName = (network: string): string =>
  `pod${createHash('sha256').update(network).digest('hex').slice(0, 11)}`;
