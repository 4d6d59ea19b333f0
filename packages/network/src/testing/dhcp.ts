import { addressBytes, OPTION } from '../dhcp/message.ts';

/** A message of a client. */
export interface TestRequest {
  readonly type: number;
  readonly mac: string;
  readonly clientAddress?: string;
  readonly requested?: string;
  readonly server?: string;
  readonly isBroadcast?: boolean;
}

/** The bytes of a client's message. */
export function dhcpRequest({ type, mac, clientAddress, requested, server, isBroadcast }: TestRequest): Buffer {
  const head = Buffer.alloc(240);
  head.set([1, 1, 6, 0, 1, 2, 3, 4]);
  if (isBroadcast) head[10] = 0x80;
  if (clientAddress) addressBytes(clientAddress).copy(head, 12);
  Buffer.from(mac.replaceAll(':', ''), 'hex').copy(head, 28);
  head.writeUInt32BE(0x63825363, 236);
  const options: Buffer[] = [Buffer.from([OPTION.messageType, 1, type, 0])];
  if (requested) options.push(Buffer.from([OPTION.requestedAddress, 4]), addressBytes(requested));
  if (server) options.push(Buffer.from([OPTION.serverIdentifier, 4]), addressBytes(server));
  return Buffer.concat([head, ...options, Buffer.from([255])]);
}

/** A server's message; parts of an option are put together. */
export function readReply(message: Buffer) {
  const options = new Map<number, Buffer>();
  for (let at = 240; message[at] !== 255; at += 2 + (message[at + 1] ?? 0)) {
    const code = message[at] ?? 0;
    const part = message.subarray(at + 2, at + 2 + (message[at + 1] ?? 0));
    options.set(code, Buffer.concat([options.get(code) ?? Buffer.alloc(0), part]));
  }
  const addressAt = (at: number): string => [...message.subarray(at, at + 4)].join('.');
  return {
    type: options.get(OPTION.messageType)?.[0],
    server: [...(options.get(OPTION.serverIdentifier) ?? [])].join('.'),
    clientAddress: addressAt(12),
    address: addressAt(16),
    isBroadcast: (message[10] ?? 0) >= 0x80,
    options,
  };
}
