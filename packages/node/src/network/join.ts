import { createHash } from 'node:crypto';
import { ConfigMap, type Node } from '@vireo/api';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { NETWORK_CONFIG, parseNetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
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
  const { client, whenNode, isRouted } = context;
  const userOnly = (reason: string, message: string): StartedNetwork => ({
    network: userNetwork(reason, message),
    ended: Promise.resolve(),
  });
  if (!isRouted) return userOnly('UserNetworking', 'guests have QEMU’s user networking');
  const map = await client.of(ConfigMap).find(NETWORK_CONFIG, { namespace: KUBEVIRT_NAMESPACE });
  const config = parseNetworkConfig(map);
  if (!map || !config) {
    const message = `the cluster has no ConfigMap ${KUBEVIRT_NAMESPACE}/${NETWORK_CONFIG} with the ranges of its networks`;
    return userOnly('NoNetworkConfig', message);
  }
  const node = await whenNode(({ spec }) => !!spec?.podCIDR, RANGE_TIMEOUT_MS);
  return startNetwork({ ...context, podRange: node?.spec?.podCIDR, config, vni: vniOf(map.metadata.uid) }, signal);
}

/** A number of 24 bits for a cluster: all of its nodes find the same. */
const vniOf = (uid: string): number => createHash('sha256').update(uid).digest().readUIntBE(0, 3);
