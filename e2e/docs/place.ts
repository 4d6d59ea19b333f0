import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { repository } from './blocks.ts';

/**
 * A directory as a clone of the project would be, for the commands of a page: everything is where it belongs, and what a
 * command writes stays here, which is the user's own directory as well. VMs of the examples boot the guest of 512 bytes instead of Linux.
 */
export async function makeClone(directory: string, home: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await symlink(home, join(directory, '.vireo'));
  const names = (await readdir(repository)).filter((name) => !name.startsWith('.') && name !== 'examples');
  for (const name of names) await symlink(join(repository, name), join(directory, name));
  const examples = join(directory, 'examples');
  await cp(join(repository, 'examples'), examples, { recursive: true });
  for (const name of await readdir(examples))
    if (name.endsWith('.yaml'))
      await writeFile(join(examples, name), withSmallGuest(await readFile(join(examples, name), 'utf8')));
}

/** Linux takes half a minute where guests are emulated; most pages need none. */
export const withSmallGuest = (manifest: string): string => manifest.replaceAll('vireo/guest', 'vireo/boot-sector');

/** The environment of a user who has exported KUBECONFIG, and has `vireo` on the PATH unless this is the first page. */
export function userEnvironment(home: string, directory: string, isNew: boolean): Record<string, string> {
  const kubectl = process.env.VIREO_KUBECTL;
  const own = isNew ? [] : [join(repository, 'bin')];
  const programs = [...own, ...(kubectl ? [dirname(kubectl)] : []), process.env.PATH ?? ''];
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('VIREO_'));
  return {
    ...Object.fromEntries(outside as [string, string][]),
    NO_COLOR: '1',
    PATH: programs.join(':'),
    HOME: directory,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    VIREO_HOME: home,
    // What kubectl has found out about the server holds for every page.
    KUBECACHEDIR: join(home, 'kubectl-cache'),
    // For what has to be there before a page begins.
    BEFORE: join(import.meta.dirname, 'before'),
    KUBECONFIG: join(home, 'kubeconfig'),
  };
}
