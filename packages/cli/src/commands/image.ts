import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { diskUseBytes, formatBytes } from '../diskUse.ts';
import { formatDuration } from '../duration.ts';
import { examples } from '../examples.ts';
import { Failure } from '../failure.ts';
import { imageCache } from '../imageCache.ts';
import { homeOption, outputOption } from '../options.ts';

/** `vireo image`: the images that machines can name without a registry. */
export function addImageCommand(program: Command): void {
  const image = program
    .command('image')
    .summary('build and list the images that come with Vireo')
    .description('Builds the guest that comes with Vireo, and lists the images that machines can name as they are.')
    .addHelpText(
      'after',
      examples(['vireo image build', 'make vireo/guest ready'], ['vireo image list', 'what there is']),
    );

  image
    .command('build')
    .summary('build the image vireo/guest')
    .description(
      'Builds the image `vireo/guest`, a small Linux made from Debian’s packages. Machines that name it have it built ' +
        'when they first need it; with this command nobody waits then. An image that is up to date is left alone.',
    )
    .addOption(homeOption())
    .addHelpText('after', examples(['vireo image build', 'takes about half a minute']))
    .action(build);

  image
    .command('list')
    .summary('list the images of this host')
    .description('Lists the images that come with Vireo and the disk files below `images/` in the home.')
    .addOption(homeOption())
    .addOption(outputOption())
    .addHelpText('after', examples(['vireo image list', 'for people'], ['vireo image list -o json', 'for programs']))
    .action(list);
}

async function build({ home }: { home: string }): Promise<void> {
  // Loaded here, so that the other commands start without it.
  const { buildGuestImage } = await import('@vireo/node');
  const startedAt = performance.now();
  let steps = Promise.resolve();
  try {
    const path = await buildGuestImage({
      cacheDir: imageCache(home),
      onStep: (title, ended) => {
        process.stdout.write(`${title} …`);
        steps = ended.then(({ durationMs }) => console.log(` ${formatDuration(durationMs)}`));
      },
    });
    await steps;
    console.log(`vireo/guest is ready after ${formatDuration(performance.now() - startedAt)}: ${path}`);
  } catch (error) {
    console.log(' failed');
    throw new Failure(
      `the image vireo/guest cannot be built: ${error instanceof Error ? error.message : String(error)}`,
      'It is made from Debian’s packages: check the network, the sources in /etc/apt and the space on the disk.',
    );
  }
}

/** An image of this host. */
interface ListedImage {
  readonly name: string;
  readonly path?: string;
  readonly bytes?: number;
}

async function list({ home, output }: { home: string; output: string }): Promise<void> {
  const [guest, own] = await Promise.all([builtGuest(home), diskFiles(join(home, 'images'))]);
  const images: ListedImage[] = [{ name: 'vireo/guest', ...guest }, { name: 'vireo/boot-sector' }, ...own];
  console.log(output === 'json' ? JSON.stringify(images, undefined, 2) : listText(images));
}

/** The images as a table. */
function listText(images: readonly ListedImage[]): string {
  const rows = images.map(({ name, path, bytes = 0 }) =>
    path ? [name, formatBytes(bytes), path] : [name, '–', 'made when it is first used'],
  );
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map(([name, size, path]) => `${name?.padEnd(width(0))}  ${size?.padEnd(width(1))}  ${path}`).join('\n');
}

/** The newest guest image that was built. */
export async function builtGuest(home: string): Promise<{ path: string; bytes: number } | undefined> {
  const directory = imageCache(home);
  const names = await readdir(directory).catch(() => []);
  const built = await Promise.all(
    names
      .filter((name) => /^guest-[\da-f]+\.img$/.test(name))
      .map(async (name) => {
        const { mtimeMs, blocks } = await stat(join(directory, name));
        return { path: join(directory, name), mtimeMs, bytes: blocks * 512 };
      }),
  );
  const newest = built.sort((a, b) => b.mtimeMs - a.mtimeMs)[0];
  return newest && { path: newest.path, bytes: newest.bytes };
}

async function diskFiles(directory: string): Promise<ListedImage[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && /^disk\.(qcow2|raw)$/.test(entry.name));
  return Promise.all(
    files.map(async ({ name, parentPath }) => ({
      name: relative(directory, parentPath),
      path: join(parentPath, name),
      bytes: await diskUseBytes(dirname(join(parentPath, name))),
    })),
  );
}
