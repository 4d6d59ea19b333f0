import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '@vireo/node/guestImage/command.ts';

/** The disks that a lab is given beside its root. */
export interface Disks {
  readonly checkout: string;
  readonly modules: string;
  /** A copy of the one that is kept from run to run: labs can run side by side. */
  readonly cache: string;
}

export interface DiskOptions {
  readonly root: string;
  /** The lab's image, which has the disks that are kept. */
  readonly image: string;
  /** A directory of this run. */
  readonly directory: string;
  readonly job: string;
  readonly kubectl: string;
}

/** Where the checkout is in the guest. */
export const CHECKOUT = '/vireo';

/** Where the job finds kubectl. */
export const KUBECTL = `${CHECKOUT}/.lab/kubectl`;

/** Writes the checkout as it is now to a disk, changes that are not committed included. Its packages change rarely. */
export async function writeDisks({ root, image, directory, job, kubectl }: DiskOptions): Promise<Disks> {
  const tree = join(directory, 'checkout');
  for (const path of sourceFiles(root)) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await copyFile(join(root, path), join(tree, path));
  }
  for (const mountPoint of ['node_modules', '.cache', '.lab']) await mkdir(join(tree, mountPoint));
  await writeFile(join(tree, '.lab/job'), job);
  await copyFile(kubectl, join(tree, '.lab/kubectl'));
  await chmod(join(tree, '.lab/kubectl'), 0o755);
  const disks = {
    checkout: join(directory, 'checkout.img'),
    modules: join(image, 'modules.img'),
    cache: join(directory, 'cache.img'),
  };
  await writeDisk(disks.checkout, tree);
  await rm(tree, { recursive: true });
  await writeModules(join(root, 'node_modules'), disks.modules);
  const kept = join(image, 'cache.img');
  if (existsSync(kept)) await copySparse(kept, disks.cache);
  else await writeDisk(disks.cache);
  return disks;
}

/** Keeps the cache of a lab that ended well for the next ones. */
export async function keepCache({ cache }: Disks, image: string): Promise<void> {
  const kept = join(image, 'cache.img');
  await copySparse(cache, `${kept}.${process.pid}`);
  await rename(`${kept}.${process.pid}`, kept);
}

const copySparse = (from: string, to: string): Promise<string> =>
  runCommand('cp', ['--sparse=always', '--reflink=auto', from, to]);

/** What git tracks or would track. Deleted files are listed, too. */
function sourceFiles(root: string): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const listing = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
  return listing.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
}

/** The set-up leaves a stamp that tells of what the packages were installed. */
async function writeModules(modules: string, disk: string): Promise<void> {
  const stamp = await readFile(join(modules, '.vireo-setup.json'), 'utf8');
  const written = await readFile(`${disk}.stamp`, 'utf8').catch(() => undefined);
  if (written === stamp && existsSync(disk)) return;
  await writeDisk(`${disk}.${process.pid}`, modules);
  await rename(`${disk}.${process.pid}`, disk);
  await writeFile(`${disk}.stamp`, stamp);
}

/** A sparse disk with an ext4 of those files. */
async function writeDisk(disk: string, tree?: string): Promise<void> {
  await rm(disk, { force: true });
  const options = ['-q', '-F', '-t', 'ext4', '-m', '0', '-E', 'lazy_itable_init=1,lazy_journal_init=1'];
  await runCommand('mke2fs', [...options, ...(tree ? ['-d', tree] : []), disk, '4G']);
}
