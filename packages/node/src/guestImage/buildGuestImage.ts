import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeBootFiles } from './bootFiles.ts';
import { writeDisk } from './disk.ts';
import { withFileLock } from './lock.ts';
import { Apt, type DebianPackage } from './packages.ts';
import { layOutRoot } from './rootTrees.ts';
import { Unpacked } from './unpacked.ts';

/** One step of the build that has ended. */
export interface BuildStep {
  readonly title: string;
  readonly durationMs: number;
}

export interface BuildOptions {
  /** Where the image is kept; below it, while a build runs, also what it works with. */
  readonly cacheDir: string;
  /** Told when a step begins, and by `ended` when it is over. */
  readonly onStep?: (title: string, ended: Promise<BuildStep>) => void;
}

const sources = import.meta.dirname;
const files = join(sources, 'files');

/**
 * The path of a bootable raw disk image (sparse) of a small Linux made from Debian's packages. It is built when there
 * is none yet from the same packages and files; a few milliseconds otherwise.
 *
 * @example
 * const image = await buildGuestImage({ cacheDir: '/var/cache/vireo', onStep: (title) => console.log(title) });
 */
export async function buildGuestImage({ cacheDir, onStep }: BuildOptions): Promise<string> {
  if (process.arch !== 'x64')
    throw new Error(`the guest image is made for x86-64, and this machine is ${process.arch}`);
  await mkdir(cacheDir, { recursive: true });
  const apt = new Apt(join(cacheDir, 'packages'));
  const step = stepper(onStep);
  const packages = await step('Looking up the packages of the guest image', () => apt.resolve());
  const image = join(cacheDir, `guest-${await fingerprint(packages)}.img`);
  if (existsSync(image)) return image;
  return withFileLock(join(cacheDir, 'lock'), async () => {
    if (!existsSync(image)) await build(apt, packages, cacheDir, image, step);
    return image;
  });
}

type Stepper = <T>(title: string, work: () => Promise<T>) => Promise<T>;

function stepper(onStep: BuildOptions['onStep']): Stepper {
  return async (title, work) => {
    const startedAt = performance.now();
    const result = work();
    const ended = result.then(() => ({ title, durationMs: performance.now() - startedAt }));
    ended.catch(() => {});
    onStep?.(title, ended);
    return result;
  };
}

async function build(
  apt: Apt,
  packages: readonly DebianPackage[],
  cacheDir: string,
  image: string,
  step: Stepper,
): Promise<void> {
  await removeLeftovers(cacheDir);
  const scratch = await mkdtemp(join(cacheDir, scratchPrefix));
  try {
    const unpacked = new Unpacked(join(scratch, 'unpacked'));
    const root = join(scratch, 'root');
    await step(`Fetching and unpacking ${packages.length} Debian packages`, () =>
      apt.unpack(packages, unpacked.directory),
    );
    const bootFiles = await step('Laying out the files of the guest', async () => {
      await layOutRoot(unpacked, join(files, 'rootfs'), root);
      return makeBootFiles(unpacked, files, scratch);
    });
    await step('Writing the disk', async () => {
      const unfinished = join(scratch, 'disk.img');
      await writeDisk(unfinished, { unpacked, bootFiles, root, scratch });
      await rename(unfinished, image);
    });
    await apt.clean();
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const scratchPrefix = 'build-';

/** What builds left behind that were killed. Only the holder of the lock may call this. */
async function removeLeftovers(cacheDir: string): Promise<void> {
  const leftovers = (await readdir(cacheDir)).filter((name) => name.startsWith(scratchPrefix));
  for (const name of leftovers) await rm(join(cacheDir, name), { recursive: true, force: true });
}

/** Changes whenever a package has a new version, or one of the files here that make the image changes. */
async function fingerprint(packages: readonly DebianPackage[]): Promise<string> {
  const hash = createHash('sha256');
  for (const { fileName } of packages) hash.update(`${fileName}\n`);
  const paths = (await readdir(sources, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.ts$|\/testing\//.test(join(entry.parentPath, entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const path of paths) hash.update(path.slice(sources.length)).update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}
