import { readFileSync } from 'node:fs';
import { canonical6, type Protocol } from '@vireo/network';

/** What the kernel calls a socket that takes connections, and one that takes datagrams from anybody. */
const LISTENING = { tcp: '0A', udp: '07' } as const;
/** From here on, datagram sockets are mostly those of clients. */
const FIRST_EPHEMERAL_PORT = 32_768;

/** Where a program of this host takes connections: at an address, or at all. */
export interface Listening {
  readonly address: string | 'any';
  readonly port: number;
}

/** What the text of /proc/net/tcp, udp or their siblings for IPv6 says of programs that take connections. */
export const parseListening = (text: string, protocol: 'tcp' | 'udp'): Listening[] =>
  text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state] = line.trim().split(/\s+/);
      const [hexAddress = '', hexPort = ''] = local.split(':');
      const port = Number.parseInt(hexPort, 16);
      const address = parseAddress(hexAddress);
      if (state !== LISTENING[protocol] || address === undefined || !(port > 0)) return [];
      return protocol === 'udp' && port >= FIRST_EPHEMERAL_PORT ? [] : [{ address, port }];
    });

/** Words in the byte order of the host: 127.0.0.1 is 0100007F. An IPv4 address by IPv6 is one of IPv4. */
function parseAddress(hex: string): string | undefined {
  if (/^0+$/.test(hex)) return 'any';
  const octets = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse());
  const ipv4 = octets.length === 4 ? octets : /^0{16}FFFF0000/.test(hex) ? octets.slice(12) : undefined;
  if (ipv4) return ipv4.map((octet) => Number.parseInt(octet, 16)).join('.');
  return octets.length === 16 ? canonical6(octets.join('').replace(/.{4}(?=.)/g, '$&:')) : undefined;
}

/** For so long what was read counts. */
const AGE_MS = 1_000;

/** Whether a program of this host takes connections to a port; `address`: at this one, else at all of them. */
export type IsListening = (protocol: Protocol, port: number, address?: string) => boolean;

/** Asks the kernel which ports programs of this host have, so that no Service leads their connections elsewhere. */
export function listeningPorts(read: (file: string) => string = readIfThere): IsListening {
  let readAt = Number.NEGATIVE_INFINITY;
  let found: Record<Protocol, readonly Listening[]> = { tcp: [], udp: [], sctp: [] };
  return (protocol, port, address) => {
    if (performance.now() - readAt > AGE_MS) {
      const all = (kind: 'tcp' | 'udp'): Listening[] =>
        [kind, `${kind}6`].flatMap((file) => parseListening(read(`/proc/self/net/${file}`), kind));
      found = { tcp: all('tcp'), udp: all('udp'), sctp: [] };
      readAt = performance.now();
    }
    return found[protocol].some((each) => each.port === port && (each.address === 'any' || each.address === address));
  };
}

/** Without IPv6 some are missing. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
