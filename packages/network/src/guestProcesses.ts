import { isIPv4 } from 'node:net';
import { toMetadata } from './metadata.ts';
import { run } from './run.ts';
import { ipv4, ipv6, word } from './text.ts';

/** The processes of a home's guests, by the ids of their users. */
export interface GuestProcesses {
  /** What tells the home from others on this host. */
  readonly owner: string;
  readonly firstUid: number;
  readonly count: number;
  /** The DNS servers of this host, which guests may ask wherever they listen. */
  readonly resolvers: readonly string[];
}

/** The table that keeps the processes of a home's guests from the host. */
export const processTable = (owner: string): string => `vireo-${word(owner)}`;

/**
 * Rules that keep QEMU's user networking from the addresses of the host itself, of which 127.0.0.1 is the one that guests find at
 * 10.0.2.2, and from link-local addresses and others where clouds serve credentials. Replies pass: forwarded ports listen on 127.0.0.1.
 */
export function processRules({ owner, firstUid, count, resolvers }: GuestProcesses): string {
  const table = processTable(owner);
  const four = resolvers.filter((address) => isIPv4(address)).map(ipv4);
  const six = resolvers.filter((address) => !isIPv4(address)).map(ipv6);
  const dns = [
    ...(four.length > 0 ? [`ip daddr { ${four.join(', ')} }`] : []),
    ...(six.length > 0 ? [`ip6 daddr { ${six.join(', ')} }`] : []),
  ].map((servers) => `    ${servers} meta l4proto { tcp, udp } th dport 53 accept\n`);
  return `add table inet ${table}
delete table inet ${table}
table inet ${table} {
  chain output {
    type filter hook output priority 0; policy accept;
    meta skuid ${Number(firstUid)}-${Number(firstUid) + Number(count) - 1} jump guests
  }
  chain guests {
    ct state established,related accept
${dns.join('')}    oifname "lo" goto refuse
    ${toMetadata('IPv4')} goto refuse
    ${toMetadata('IPv6')} goto refuse
  }
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject
  }
}
`;
}

/** Loads the rules, in place of those that are there. */
export const closeHostTo = async (processes: GuestProcesses): Promise<void> => {
  await run('nft', ['-f', '-'], processRules(processes));
};

/** Removes the rules of a home. What is not there is no error, nor is a host where there cannot be any. */
export async function removeProcessRules(owner: string): Promise<void> {
  const table = `inet ${processTable(owner)}`;
  const tables = await run('nft', ['list', 'tables']).catch(() => '');
  if (tables.split('\n').includes(`table ${table}`)) await run('nft', ['delete', 'table', ...table.split(' ')]);
}
