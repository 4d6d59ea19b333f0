import { stat } from 'node:fs/promises';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import type { Client } from '@vireo/kube';
import { type FindBridge, NetworkError } from './networks.ts';

/** Reads NetworkAttachmentDefinitions; those of type bridge stand for a bridge of this node. */
export const bridgeFinder =
  (client: Client, namespace: string, { isRoot }: { isRoot: boolean }): FindBridge =>
  async ({ name: network, multus }) => {
    const [name = '', of = namespace] = (multus?.networkName ?? '').split('/').reverse();
    const what = `NetworkAttachmentDefinition ${of}/${name}`;
    const definition = await client.of(NetworkAttachmentDefinition).find(name, { namespace: of });
    if (!definition) throw new NetworkError(network, `${what} does not exist`);
    const found = parseBridge(network, what, definition.spec?.config ?? '');
    if (!isRoot) throw new NetworkError(network, `${what} is a bridge, and only root can connect VMs to bridges`);
    const isBridge = await stat(`/sys/class/net/${found.bridge}/bridge`).then(
      () => true,
      () => false,
    );
    if (!isBridge)
      throw new NetworkError(network, `this node does not have the bridge ${JSON.stringify(found.bridge)} of ${what}`);
    return found;
  };

/** What the kernel takes as the name of a network device. */
const DEVICE = /^[A-Za-z0-9_.:-]{1,15}$/;
const BRIDGE_TYPES = ['bridge', 'cnv-bridge'];

/** Reads a CNI configuration, or the first plug-in of a list. Addresses are the guests' own affair. */
export function parseBridge(network: string, what: string, config: string): { bridge: string; mtu?: number } {
  let plugin: { type?: unknown; bridge?: unknown; mtu?: unknown; plugins?: unknown };
  try {
    plugin = JSON.parse(config);
    if (Array.isArray(plugin.plugins)) plugin = plugin.plugins[0] ?? {};
  } catch (error) {
    throw new NetworkError(network, `spec.config of ${what} is not valid JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const { type, bridge, mtu } = plugin;
  if (!BRIDGE_TYPES.includes(String(type)))
    throw new NetworkError(network, `${what} is of type ${JSON.stringify(type)}; only the type bridge is supported`);
  if (typeof bridge !== 'string' || !DEVICE.test(bridge) || /^\.+$/.test(bridge))
    throw new NetworkError(network, `${what} has an invalid bridge name: ${JSON.stringify(bridge)}`);
  return { bridge, ...(typeof mtu === 'number' && mtu > 0 && { mtu }) };
}
