import { readdir, readFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { Node } from '@vireo/api';
import { POD_NETWORK_ANNOTATION } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { nodeAddress } from '@vireo/network';
import type { Connection } from '../connection.ts';

/** A cluster's network of guests, on a host that is one of its nodes. */
export interface HostNetwork {
  /** The device with the node's addresses, such as vireo0. */
  readonly device: string;
  /** What guests have as gateway and DNS server. */
  readonly gateway: string;
  readonly node: string;
}

const DEVICES = '/sys/class/net';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** Whether this host has guests with addresses of their own, of whichever cluster. Costs no request. */
export async function hasGuestNetwork(): Promise<boolean> {
  const devices = await readdir(DEVICES).catch(() => []);
  return devices.some((name) => /^(vireo\d+|vt[\da-f]{12})$/.test(name));
}

/** What a host knows of itself. */
export interface ThisHost {
  readonly name: string;
  readonly bootId: string | undefined;
  /** IPv4 addresses by device. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
}

const readHost = async (): Promise<ThisHost> => ({
  name: hostname().toLowerCase(),
  bootId: (await readFile(BOOT_ID, 'utf8').catch(() => undefined))?.trim(),
  addresses: new Map(
    Object.entries(networkInterfaces()).map(([device, addresses = []]) => [
      device,
      addresses.filter(({ family }) => family === 'IPv4').map(({ address }) => address),
    ]),
  ),
});

/**
 * The network of a Node's guests, if the Node is this host. Addresses prove nothing: every installation begins with the same
 * ranges. The boot ID is this kernel's alone, and the device with the node's own address tells its nodes apart.
 */
export function networkOfNode({ metadata, spec, status }: Node, host: ThisHost): HostNetwork | undefined {
  const { podCIDR = '' } = spec ?? {};
  // Otherwise the device of another home on this host may have the same address.
  if (metadata.annotations?.[POD_NETWORK_ANNOTATION] !== 'routed') return undefined;
  if (!host.bootId || status?.nodeInfo?.bootID !== host.bootId || !/^[\d.]+\/\d+$/.test(podCIDR)) return undefined;
  const own = nodeAddress(podCIDR);
  for (const [device, addresses] of host.addresses) {
    const gateway = addresses.find((address) => address !== own);
    if (/^vireo\d+$/.test(device) && addresses.includes(own) && gateway)
      return { device, gateway, node: metadata.name ?? '' };
  }
  return undefined;
}

/** The cluster's network on this host; undefined if the host is none of its nodes, or the user may not see Nodes. */
export async function hostNetwork({ client }: Connection): Promise<HostNetwork | undefined> {
  if (!(await hasGuestNetwork())) return undefined;
  const host = await readHost();
  const nodes = client.of(Node);
  try {
    // Most nodes are called as their host is.
    const likely = await nodes.find(host.name);
    const found = likely && networkOfNode(likely, host);
    if (found) return found;
    for (const node of (await nodes.list()).items) {
      const network = networkOfNode(node, host);
      if (network) return network;
    }
  } catch {
    // Whoever may not see Nodes is served through the API.
  }
  return undefined;
}
