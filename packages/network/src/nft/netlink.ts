import { endianness } from 'node:os';
import { toBigInt } from '../ranges6.ts';
import { ipv4, mac } from '../text.ts';
import type { Element, Family } from './fragment.ts';
import type { Change } from './script.ts';
import type { Field, SetType } from './setTypes.ts';

/** One transaction for the kernel's nftables, and how many replies it gives. */
export interface Batch {
  readonly bytes: Buffer;
  readonly replies: number;
}

const FAMILY: Readonly<Record<Family, number>> = { inet: 1, ip: 2, arp: 3, ip6: 10 };
const SUBSYSTEM = 10;
const [BATCH_BEGIN, BATCH_END] = [16, 17];
const [NEW_ELEMENTS, DELETE_ELEMENTS] = [(SUBSYSTEM << 8) | 12, (SUBSYSTEM << 8) | 14];
const [REQUEST, ACKNOWLEDGE, CREATE] = [0x1, 0x4, 0x400];
const NESTED = 0x8000;
const VERDICTS: Readonly<Record<string, number>> = { jump: -3, goto: -4 };
const PROTOCOLS: Readonly<Record<string, number>> = { tcp: 6, udp: 17, sctp: 132 };
/** The length of an attribute is a number of two bytes. */
const MOST_ELEMENTS_BYTES = 60_000;
/** The kernel takes no more at once than the buffer of a socket holds: 208 KiB, where nobody has set `net.core.wmem_default`. */
const MOST_BYTES = 100_000;
/** Their replies wait in the kernel until all is done. */
const MOST_MESSAGES = 64;
const isLittleEndian = endianness() === 'LE';

/**
 * The elements that change, as one transaction for the kernel. `nft` would read all chains and sets of the host first; this
 * costs as much as it changes. `typeOf`: of a set, by family and name. Undefined where it cannot be said this way.
 */
export function elementBatch(
  table: string,
  changes: Iterable<Change<Element>>,
  typeOf: (set: string) => SetType | undefined,
): Batch | undefined {
  const removed = new Map<string, Element[]>();
  const added = new Map<string, Element[]>();
  for (const { before, after } of changes) {
    if (before && after && before.value === after.value) continue;
    if (before) append(removed, before);
    if (after) append(added, after);
  }
  const messages: Buffer[] = [];
  for (const [type, sets] of [[DELETE_ELEMENTS, removed] as const, [NEW_ELEMENTS, added] as const]) {
    for (const [set, elements] of sets) {
      const setType = typeOf(set);
      const [family, name] = set.split(' ') as [Family, string];
      const list = setType && Buffer.concat(elements.map((each) => elementAttribute(each, setType, type)));
      if (!list || list.length > MOST_ELEMENTS_BYTES) return undefined;
      const flags = REQUEST | ACKNOWLEDGE | (type === NEW_ELEMENTS ? CREATE : 0);
      const attributes = [attribute(1, text(table)), attribute(2, text(name)), attribute(3 | NESTED, list)];
      messages.push(message(type, flags, messages.length + 1, FAMILY[family], 0, ...attributes));
    }
  }
  if (messages.length > MOST_MESSAGES) return undefined;
  const begin = message(BATCH_BEGIN, REQUEST, 0, 0, SUBSYSTEM);
  const end = message(BATCH_END, REQUEST, messages.length + 1, 0, SUBSYSTEM);
  const bytes = Buffer.concat([begin, ...messages, end]);
  return bytes.length > MOST_BYTES ? undefined : { bytes, replies: messages.length };
}

function append(lists: Map<string, Element[]>, element: Element): void {
  const set = `${element.family} ${element.set}`;
  const list = lists.get(set);
  if (list) list.push(element);
  else lists.set(set, [element]);
}

function elementAttribute({ key, value }: Element, { key: fields, value: values }: SetType, type: number): Buffer {
  const parts = [attribute(1 | NESTED, attribute(1, data(key, fields)))];
  if (value !== undefined && values !== undefined && type === NEW_ELEMENTS)
    parts.push(attribute(2 | NESTED, values === 'verdict' ? verdict(value) : attribute(1, data(value, values))));
  return attribute(1 | NESTED, ...parts);
}

/** `goto service/default/web/http` */
function verdict(value: string): Buffer {
  const [kind = '', chain = ''] = value.split(' ');
  const code = VERDICTS[kind];
  if (code === undefined) throw new Error(`${JSON.stringify(value)} is not a verdict of a map`);
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(code);
  return attribute(2 | NESTED, attribute(1, bytes), attribute(2, text(chain)));
}

/** A key or a value of several parts: each begins at a multiple of four bytes. */
function data(value: string, fields: readonly Field[]): Buffer {
  const parts = value.split(' . ');
  if (parts.length !== fields.length) throw new Error(`${JSON.stringify(value)} has not ${fields.length} parts`);
  const encoded = parts.map((part, index) => ENCODERS[fields[index]!](part));
  return encoded.length === 1 ? encoded[0]! : Buffer.concat(encoded.map(padded));
}

const ENCODERS: Readonly<Record<Field, (part: string) => Buffer>> = {
  ipv4_addr: (part) => Buffer.from(ipv4(part).split('.').map(Number)),
  ipv6_addr: (part) => Buffer.from(toBigInt(part).toString(16).padStart(32, '0'), 'hex'),
  ether_addr: (part) => Buffer.from(mac(part).replaceAll(':', ''), 'hex'),
  ifname: (part) => {
    const name = Buffer.alloc(16);
    name.write(part.replaceAll('"', ''));
    return name;
  },
  inet_proto: (part) => Buffer.from([PROTOCOLS[part] ?? Number(part)]),
  inet_service: (part) => {
    const port = Buffer.alloc(2);
    port.writeUInt16BE(Number(part));
    return port;
  },
  integer: (part) => {
    const number = Buffer.alloc(4);
    if (isLittleEndian) number.writeUInt32LE(Number(part));
    else number.writeUInt32BE(Number(part));
    return number;
  },
};

/** A message of netlink with the header of nftables. Numbers are the host's; `resource` is not. */
function message(
  type: number,
  flags: number,
  sequence: number,
  family: number,
  resource: number,
  ...attributes: Buffer[]
): Buffer {
  const body = Buffer.concat(attributes);
  const header = Buffer.alloc(20);
  write(header, 0, 4, header.length + body.length);
  write(header, 4, 2, type);
  write(header, 6, 2, flags);
  write(header, 8, 4, sequence);
  header[16] = family;
  header.writeUInt16BE(resource, 18);
  return Buffer.concat([header, body]);
}

function attribute(type: number, ...values: Buffer[]): Buffer {
  const value = Buffer.concat(values);
  const header = Buffer.alloc(4);
  write(header, 0, 2, header.length + value.length);
  write(header, 2, 2, type);
  return Buffer.concat([header, padded(value)]);
}

function write(buffer: Buffer, at: number, bytes: 2 | 4, value: number): void {
  if (isLittleEndian) buffer.writeUIntLE(value, at, bytes);
  else buffer.writeUIntBE(value, at, bytes);
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

function padded(value: Buffer): Buffer {
  const rest = value.length % 4;
  return rest === 0 ? value : Buffer.concat([value, Buffer.alloc(4 - rest)]);
}
