import dns from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/*
 * Where downloads do not go. Whoever may make a disk chooses the address that a node, which stands elsewhere and may
 * reach more than he does, asks on his behalf, and reads the response in the disk.
 */

/** Addresses of this link, and others where clouds tell a host who it is and give it their keys: guests do not get there, either. */
export const ALWAYS_OFF_LIMITS = [
  ...['169.254.0.0/16', '100.100.100.200/32'],
  ...['fe80::/10', 'fd00:ec2::/32', 'fd20:ce::/32'],
];

/** What a setting may call by a name. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'],
};

/** An address that no download may go to. */
export class OffLimits extends Error {
  override readonly name = 'OffLimits';
  constructor(host: string, address: string) {
    super(
      host === address
        ? `downloads from ${host} are not allowed`
        : `downloads from ${host} are not allowed: its address is ${address}`,
    );
  }
}

export interface Boundary {
  /** Throws OffLimits for a URL that names such an address itself. */
  expectWithin(url: URL): void;
  /** Looks a name up as Node does, for a connection; fails with OffLimits where it leads to such an address. */
  readonly lookup: LookupFunction;
}

/**
 * What is off limits beside the addresses of this link: `loopback`, `private`, and networks such as `203.0.113.0/24`,
 * with commas between them.
 *
 * @example
 * boundary('loopback,private').expectWithin(new URL('http://127.0.0.1/')); // throws
 */
export function boundary(setting = ''): Boundary {
  const blocked = new BlockList();
  for (const network of [...ALWAYS_OFF_LIMITS, ...networksOf(setting)]) {
    const [address = '', length] = network.split('/');
    blocked.addSubnet(address, Number(length), familyOf(address));
  }
  const isBlocked = (address: string): boolean => blocked.check(address, familyOf(address));
  return {
    expectWithin({ hostname }) {
      const address = hostname.replace(/^\[(.*)\]$/, '$1');
      if (isIP(address) !== 0 && isBlocked(address)) throw new OffLimits(address, address);
    },
    lookup(host, options, callback) {
      dns.lookup(host, { ...options, all: true }, (error, found) => {
        const wrong = found?.find(({ address }) => isBlocked(address));
        if (error || wrong) callback(error ?? new OffLimits(host, wrong!.address), '', 0);
        else if (options.all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      });
    },
  };
}

let own: Boundary | undefined;

/** That of this process, by its environment: VIREO_IMPORT_REFUSE. */
export function ownBoundary(): Boundary {
  own ??= boundary(process.env.VIREO_IMPORT_REFUSE);
  return own;
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function networksOf(setting: string): string[] {
  const words = setting.split(',').map((word) => word.trim());
  return words.filter((word) => word !== '').flatMap((word) => NAMED[word] ?? [expectNetwork(word)]);
}

function expectNetwork(word: string): string {
  const [address = '', length = ''] = word.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  if (isIP(address) !== 0 && /^\d+$/.test(length) && Number(length) <= most) return word;
  throw new Error(`${JSON.stringify(word)} is neither loopback, nor private, nor a network such as 203.0.113.0/24`);
}
