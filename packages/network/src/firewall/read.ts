import { readFile } from 'node:fs/promises';
import { type CommandError, run } from '../run.ts';
import { parseIptables } from './iptables.ts';
import { baseOf, parseChains, parseTable } from './nftables.ts';
import type { ForeignTable } from './rules.ts';

/** Tables of any home's network on this host. */
const OWN = /^vireo/;
const LEGACY_TABLES = '/proc/net/ip_tables_names';

/**
 * The tables of others that filter forwarded IPv4 packets or those to the host. Chains are listed without their rules first,
 * so that our own tables, which may be large, are never listed whole.
 */
export async function readForeignTables(): Promise<ForeignTable[]> {
  const chains = parseChains(await run('nft', ['-j', 'list', 'chains']));
  const foreign = new Map(
    chains
      .filter((chain) => ['ip', 'inet'].includes(chain.family) && !OWN.test(chain.table) && baseOf(chain))
      .map(({ family, table }) => [`${family} ${table}`, { family, table }]),
  );
  const tables = [...foreign.values()].map(async ({ family, table }) => {
    // nft does not show what modules of iptables compare; iptables-save does.
    const saved = family === 'ip' && table === 'filter' ? await save('iptables-nft-save') : undefined;
    if (saved !== undefined) return parseIptables(saved, 'iptables');
    return parseTable(await run('nft', ['-j', 'list', 'table', family, table]), family, table);
  });
  const legacy = (await readFile(LEGACY_TABLES, 'utf8').catch(() => '')).split('\n').includes('filter')
    ? await save('iptables-legacy-save')
    : undefined;
  return [...(await Promise.all(tables)), ...(legacy === undefined ? [] : [parseIptables(legacy, 'iptables-legacy')])];
}

/** Undefined where the program is not installed. */
async function save(program: string): Promise<string | undefined> {
  try {
    return await run(program, ['-t', 'filter']);
  } catch (error) {
    if (((error as CommandError).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The devices of the host's default routes. */
export async function readUplinks(): Promise<string[]> {
  const routes = JSON.parse((await run('ip', ['-j', '-4', 'route', 'show', 'default'])) || '[]') as { dev?: string }[];
  return [...new Set(routes.flatMap(({ dev }) => (dev ? [dev] : [])))];
}
