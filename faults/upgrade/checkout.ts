import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Another version of this project. */
export interface Checkout {
  readonly commit: string;
  /** Its `vireo` command. */
  readonly command: string;
}

/** The files of a commit, with their npm packages installed. They stay below /tmp for the next run. */
export async function checkOut(ref: string): Promise<Checkout> {
  const { stdout } = await run('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: root });
  const commit = stdout.trim();
  const directory = join(tmpdir(), `vireo-upgrade-${commit}`);
  const command = join(directory, 'bin/vireo');
  if (!existsSync(directory)) {
    const partial = `${directory}.partial`;
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    const archive = `${partial}.tar`;
    await run('git', ['archive', '--output', archive, commit], { cwd: root });
    await run('tar', ['-xf', archive, '-C', partial]);
    await rm(archive);
    await rename(partial, directory);
  }
  // The first command installs the npm packages.
  await run(command, ['version', '--client']);
  return { commit, command };
}
