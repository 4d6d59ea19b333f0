import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { imageCache, sharedImageCache } from './imageCache.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vireo-image-cache-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it.each([
  ['root', { uid: 0, homeDirectory: '/root', env: { XDG_CACHE_HOME: '/home/ada/cache' } }, '/var/cache/vireo/images'],
  ['a user', { uid: 7, homeDirectory: '/home/ada', env: {} }, '/home/ada/.cache/vireo/images'],
  ['a user who says where', { uid: 7, homeDirectory: '/home/ada', env: { XDG_CACHE_HOME: '/c' } }, '/c/vireo/images'],
])('%s shares images between homes', (_, user, path) => {
  expect(sharedImageCache(user)).toBe(path);
});

it('makes the shared directory for its owner alone', () => {
  const shared = join(directory, 'new/images');
  expect(imageCache('/h', shared)).toBe(shared);
  expect(statSync(shared).mode & 0o777).toBe(0o700);
});

it('keeps to the home where others could write, or nothing can be made', () => {
  chmodSync(directory, 0o777);
  expect(imageCache('/h', directory)).toBe('/h/images/guest');
  expect(imageCache('/h', '/proc/vireo/images')).toBe('/h/images/guest');
});
