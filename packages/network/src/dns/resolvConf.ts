import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Upstream } from './forward.ts';

const FILE = '/etc/resolv.conf';
const DNS_PORT = 53;
/** For so long what was read is used again. */
const AGE_MS = 5_000;

/** The DNS servers in the text of a resolv.conf, without those that are ours. */
export const parseResolvConf = (text: string, except: ReadonlySet<string>): Upstream[] =>
  text.split('\n').flatMap((line) => {
    const [word, address = ''] = line.trim().split(/\s+/);
    return word === 'nameserver' && isIP(address) && !except.has(address) ? [{ address, port: DNS_PORT }] : [];
  });

/** The DNS servers of this host, as they are now. */
export function hostResolvers(except: ReadonlySet<string>, file = FILE): () => Promise<readonly Upstream[]> {
  let readAt = Number.NEGATIVE_INFINITY;
  let found: readonly Upstream[] = [];
  return async () => {
    if (performance.now() - readAt > AGE_MS) {
      found = parseResolvConf(await readFile(file, 'utf8').catch(() => ''), except);
      readAt = performance.now();
    }
    return found;
  };
}
