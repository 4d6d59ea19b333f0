import { boolean, type Infer, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const MultusNetwork = struct(
  'io.kubevirt.v1.MultusNetwork',
  'A network that a NetworkAttachmentDefinition describes.',
  {
    default: optional(boolean, 'Whether the network replaces the pod network.'),
    networkName: required(string, 'Name of the NetworkAttachmentDefinition, as name or namespace/name.'),
  },
);
export interface MultusNetwork extends Infer<typeof MultusNetwork> {}

export const PodNetwork = struct('io.kubevirt.v1.PodNetwork', 'The network that every pod is connected to.', {
  vmIPv6NetworkCIDR: optional(string, 'IPv6 network of the guest behind masquerade. Defaults to fd10:0:2::/120.'),
  vmNetworkCIDR: optional(string, 'IPv4 network of the guest behind masquerade. Defaults to 10.0.2.0/24.'),
});
export interface PodNetwork extends Infer<typeof PodNetwork> {}

export const ClaimRequest = struct('io.kubevirt.v1.ClaimRequest', 'Refers to one request of a ResourceClaim.', {
  claimName: optional(string, 'Name of the claim in spec.resourceClaims.'),
  requestName: optional(string, 'Name of the request in the claim.'),
});
export interface ClaimRequest extends Infer<typeof ClaimRequest> {}

export const Network = struct(
  'io.kubevirt.v1.Network',
  'A network that an interface of the same name connects to. Set one of pod, multus and resourceClaim.',
  {
    multus: optional(MultusNetwork, 'A network that is described by a NetworkAttachmentDefinition.'),
    name: required(string, 'Name of the network, to which the interface of the same name refers.'),
    pod: optional(PodNetwork, 'The network that every pod is in.'),
    resourceClaim: optional(ClaimRequest, 'A network device from a resource claim.'),
  },
);
export interface Network extends Infer<typeof Network> {}
