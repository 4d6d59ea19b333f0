import { canonical6, toAddress6, toBigInt } from '../ranges6.ts';

/** The kinds of messages that a server gets and sends (RFC 8415). */
export const TYPE = {
  solicit: 1,
  advertise: 2,
  request: 3,
  confirm: 4,
  renew: 5,
  rebind: 6,
  reply: 7,
  release: 8,
  decline: 9,
  informationRequest: 11,
} as const;

/** The numbers of the options that are used here (RFC 8415, 3646). */
export const OPTION6 = {
  clientId: 1,
  serverId: 2,
  identityAssociation: 3,
  address: 5,
  statusCode: 13,
  rapidCommit: 14,
  dnsServers: 23,
  search: 24,
  prefixes: 25,
} as const;

/** What became of a request. */
export const STATUS = { success: 0, noAddresses: 2, notOnLink: 4, noPrefixes: 6 } as const;

export type Option6 = readonly [code: number, value: Buffer];

/** A message of a client. */
export interface Request6 {
  readonly type: number;
  readonly transaction: Buffer;
  readonly options: readonly Option6[];
}

/** Reads a message of a client; undefined if it is none. */
export function parseRequest6(message: Buffer): Request6 | undefined {
  const options = message.length >= 4 ? parseOptions(message.subarray(4)) : undefined;
  return options && { type: message[0] ?? 0, transaction: message.subarray(1, 4), options };
}

/** Reads options, one behind the other; undefined if one is cut off. */
export function parseOptions(bytes: Buffer): Option6[] | undefined {
  const options: Option6[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return undefined;
    const end = at + 4 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) return undefined;
    options.push([bytes.readUInt16BE(at), bytes.subarray(at + 4, end)]);
    at = end;
  }
  return options;
}

/** The bytes of options. */
export const writeOptions = (options: readonly Option6[]): Buffer =>
  Buffer.concat(
    options.flatMap(([code, value]) => {
      const head = Buffer.alloc(4);
      head.writeUInt16BE(code);
      head.writeUInt16BE(value.length, 2);
      return [head, value];
    }),
  );

/** The bytes of a message. */
export const writeMessage6 = (type: number, transaction: Buffer, options: readonly Option6[]): Buffer =>
  Buffer.concat([Buffer.from([type]), transaction, writeOptions(options)]);

/** The bytes of addresses, one behind the other. */
export const addressBytes6 = (...addresses: readonly string[]): Buffer =>
  Buffer.concat(addresses.map((each) => Buffer.from(toBigInt(each).toString(16).padStart(32, '0'), 'hex')));

/** The address that begins at a byte. */
export const readAddress6 = (bytes: Buffer, at = 0): string =>
  bytes.length < at + 16 ? canonical6('::') : toAddress6(BigInt(`0x${bytes.toString('hex', at, at + 16)}`));
