import { KUBELET_GROUP, kubeletUser, NODE_GROUP, nodeUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { Client, type Transport, type UserInfo } from '@vireo/kube';

const user = (username: string, group: string): UserInfo => ({ username, groups: [group, 'system:authenticated'] });

/** Who a node is for VMIs, claims and volumes. */
export const nodeUserInfo = (node: string): UserInfo => user(nodeUser(node), NODE_GROUP);
/** Who a node is for its Node, Lease and pods. */
export const kubeletUserInfo = (node: string): UserInfo => user(kubeletUser(node), KUBELET_GROUP);

/** The clients of a node, with its rights and no more. */
export const nodeClients = (
  { inProcess }: { inProcess(user: UserInfo): Transport },
  node: string,
  wrap: (transport: Transport) => Transport = (transport) => transport,
): { client: Client; kubelet: Client } => ({
  client: new Client(wrap(inProcess(nodeUserInfo(node)))),
  kubelet: new Client(wrap(inProcess(kubeletUserInfo(node)))),
});
