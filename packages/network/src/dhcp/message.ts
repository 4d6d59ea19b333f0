import { toNumber } from '../ranges.ts';

/** The kinds of messages that a server gets and sends (RFC 2131). */
export const DISCOVER = 1;
export const OFFER = 2;
export const REQUEST = 3;
export const DECLINE = 4;
export const ACK = 5;
export const NAK = 6;
export const RELEASE = 7;
export const INFORM = 8;

/** The numbers of the options that are used here (RFC 2132, 3397, 3442). */
export const OPTION = {
  subnetMask: 1,
  router: 3,
  dnsServers: 6,
  hostname: 12,
  domain: 15,
  mtu: 26,
  ntpServers: 42,
  requestedAddress: 50,
  leaseTime: 51,
  messageType: 53,
  serverIdentifier: 54,
  renewalTime: 58,
  rebindingTime: 59,
  clientIdentifier: 61,
  tftpServer: 66,
  bootFile: 67,
  search: 119,
  routes: 121,
} as const;

const HEADER_LENGTH = 240;
const COOKIE = 0x63825363;
const PAD = 0;
const END = 255;
/** What every client takes (RFC 1542): shorter messages are filled up. */
const SHORTEST = 300;

/** A message of a client. */
export interface Request {
  readonly type: number;
  /** `02:00:00:00:00:01` */
  readonly mac: string;
  /** The address that the client has already; 0.0.0.0 if none. */
  readonly clientAddress: string;
  readonly options: ReadonlyMap<number, Buffer>;
  /** The header that the reply repeats parts of. */
  readonly header: Buffer;
}

/** Reads a message of a client; undefined if it is none. */
export function parseRequest(message: Buffer): Request | undefined {
  const isRequest = message.length >= HEADER_LENGTH && message[0] === 1 && message[1] === 1 && message[2] === 6;
  if (!isRequest || message.readUInt32BE(HEADER_LENGTH - 4) !== COOKIE) return undefined;
  const options = new Map<number, Buffer>();
  for (let at = HEADER_LENGTH; at < message.length; ) {
    const code = message[at] ?? END;
    if (code === END) break;
    if (code === PAD) {
      at++;
      continue;
    }
    const end = at + 2 + (message[at + 1] ?? 0);
    if (end > message.length) return undefined;
    options.set(code, message.subarray(at + 2, end));
    at = end;
  }
  const type = options.get(OPTION.messageType)?.[0];
  if (type === undefined) return undefined;
  const mac = message.toString('hex', 28, 34).replace(/..(?=.)/g, '$&:');
  return { type, mac, clientAddress: readAddress(message, 12), options, header: message.subarray(0, HEADER_LENGTH) };
}

/** What a server replies. */
export interface Reply {
  readonly type: number;
  readonly server: string;
  /** The client's address; missing in a refusal. */
  readonly address?: string;
  readonly options: readonly (readonly [code: number, value: Buffer])[];
}

/** The bytes of a reply. */
export function writeReply({ header }: Request, { type, server, address, options }: Reply): Buffer {
  const head = Buffer.from(header);
  head[0] = 2;
  head[3] = 0;
  // The client's own address stays in a reply to a renewal; the names of server and file are options here.
  if (type === NAK) {
    head.fill(0, 12, 16);
    // A client that has another address hears only what is sent to everybody.
    head[10] = 0x80;
  }
  head.fill(0, 16, 24);
  head.fill(0, 44, HEADER_LENGTH - 4);
  if (address !== undefined) addressBytes(address).copy(head, 16);
  head.writeUInt32BE(COOKIE, HEADER_LENGTH - 4);
  const own: [number, Buffer][] = [
    [OPTION.messageType, Buffer.from([type])],
    [OPTION.serverIdentifier, addressBytes(server)],
  ];
  const parts = [...own, ...options].flatMap(([code, value]) => splitOption(code, value));
  const message = Buffer.concat([head, ...parts, Buffer.from([END])]);
  return message.length >= SHORTEST ? message : Buffer.concat([message, Buffer.alloc(SHORTEST - message.length)]);
}

/** An option, in several parts if it is long (RFC 3396). */
function splitOption(code: number, value: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < value.length; at += 255) {
    const part = value.subarray(at, at + 255);
    parts.push(Buffer.from([code, part.length]), part);
  }
  return parts;
}

const readAddress = (message: Buffer, at: number): string => [...message.subarray(at, at + 4)].join('.');

/** An address as an option has it. */
export const addressBytes = (...addresses: string[]): Buffer =>
  Buffer.concat(addresses.map((each) => uint32(toNumber(each))));

/** A number of 32 bits as an option has it. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A number of 16 bits as an option has it. */
export const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);

/** Domains as the search list has them (RFC 1035, without compression). */
export const domainList = (names: readonly string[]): Buffer =>
  Buffer.concat(
    names.map((name) =>
      Buffer.concat([
        ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
        Buffer.from([0]),
      ]),
    ),
  );

/** Routes as an option has them (RFC 3442): the length of the prefix, as many octets of it as count, and the gateway. */
export const classlessRoutes = (
  routes: readonly { readonly destination: string; readonly gateway: string }[],
): Buffer =>
  Buffer.concat(
    routes.flatMap(({ destination, gateway }) => {
      const [address = '', length = '0'] = destination.split('/');
      const significant = addressBytes(address).subarray(0, Math.ceil(Number(length) / 8));
      return [Buffer.from([Number(length)]), significant, addressBytes(gateway)];
    }),
  );
