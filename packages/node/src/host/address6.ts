import type { NetworkInterfaceInfo } from 'node:os';
import { networkInterfaces } from 'node:os';
import { type HostAddress6, readAddresses6 } from '@vireo/network';

/** What a node's IPv6 address is chosen from. */
export interface AddressFacts {
  /** The node's IPv4 address. */
  readonly address: string;
  readonly interfaces: Readonly<
    Record<string, readonly Pick<NetworkInterfaceInfo, 'address' | 'internal'>[] | undefined>
  >;
  readonly addresses6: readonly HostAddress6[];
  /** The addresses that the Node has had so far. */
  readonly known: readonly string[];
}

/**
 * The IPv6 address by which others reach a node: a lasting one of the device that has its IPv4 address, if it has any. It
 * stays what it is as long as the device has it; of several, private ones (fc00::/7) come last.
 */
export function chooseNodeAddress6({ address, interfaces, addresses6, known }: AddressFacts): string | undefined {
  const [device] =
    Object.entries(interfaces).find(([, list]) => list?.some((each) => each.address === address && !each.internal)) ??
    [];
  const candidates = addresses6.filter((each) => each.device === device && each.isLasting).map((each) => each.address);
  return (
    candidates.find((each) => known.includes(each)) ?? candidates.find((each) => !/^f[cd]/.test(each)) ?? candidates[0]
  );
}

/** The IPv6 address that a node of this host has now, besides its IPv4 address; undefined without IPv6. */
export const nodeAddress6 = async (address: string, known: readonly string[]): Promise<string | undefined> =>
  chooseNodeAddress6({ address, interfaces: networkInterfaces(), addresses6: await readAddresses6(), known });
