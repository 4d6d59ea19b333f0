import { createHash } from 'node:crypto';
import { ConfigMap, Node } from '@vireo/api';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { NETWORK_CONFIG, parseNetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { announce } from './announce.ts';
import { userNetwork } from './guestNetwork.ts';
import { type NetworkContext, type StartedNetwork, startNetwork } from './index.ts';

/** For a controller to give a new node its range. */
const RANGE_TIMEOUT_MS = 10_000;

interface JoinContext extends Omit<NetworkContext, 'podRange' | 'config' | 'vni'> {
  /** Whether guests are to have addresses of their own. */
  readonly isRouted: boolean;
  readonly whenNode: (isSo: (node: Node) => boolean, timeoutMs: number) => Promise<Node | undefined>;
}

/** Starts the pod network of this node with what the cluster says of it. */
export async function joinNetwork(context: JoinContext, signal: AbortSignal): Promise<StartedNetwork> {
  const started = await startJoined(context, signal);
  if (started.network.describe().kind !== 'routed') await withdraw(context);
  return started;
}

/** Other nodes are to lead here no longer, if they did: guests can now send what they take for packets of this node. */
async function withdraw({ kubelet, node, clock }: JoinContext): Promise<void> {
  const own = await kubelet.of(Node).find(node);
  if (own) await announce(kubelet, own, { isRouted: false }, new Date(clock.now()));
}

async function startJoined(context: JoinContext, signal: AbortSignal): Promise<StartedNetwork> {
  const { client, whenNode, isRouted } = context;
  const userOnly = (reason: string, message: string): StartedNetwork => ({
    network: userNetwork(reason, message),
    ended: Promise.resolve(),
  });
  if (!isRouted) return userOnly('UserNetworking', 'guests have QEMU’s user networking');
  const map = await client.of(ConfigMap).find(NETWORK_CONFIG, { namespace: KUBEVIRT_NAMESPACE });
  const config = parseNetworkConfig(map);
  if (!map || !config) {
    const message = `the cluster has no ConfigMap ${KUBEVIRT_NAMESPACE}/${NETWORK_CONFIG} with the ranges of its networks; vireo install --cluster-cidr RANGE --service-cidr RANGE writes it`;
    return userOnly('NoNetworkConfig', message);
  }
  const node = await whenNode(({ spec }) => !!spec?.podCIDR, RANGE_TIMEOUT_MS);
  return startNetwork({ ...context, podRange: node?.spec?.podCIDR, config, vni: vniOf(map.metadata.uid) }, signal);
}

/** A number of 24 bits for a cluster: all of its nodes find the same. */
const vniOf = (uid: string): number => createHash('sha256').update(uid).digest().readUIntBE(0, 3);
