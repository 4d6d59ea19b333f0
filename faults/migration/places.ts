import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { type NodeLayout, nodeLayout } from '@vireo/node';
import { isTapName } from '@vireo/node/network/addresses.ts';
import { vmiFiles } from '@vireo/node/vmi/files.ts';
import { leftoversOf } from '../../e2e/vms/leftovers.ts';

export type { NodeLayout } from '@vireo/node';

const run = promisify(execFile);

/** The uids of VMIs that have files on a node. */
export const vmisOnDisk = (layout: NodeLayout): Promise<string[]> => readdir(layout.vmis).catch(() => []);

/** A node of the test: its home, and the network namespace that it lives in. */
export interface Place {
  readonly name: string;
  readonly home: string;
  readonly namespace: string;
}

/** What guests have on a node: processes, files, sockets, definitions, cgroups, taps and what nftables knows of them. */
export async function remainsOn({ home, namespace }: Place): Promise<string[]> {
  const { cards: _, files = [], ...others } = await leftoversOf(home);
  // As long as the launcher of a migration that has failed is there, people read its log.
  const found = { ...others, files: await notOnlyLogs(files, nodeLayout(home, true)) };
  const remains = Object.entries(found).flatMap(([what, names]) => names.map((name) => `${what}: ${name}`));
  const within = async (program: string, ...args: string[]): Promise<string> =>
    (await run('nsenter', [`--net=/run/netns/${namespace}`, program, ...args], { maxBuffer: 1 << 26 })).stdout;
  const links = JSON.parse(await within('ip', '-j', 'link')) as { readonly ifname: string }[];
  const rules = await within('nft', 'list', 'ruleset');
  return [
    ...remains,
    ...links.filter(({ ifname }) => isTapName(ifname)).map(({ ifname }) => `tap: ${ifname}`),
    ...new Set([...rules.matchAll(/"(vt[0-9a-f]{12})"/g)].map(([, tap]) => `nftables: ${tap}`)),
  ];
}

/** Of the VMIs that have files on a node, those that have more than the log of a console. */
async function notOnlyLogs(uids: readonly string[], layout: NodeLayout): Promise<string[]> {
  const areLogs = await Promise.all(
    uids.map(async (uid) => {
      const { directory, serialLog } = vmiFiles(layout, uid);
      const names = await readdir(directory).catch(() => []);
      return names.length > 0 && names.every((name) => name === basename(serialLog));
    }),
  );
  return uids.filter((_, index) => !areLogs[index]);
}

/** Of what is on a node that has one guest, what is not this guest's: other VMIs' files, and whatever one guest has once. */
export function beyondOne(remains: readonly string[], uid: string): string[] {
  const kindOf = (each: string): string => each.slice(0, each.indexOf(':'));
  return remains.filter((each, index) => {
    const kind = kindOf(each);
    if (kind === 'files' || kind === 'sockets') return !each.endsWith(`: ${uid}`);
    return ONCE.has(kind) && remains.findIndex((other) => kindOf(other) === kind) !== index;
  });
}

const ONCE = new Set(['guests', 'definitions', 'states', 'tap', 'nftables']);
