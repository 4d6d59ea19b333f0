import type { BuildProgress } from '@vireo/node';
import type { Command } from 'commander';
import { formatDuration } from '../duration.ts';
import { examples } from '../examples.ts';
import { Failure } from '../failure.ts';
import { imageCache } from '../imageCache.ts';
import { homeOption, outputOption } from '../options.ts';
import { type ProgressDisplay, progressDisplay } from '../progress/progressDisplay.ts';

/** `vireo image`: the images that VMs can name. */
export function addImageCommand(program: Command): void {
  const image = program
    .command('image')
    .summary('list images, and build the guest image')
    .description('Lists the images that VMs can use, and builds the guest image that comes with Vireo.')
    .addHelpText('after', examples(['vireo image build', 'build vireo/guest'], ['vireo image list', 'list images']));

  image
    .command('build')
    .summary('build the image vireo/guest')
    .description(
      'Builds the image `vireo/guest`, a small Linux made from Debian packages. Vireo also builds it when a VM first ' +
        'needs it; with this command, no VM has to wait. Does nothing if the image is up to date.',
    )
    .addOption(homeOption())
    .addHelpText('after', examples(['vireo image build', 'takes about half a minute']))
    .action(build);

  image
    .command('list')
    .summary('list local images and the public images in the catalog')
    .description(
      'Lists the images that VMs can use: those that come with Vireo, those in `images/` in the home, those that were ' +
        'pulled, with their size on disk, and the public images in the catalog, which are pulled when a VM first needs ' +
        'them.',
    )
    .addOption(homeOption())
    .addOption(outputOption())
    .addHelpText('after', examples(['vireo image list', 'as text'], ['vireo image list -o json', 'as JSON']))
    .action(list);
}

async function build({ home }: { home: string }): Promise<void> {
  // Loaded here, so that the other commands start without it.
  const { buildGuestImage } = await import('@vireo/node');
  const startedAt = performance.now();
  const steps = stepDisplay();
  try {
    const path = await buildGuestImage({ cacheDir: imageCache(home), onProgress: steps.update });
    steps.end();
    console.log(`vireo/guest is ready after ${formatDuration(performance.now() - startedAt)}: ${path}`);
  } catch (error) {
    steps.end('failed');
    throw new Failure(
      `the image vireo/guest cannot be built: ${error instanceof Error ? error.message : String(error)}`,
      'It is built from Debian packages: check the network, the sources in /etc/apt and the free disk space.',
    );
  }
}

/** Shows each step of a build while it goes on, and leaves a line that says how long it took. */
function stepDisplay() {
  let current: { readonly step: string; readonly startedAt: number; readonly display: ProgressDisplay } | undefined;
  const end = (result?: string): void => {
    if (!current) return;
    const { step, startedAt, display } = current;
    display.end(`${step} … ${result ?? formatDuration(performance.now() - startedAt)}`);
    current = undefined;
  };
  const update = ({ step, doneBytes, totalBytes }: BuildProgress): void => {
    if (step !== current?.step) end();
    current ??= { step, startedAt: performance.now(), display: progressDisplay(process.stdout) };
    current.display.update({ label: step, doneBytes, totalBytes });
  };
  return { update, end };
}

async function list({ home, output }: { home: string; output: string }): Promise<void> {
  const { listImages, listText } = await import('./imageList.ts');
  const images = await listImages(home);
  console.log(output === 'json' ? JSON.stringify(images, undefined, 2) : listText(images));
}
