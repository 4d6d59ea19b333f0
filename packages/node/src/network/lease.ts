import { isIP, isIPv4 } from 'node:net';
import type { NetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import {
  DHCP_OPTION,
  dhcpAddresses,
  type Lease,
  type Lease6,
  type NetworkPlan,
  type Plan6,
  prefixLength,
  toAddress,
} from '@vireo/network';
import type { GuestCard } from './cards.ts';

/** What a VMI asks of its DHCP lease, besides its address. */
export interface LeaseWishes {
  readonly dnsPolicy?: string;
  readonly dnsConfig?: { readonly nameservers?: readonly string[]; readonly searches?: readonly string[] };
  readonly bootFileName?: string;
  readonly tftpServerName?: string;
  readonly ntpServers?: readonly string[];
  readonly privateOptions?: readonly { readonly option: number; readonly value: string }[];
}

/** The wishes of a VMI for one of its interfaces; undefined if it has none. */
export function leaseWishes({ spec }: Vmi, iface: string): LeaseWishes | undefined {
  const { dnsPolicy, dnsConfig } = spec;
  const own = spec.domain.devices.interfaces?.find(({ name }) => name === iface);
  const { bootFileName, tftpServerName, ntpServers, privateOptions } = own?.dhcpOptions ?? {};
  const wishes = {
    ...(dnsPolicy && dnsPolicy !== 'ClusterFirst' && { dnsPolicy }),
    ...(dnsConfig && {
      dnsConfig: { nameservers: dnsConfig.nameservers ?? [], searches: dnsConfig.searches ?? [] },
    }),
    ...(bootFileName && { bootFileName }),
    ...(tftpServerName && { tftpServerName }),
    ...(ntpServers?.length && { ntpServers }),
    ...(privateOptions?.length && { privateOptions }),
  };
  return Object.keys(wishes).length > 0 ? wishes : undefined;
}

/** What DHCP tells a card in the pod network. */
export function leaseOf(
  card: GuestCard,
  plan: NetworkPlan,
  { clusterDomain }: Pick<NetworkConfig, 'clusterDomain'>,
): Lease {
  const { wishes = {} } = card;
  const { dnsServers, search } = resolverOf(card, plan.gateway, clusterDomain);
  return {
    address: card.address,
    netmask: toAddress(2 ** 32 - 2 ** (32 - prefixLength(plan.clusterRange))),
    router: plan.gateway,
    dnsServers,
    search,
    hostname: card.hostname,
    mtu: card.mtu,
    extra: extraOptions(wishes),
  };
}

/** What DHCPv6 tells it; undefined if it has no IPv6 address. */
export function lease6Of(
  card: GuestCard,
  { gateway }: Plan6,
  { clusterDomain }: Pick<NetworkConfig, 'clusterDomain'>,
): Lease6 | undefined {
  if (card.address6 === undefined) return undefined;
  return { address: card.address6, ...resolverOf(card, gateway, clusterDomain) };
}

/** As the kubelet writes resolv.conf. The server of the network knows the host's own names, too, so it serves every policy but None. */
function resolverOf(
  { namespace, subdomain, wishes }: GuestCard,
  gateway: string,
  domain: string,
): Pick<Lease, 'dnsServers' | 'search'> {
  const { dnsPolicy = 'ClusterFirst', dnsConfig = {} } = wishes ?? {};
  const isOfCluster = dnsPolicy !== 'None' && dnsPolicy !== 'Default';
  const isSameFamily = (address: string): boolean => isIP(address) === isIP(gateway);
  const ofNamespace = `${namespace}.svc.${domain}`;
  const search = isOfCluster
    ? [...(subdomain ? [`${subdomain}.${ofNamespace}`] : []), ofNamespace, `svc.${domain}`, domain]
    : [];
  return {
    dnsServers: unique([
      ...(dnsPolicy === 'None' ? [] : [gateway]),
      ...(dnsConfig.nameservers ?? []).filter(isSameFamily),
    ]),
    search: unique([...search, ...(dnsConfig.searches ?? []).map((each) => each.replace(/\.$/, ''))]).filter(isDomain),
  };
}

/** The options of DHCP that a VMI sets. */
export function extraOptions({ bootFileName, tftpServerName, ntpServers = [], privateOptions = [] }: LeaseWishes) {
  const text = (value: string): Buffer => Buffer.from(value, 'utf8');
  const servers = ntpServers.filter(isIPv4);
  return [
    ...(bootFileName ? [[DHCP_OPTION.bootFile, text(bootFileName)] as const] : []),
    ...(tftpServerName ? [[DHCP_OPTION.tftpServer, text(tftpServerName)] as const] : []),
    ...(servers.length > 0 ? [[DHCP_OPTION.ntpServers, dhcpAddresses(...servers)] as const] : []),
    ...privateOptions.map(({ option, value }) => [option, text(value)] as const),
  ];
}

const unique = (list: readonly string[]): string[] => [...new Set(list)];

/** What the search list of a lease can hold: labels of at most 63 bytes. */
const isDomain = (text: string): boolean =>
  text.length > 0 && text.length < 254 && text.split('.').every((label) => /^[\w-]{1,63}$/.test(label));
