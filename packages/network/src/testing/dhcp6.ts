import { uint32 } from '../dhcp/message.ts';
import {
  addressBytes6,
  OPTION6,
  type Option6,
  parseOptions,
  parseRequest6,
  readAddress6,
  writeMessage6,
  writeOptions,
} from '../dhcp6/message.ts';

/** A message of a client that wants one address. */
export interface TestRequest6 {
  readonly type: number;
  /** The addresses that it has, or wants. */
  readonly addresses?: readonly string[];
  /** How many associations it asks for. */
  readonly associations?: number;
  readonly options?: readonly Option6[];
}

/** What a client calls itself. */
export const CLIENT_ID = Buffer.from('0002000000097669', 'hex');

/** The bytes of a client's message. */
export function dhcp6Request({ type, addresses = [], associations = 1, options = [] }: TestRequest6): Buffer {
  const wanted = addresses.map(
    (each): Option6 => [OPTION6.address, Buffer.concat([addressBytes6(each), Buffer.alloc(8)])],
  );
  const association = (index: number): Option6 => [
    OPTION6.identityAssociation,
    Buffer.concat([uint32(index + 1), Buffer.alloc(8), index === 0 ? writeOptions(wanted) : Buffer.alloc(0)]),
  ];
  return writeMessage6(type, Buffer.from([1, 2, 3]), [
    [OPTION6.clientId, CLIENT_ID],
    ...Array.from({ length: associations }, (_, index) => association(index)),
    ...options,
  ]);
}

/** A server's message. */
export function readReply6(message: Buffer) {
  const { type, transaction, options } = parseRequest6(message) ?? {
    type: 0,
    transaction: Buffer.alloc(0),
    options: [],
  };
  const find = (wanted: number): Buffer | undefined => options.find(([code]) => code === wanted)?.[1];
  const inner = options
    .filter(([code]) => code === OPTION6.identityAssociation || code === OPTION6.prefixes)
    .flatMap(([, value]) => parseOptions(value.subarray(12)) ?? []);
  const statusOf = (from: readonly Option6[]): (number | undefined)[] =>
    from.filter(([code]) => code === OPTION6.statusCode).map(([, value]) => value[1]);
  return {
    type,
    transaction,
    client: find(OPTION6.clientId),
    server: find(OPTION6.serverId)?.toString('hex'),
    isRapid: find(OPTION6.rapidCommit) !== undefined,
    addresses: inner
      .filter(([code]) => code === OPTION6.address)
      .map(([, value]) => `${readAddress6(value)} ${value.readUInt32BE(20)}s`),
    status: [...statusOf(options), ...statusOf(inner)],
    dnsServer: find(OPTION6.dnsServers) && readAddress6(find(OPTION6.dnsServers) ?? Buffer.alloc(0)),
    search: find(OPTION6.search)?.toString('latin1'),
  };
}
