import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from './makeDirectory.ts';

/** Who asks, as far as it matters for where caches are. */
export interface CacheUser {
  readonly uid: number;
  readonly homeDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

const thisUser = (): CacheUser => ({ uid: process.getuid?.() ?? 0, homeDirectory: homedir(), env: process.env });

/** Where images that Vireo makes itself are shared by all homes of a user. */
export function sharedImageCache({ uid, homeDirectory, env }: CacheUser = thisUser()): string {
  const base = uid === 0 ? '/var/cache' : (env.XDG_CACHE_HOME ?? join(homeDirectory, '.cache'));
  return join(base, 'vireo', 'images');
}

/**
 * The directory for images that Vireo makes itself: the shared one, so that a second home need not make them again, or
 * one in the home where that cannot be made or others could put an image of theirs there.
 */
export function imageCache(home: string, shared: string = sharedImageCache()): string {
  return isPrivate(shared) ? shared : join(home, 'images', 'guest');
}

function isPrivate(directory: string): boolean {
  try {
    makeDirectory(directory);
    const { uid, mode } = statSync(directory);
    return uid === process.getuid?.() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}
