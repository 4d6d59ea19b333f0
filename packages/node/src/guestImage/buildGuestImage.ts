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

/** How far a build is. */
export interface BuildProgress {
  /** What is being done: `Unpacking the packages`. */
  readonly step: string;
  /** Which step of the build it is, from 1. */
  readonly stepNumber: number;
  readonly stepCount: number;
  /** Of a step that fetches something. */
  readonly doneBytes?: number;
  readonly totalBytes?: number;
}

export interface BuildOptions {
  /** Where the image is kept; below it, while a build runs, also what it works with. */
  readonly cacheDir: string;
  /** Called when a step begins, and as it advances. */
  readonly onProgress?: (progress: BuildProgress) => void;
}

const sources = import.meta.dirname;
const files = join(sources, 'files');

/**
 * The path of a bootable raw disk image (sparse) of a small Linux made from Debian's packages. It is built when there
 * is none yet from the same packages and files; a few milliseconds otherwise.
 *
 * @example
 * const image = await buildGuestImage({ cacheDir: '/var/cache/vireo', onProgress: ({ step }) => console.log(step) });
 */
export async function buildGuestImage({ cacheDir, onProgress }: BuildOptions): Promise<string> {
  if (process.arch !== 'x64') throw new Error(`the guest image is for x86-64, but this host is ${process.arch}`);
  await mkdir(cacheDir, { recursive: true });
  const apt = new Apt(join(cacheDir, 'packages'));
  const begin = stepReporter(onProgress);
  begin('Resolving the packages of the guest image');
  const packages = await apt.resolve();
  const image = join(cacheDir, `guest-${await fingerprint(packages)}.img`);
  if (existsSync(image)) return image;
  const build = async (): Promise<string> => {
    if (!existsSync(image)) await writeImage(apt, packages, cacheDir, image, begin);
    return image;
  };
  return withFileLock(join(cacheDir, 'lock'), build, () =>
    onProgress?.({ step: 'Waiting for another build of the guest image', stepNumber: 1, stepCount: STEP_COUNT }),
  );
}

const STEP_COUNT = 5;

/** Reports that a step begins; what it returns reports how far the step is. */
type BeginStep = (step: string) => (bytes: Pick<BuildProgress, 'doneBytes' | 'totalBytes'>) => void;

function stepReporter(onProgress: BuildOptions['onProgress']): BeginStep {
  let stepNumber = 0;
  return (step) => {
    stepNumber += 1;
    const progress = { step, stepNumber, stepCount: STEP_COUNT };
    onProgress?.(progress);
    return (bytes) => onProgress?.({ ...progress, ...bytes });
  };
}

async function writeImage(
  apt: Apt,
  packages: readonly DebianPackage[],
  cacheDir: string,
  image: string,
  begin: BeginStep,
): Promise<void> {
  await removeLeftovers(cacheDir);
  const scratch = await mkdtemp(join(cacheDir, scratchPrefix));
  try {
    const unpacked = new Unpacked(join(scratch, 'unpacked'));
    const root = join(scratch, 'root');
    await apt.fetch(packages, begin(`Downloading ${packages.length} Debian packages`));
    begin('Unpacking the packages');
    await apt.unpack(packages, unpacked.directory);
    begin('Assembling the files of the guest');
    await layOutRoot(unpacked, join(files, 'rootfs'), root);
    const bootFiles = await makeBootFiles(unpacked, files, scratch);
    begin('Writing the file systems to the disk');
    const unfinished = join(scratch, 'disk.img');
    await writeDisk(unfinished, { unpacked, bootFiles, root, scratch });
    await rename(unfinished, image);
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
