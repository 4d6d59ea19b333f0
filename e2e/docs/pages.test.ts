import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { useVms } from '../vms/fixture.ts';
import { type Block, blocksOf, pages, repository } from './blocks.ts';
import { check } from './check.ts';
import { manifestOf } from './manifests.ts';
import { makeClone, userEnvironment } from './place.ts';
import { openShell, type Shell } from './shell.ts';
import { isRun, stepsOf } from './steps.ts';

const { home, kubectl } = useVms();

/** What pages leave behind, in an order in which it can go. */
const KINDS = [
  ...['vmirs', 'vmexport', 'vmclone', 'vmrestore', 'vmsnapshot', 'vm', 'vmi', 'pods', 'dv', 'volumesnapshot'],
  ...['vmimage', 'upgradelog', 'pvc', 'net-attach-def', 'svc', 'vmipreset', 'rolebinding', 'role'],
].join();

describe.each(pages.filter((page) => blocksOf(page).some(isRun)))('the commands of %s', (page) => {
  const name = basename(page, '.md');
  let shell: Shell;
  let directory: string;
  const inWordsOfPages = (text: string): string =>
    text
      .replaceAll(new RegExp(`${directory}/started-\\w+`, 'g'), '/home/ada/.vireo')
      .replaceAll(directory, '/home/ada/vireo')
      .replaceAll(join(repository, '/'), '/home/ada/vireo/')
      .replaceAll(home(), '/home/ada/.vireo')
      .replaceAll('/var/cache/vireo', '/home/ada/.cache/vireo');
  const run = (command: string) => check({ command }, shell, inWordsOfPages);

  beforeAll(async () => {
    directory = join(home(), 'pages', name);
    await makeClone(directory, home());
    shell = openShell(directory, userEnvironment(home(), directory, name === 'README'));
    // What the page takes for granted.
    const before = join(import.meta.dirname, 'before', `${name}.sh`);
    if (existsSync(before)) await run(`. '${before}'`);
  }, 180_000);

  afterAll(async () => {
    shell?.close();
    // At once: some boot nothing that would hear a power button.
    await kubectl.do(`delete ${KINDS} --all --ignore-not-found --now --timeout=120s`);
  }, 180_000);

  /** Manifests that the page does not go on with are only checked by the server. */
  const apply = async (block: Block): Promise<void> => {
    await writeFile(join(directory, 'manifest.yaml'), manifestOf(block.text));
    const isApplied = block.notes.some(({ kind }) => kind === 'applied');
    await run(`kubectl apply -f manifest.yaml ${isApplied ? '' : '--dry-run=server'}`);
  };

  it.each(blocksOf(page).filter(isRun))(
    'line $line',
    async (block) => {
      if (block.language === 'yaml') await apply(block);
      else for (const step of stepsOf(block)) if (!step.excuse) await check(step, shell, inWordsOfPages);
    },
    180_000,
  );
});
