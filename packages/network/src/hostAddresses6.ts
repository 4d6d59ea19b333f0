import { readFile } from 'node:fs/promises';
import { canonical6 } from './ranges6.ts';

/** An IPv6 address of this host by which others can reach it. */
export interface HostAddress6 {
  readonly device: string;
  readonly address: string;
  /** Whether it is to last: not one that the kernel made for privacy, that is about to go, or that is not in use yet. */
  readonly isLasting: boolean;
}

const FILE = '/proc/self/net/if_inet6';
const GLOBAL_SCOPE = 0x00;
/** Of linux/if_addr.h: IFA_F_TEMPORARY, IFA_F_DADFAILED, IFA_F_DEPRECATED and IFA_F_TENTATIVE. */
const PASSING = 0x01 | 0x08 | 0x20 | 0x40;

/** What the text of /proc/net/if_inet6 says of addresses that count beyond their link. */
export const parseAddresses6 = (text: string): HostAddress6[] =>
  text
    .split('\n')
    .flatMap((line) => {
      const [address = '', , , scope = '', flags = '', device = ''] = line.trim().split(/\s+/);
      if (!/^[\da-f]{32}$/.test(address) || Number.parseInt(scope, 16) !== GLOBAL_SCOPE) return [];
      const isLasting = (Number.parseInt(flags, 16) & PASSING) === 0;
      return [{ device, address: canonical6(address.replace(/.{4}(?=.)/g, '$&:')), isLasting }];
    })
    // The kernel lists them in an order of its own.
    .sort((a, b) => (a.address < b.address ? -1 : 1));

/** The IPv6 addresses of this host that count beyond their link; none where it has no IPv6. */
export const readAddresses6 = async (): Promise<HostAddress6[]> =>
  parseAddresses6(await readFile(FILE, 'utf8').catch(() => ''));
