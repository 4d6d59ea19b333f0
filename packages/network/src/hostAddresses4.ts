import { run } from './run.ts';

interface Link {
  readonly flags?: readonly string[];
  readonly addr_info?: readonly { readonly local: string; readonly scope: string }[];
}

/** What `ip -j -4 addr show` prints of addresses that count beyond their host and their link. */
export const parseAddresses4 = (json: string): string[] =>
  (JSON.parse(json || '[]') as readonly Link[])
    .filter(({ flags = [] }) => flags.includes('UP'))
    .flatMap(({ addr_info = [] }) => addr_info)
    .filter(({ scope }) => scope === 'global')
    .map(({ local }) => local)
    .sort();

/** The IPv4 addresses of this host that count beyond their link, also those of devices without a carrier. */
export const readAddresses4 = async (): Promise<string[]> =>
  parseAddresses4(await run('ip', ['-j', '-4', 'addr', 'show']));
