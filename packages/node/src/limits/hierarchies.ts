import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a guest is limited by. */
export const CONTROLLERS = ['memory', 'cpu', 'pids'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** A tree of cgroups that is mounted on this host. */
export interface Hierarchy {
  readonly version: 1 | 2;
  readonly mount: string;
  readonly controllers: readonly Controller[];
  /** Whether systemd goes by this tree to know which process belongs to which unit. */
  readonly isSystemds: boolean;
}

const isController = (word: string): word is Controller => CONTROLLERS.some((each) => each === word);

/** The trees in a mountinfo file. What a tree of version 2 controls is in a file of its own, not in its options. */
export function mountedHierarchies(mountinfo: string): Hierarchy[] {
  const found: Hierarchy[] = [];
  for (const line of mountinfo.split('\n')) {
    const [place = '', kind = ''] = line.split(' - ');
    const mount = unescapePath(place.split(' ')[4] ?? '');
    const [type, , options = ''] = kind.split(' ');
    const words = options.split(',');
    if (type === 'cgroup2') found.push({ version: 2, mount, controllers: [], isSystemds: true });
    else if (type === 'cgroup')
      found.push({
        version: 1,
        mount,
        controllers: words.filter(isController),
        isSystemds: words.includes('name=systemd'),
      });
  }
  // A tree that is mounted twice is one tree.
  const names = new Set<string>();
  return found.filter((each) => {
    const name = `${each.version} ${each.controllers} ${each.isSystemds}`;
    return !names.has(name) && names.add(name);
  });
}

/** Blanks and backslashes in the paths of the kernel are octal numbers. */
const unescapePath = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** The trees of this host that have something to do with limits. */
export async function readHierarchies(mountinfo = '/proc/self/mountinfo'): Promise<Hierarchy[]> {
  const mounted = mountedHierarchies(await readFile(mountinfo, 'utf8'));
  const known = await Promise.all(
    mounted.map(async (each) => {
      if (each.version === 1) return each;
      const offered = await readFile(join(each.mount, 'cgroup.controllers'), 'utf8').catch(() => '');
      return { ...each, controllers: offered.trim().split(' ').filter(isController) };
    }),
  );
  return known.filter(({ controllers, isSystemds }) => controllers.length > 0 || isSystemds);
}
