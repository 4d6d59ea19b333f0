import { domainList, uint32 } from '../dhcp/message.ts';
import {
  addressBytes6,
  OPTION6,
  type Option6,
  parseOptions,
  parseRequest6,
  type Request6,
  readAddress6,
  STATUS,
  TYPE,
  writeMessage6,
  writeOptions,
} from './message.ts';

/** What a card is told by DHCPv6. */
export interface Lease6 {
  readonly address: string;
  readonly dnsServers: readonly string[];
  readonly search: readonly string[];
}

/** A day, as for IPv4: the address stays the same for as long as the card exists. */
const LEASE_SECONDS = 86_400;

/** The name of the server: the same on every node, so that a guest that has moved renews its lease (DUID-LL). */
export const serverId = (mac: string): Buffer => Buffer.from(`00030001${mac.replaceAll(':', '')}`, 'hex');

/** Whether a message is for one server (true), for all (false), or may be both (undefined). */
const IS_FOR_ONE: Readonly<Record<number, boolean | undefined>> = {
  [TYPE.solicit]: false,
  [TYPE.confirm]: false,
  [TYPE.rebind]: false,
  [TYPE.request]: true,
  [TYPE.renew]: true,
  [TYPE.release]: true,
  [TYPE.decline]: true,
};

/** What a server says to a message from a card; undefined if nothing. */
export function answerDhcp6(message: Buffer, server: Buffer, lease: Lease6): Buffer | undefined {
  const request = parseRequest6(message);
  if (!request || !isForServer(request, server)) return undefined;
  const client = find(request, OPTION6.clientId);
  // Only who asks for settings alone may leave out its name.
  if (!client && request.type !== TYPE.informationRequest) return undefined;
  const reply = replyOf(request, lease);
  if (!reply) return undefined;
  const [type, options] = reply;
  return writeMessage6(type, request.transaction, [
    [OPTION6.serverId, server],
    ...(client ? [[OPTION6.clientId, client] as const] : []),
    ...options,
  ]);
}

const find = ({ options }: Pick<Request6, 'options'>, wanted: number): Buffer | undefined =>
  options.find(([code]) => code === wanted)?.[1];

function isForServer(request: Request6, server: Buffer): boolean {
  const named = find(request, OPTION6.serverId);
  const isForOne = IS_FOR_ONE[request.type];
  if (isForOne === false) return named === undefined;
  return named ? named.equals(server) : isForOne !== true;
}

function replyOf(request: Request6, lease: Lease6): readonly [type: number, options: Option6[]] | undefined {
  switch (request.type) {
    case TYPE.solicit: {
      const isRapid = find(request, OPTION6.rapidCommit) !== undefined;
      const options = [...associations(request, lease), ...settings(lease)];
      if (!isRapid) return [TYPE.advertise, options];
      return [TYPE.reply, [[OPTION6.rapidCommit, Buffer.alloc(0)], ...options]];
    }
    case TYPE.request:
    case TYPE.renew:
    case TYPE.rebind:
      return [TYPE.reply, [...associations(request, lease), ...settings(lease)]];
    case TYPE.confirm: {
      const isOwn = addressesIn(request).every((address) => address === lease.address);
      return [TYPE.reply, [status(isOwn ? STATUS.success : STATUS.notOnLink)]];
    }
    case TYPE.release:
    case TYPE.decline:
      return [TYPE.reply, [status(STATUS.success)]];
    case TYPE.informationRequest:
      return [TYPE.reply, settings(lease)];
    default:
      return undefined;
  }
}

const status = (code: number): Option6 => [OPTION6.statusCode, Buffer.from([0, code])];

/** Behind the identity of an association and its two times. */
const ASSOCIATION_HEADER = 12;

const addressesOf = (association: Buffer): string[] =>
  (parseOptions(association.subarray(ASSOCIATION_HEADER)) ?? [])
    .filter(([code]) => code === OPTION6.address)
    .map(([, value]) => readAddress6(value));

const addressesIn = ({ options }: Request6): string[] =>
  options.flatMap(([code, value]) => (code === OPTION6.identityAssociation ? addressesOf(value) : []));

/** The replies to what a client asks to have. It has one address, and no prefixes to hand on. */
function associations({ options }: Request6, lease: Lease6): Option6[] {
  let isGiven = false;
  return options.flatMap(([code, value]): Option6[] => {
    if (value.length < ASSOCIATION_HEADER) return [];
    const identity = value.subarray(0, 4);
    if (code === OPTION6.prefixes) return [[code, association(identity, [0, 0], [status(STATUS.noPrefixes)])]];
    if (code !== OPTION6.identityAssociation) return [];
    if (isGiven) return [[code, association(identity, [0, 0], [status(STATUS.noAddresses)])]];
    isGiven = true;
    const wrong = addressesOf(value).filter((address) => address !== lease.address);
    const addresses = [
      addressOption(lease.address, LEASE_SECONDS),
      ...wrong.map((address) => addressOption(address, 0)),
    ];
    return [[code, association(identity, [LEASE_SECONDS / 2, (LEASE_SECONDS * 7) / 8], addresses)]];
  });
}

const association = (identity: Buffer, times: readonly [number, number], options: readonly Option6[]): Buffer =>
  Buffer.concat([identity, ...times.map(uint32), writeOptions(options)]);

const addressOption = (address: string, seconds: number): Option6 => [
  OPTION6.address,
  Buffer.concat([addressBytes6(address), uint32(seconds), uint32(seconds)]),
];

const settings = ({ dnsServers, search }: Lease6): Option6[] => [
  ...(dnsServers.length > 0 ? [[OPTION6.dnsServers, addressBytes6(...dnsServers)] as const] : []),
  ...(search.length > 0 ? [[OPTION6.search, domainList(search)] as const] : []),
];
