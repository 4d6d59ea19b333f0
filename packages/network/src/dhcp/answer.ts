import {
  ACK,
  addressBytes,
  DISCOVER,
  domainList,
  INFORM,
  NAK,
  OFFER,
  OPTION,
  parseRequest,
  REQUEST,
  type Reply,
  uint16,
  uint32,
  writeReply,
} from './message.ts';

/** What a card is told. */
export interface Lease {
  readonly address: string;
  /** The mask of its network. */
  readonly netmask: string;
  /** Missing in a network that leads nowhere else. */
  readonly router?: string;
  readonly dnsServers: readonly string[];
  readonly search: readonly string[];
  readonly hostname?: string;
  readonly domain?: string;
  readonly mtu?: number;
  /** Options that the VMI asks for, by number. */
  readonly extra?: readonly (readonly [code: number, value: Buffer])[];
}

/** A day: the address stays the same for as long as the card exists. */
const LEASE_SECONDS = 86_400;

/** The reply to a message, and where it goes. The rules of the network send it to everybody if its flag says so. */
export interface Answer {
  readonly message: Buffer;
  readonly to: string;
}

/**
 * What a server says to a message. Cards that it does not know get no reply: there may be another server for them. `server`:
 * its address.
 */
export function answerDhcp(
  message: Buffer,
  server: string,
  leaseOf: (mac: string) => Lease | undefined,
): Answer | undefined {
  const request = parseRequest(message);
  const lease = request && leaseOf(request.mac);
  if (!request || !lease) return undefined;
  const chosen = request.options.get(OPTION.serverIdentifier);
  if (chosen && !chosen.equals(addressBytes(server))) return undefined;
  const answered = (reply: Omit<Reply, 'server'>): Answer => ({
    message: writeReply(request, { ...reply, server }),
    to: lease.address,
  });
  switch (request.type) {
    case DISCOVER:
      return answered({ type: OFFER, address: lease.address, options: leaseOptions(lease) });
    case REQUEST: {
      const wanted = request.options.get(OPTION.requestedAddress) ?? addressBytes(request.clientAddress);
      if (!wanted.equals(addressBytes(lease.address))) return answered({ type: NAK, options: [] });
      return answered({ type: ACK, address: lease.address, options: leaseOptions(lease) });
    }
    case INFORM:
      // It has its address from elsewhere, and asks for the rest.
      if (request.clientAddress !== lease.address) return undefined;
      return answered({ type: ACK, options: settings(lease) });
    default:
      return undefined;
  }
}

const leaseOptions = (lease: Lease): (readonly [number, Buffer])[] => [
  [OPTION.leaseTime, uint32(LEASE_SECONDS)],
  [OPTION.renewalTime, uint32(LEASE_SECONDS / 2)],
  [OPTION.rebindingTime, uint32((LEASE_SECONDS * 7) / 8)],
  ...settings(lease),
];

function settings(lease: Lease): (readonly [number, Buffer])[] {
  const { netmask, router, dnsServers, search, hostname, domain, mtu, extra = [] } = lease;
  const own: (readonly [number, Buffer])[] = [[OPTION.subnetMask, addressBytes(netmask)]];
  if (router !== undefined) own.push([OPTION.router, addressBytes(router)]);
  if (dnsServers.length > 0) own.push([OPTION.dnsServers, addressBytes(...dnsServers)]);
  if (hostname) own.push([OPTION.hostname, Buffer.from(hostname, 'latin1')]);
  if (domain) own.push([OPTION.domain, Buffer.from(domain, 'latin1')]);
  if (mtu !== undefined) own.push([OPTION.mtu, uint16(mtu)]);
  if (search.length > 0) own.push([OPTION.search, domainList(search)]);
  const asked = new Set(extra.map(([code]) => code));
  return [...own.filter(([code]) => !asked.has(code)), ...extra];
}
