import { readFile } from 'node:fs/promises';
import { isMissingProgram, run } from '../run.ts';
import { parseIptables } from './iptables.ts';
import { baseOf, parseChains, parseTable } from './nftables.ts';
import type { ForeignTable } from './rules.ts';

/** Tables of any home's network on this host. */
const OWN = /^vireo/;
/** What there is for each family: the tables of nftables that filter, and those of iptables, new and old. */
const IPV4 = { families: ['ip', 'inet'], tool: 'iptables', names: '/proc/net/ip_tables_names' } as const;
const IPV6 = { families: ['ip6', 'inet'], tool: 'ip6tables', names: '/proc/net/ip6_tables_names' } as const;

/**
 * The tables of others that filter forwarded packets or those to the host, of IPv6 only if `withIpv6`. Chains are listed without their rules first,
 * so that our own tables, which may be large, are never listed whole.
 */
export async function readForeignTables(withIpv6 = false): Promise<ForeignTable[]> {
  const kinds = withIpv6 ? [IPV4, IPV6] : [IPV4];
  const families = new Set<string>(kinds.flatMap((kind) => kind.families));
  const chains = parseChains(await run('nft', ['-j', 'list', 'chains']));
  const foreign = new Map(
    chains
      .filter((chain) => families.has(chain.family) && !OWN.test(chain.table) && baseOf(chain))
      .map(({ family, table }) => [`${family} ${table}`, { family, table }]),
  );
  const tables = [...foreign.values()].map(async ({ family, table }) => {
    // nft does not show what modules of iptables compare; iptables-save does.
    const tool = family === 'ip6' ? 'ip6tables' : 'iptables';
    const saved = family !== 'inet' && table === 'filter' ? await save(`${tool}-nft-save`) : undefined;
    if (saved !== undefined) return parseIptables(saved, tool);
    return parseTable(await run('nft', ['-j', 'list', 'table', family, table]), family, table);
  });
  const legacy = kinds.map(async ({ tool, names }) => {
    const hasFilter = (await readFile(names, 'utf8').catch(() => '')).split('\n').includes('filter');
    const saved = hasFilter ? await save(`${tool}-legacy-save`) : undefined;
    return saved === undefined ? [] : [parseIptables(saved, `${tool}-legacy`)];
  });
  return [...(await Promise.all(tables)), ...(await Promise.all(legacy)).flat()];
}

/** Undefined where the program is not installed. */
async function save(program: string): Promise<string | undefined> {
  try {
    return await run(program, ['-t', 'filter']);
  } catch (error) {
    if (isMissingProgram(error)) return undefined;
    throw error;
  }
}

/** The devices of the host's default routes, of a family. */
export async function readUplinks(family: '-4' | '-6' = '-4'): Promise<string[]> {
  const routes = JSON.parse((await run('ip', ['-j', family, 'route', 'show', 'default'])) || '[]') as {
    dev?: string;
  }[];
  return [...new Set(routes.flatMap(({ dev }) => (dev ? [dev] : [])))];
}
