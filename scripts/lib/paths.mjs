import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root directory, wherever it was cloned or installed and whatever the working directory is. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Whether this is the package that `npm pack` makes, with JavaScript in `dist/` instead of the sources. */
export const isPackaged = !existsSync(`${root}/packages`);

/** The file that Node runs as the `vireo` command. */
export const entry = `${root}/${isPackaged ? 'dist/cli/src/main.js' : 'packages/cli/src/main.ts'}`;

/** Files that can be fetched again at any time: in a clone its own, ignored by git; else this user's. */
export const cacheDirectory = isPackaged ? userCacheDirectory(process.getuid?.(), process.env) : `${root}/.cache`;

/**
 * @param {number | undefined} uid
 * @param {NodeJS.ProcessEnv} env
 */
export function userCacheDirectory(uid, env) {
  return join(uid === 0 ? '/var/cache' : env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'vireo');
}
