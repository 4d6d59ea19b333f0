import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { node } from './nodeBinary.mjs';
import { cacheDirectory, root } from './paths.mjs';
import { capture } from './spawn.mjs';

const directory = join(root, 'packages/dashboard');
const stampFile = join(cacheDirectory, 'dashboard.json');

/** Where the built page is. */
export const builtPage = join(directory, 'dist');

/** The program that builds it. */
export const vite = join(root, 'node_modules/vite/bin/vite.js');

/**
 * What the built page depends on: its sources, those below `src/` included that it shares with the server, and
 * package.json with the exact versions of what it is built from and with.
 *
 * @param {string} dashboard the package's directory
 */
export function pageFingerprint(dashboard) {
  const hash = createHash('sha256');
  for (const file of pageSources(dashboard))
    hash.update(`${file.slice(dashboard.length)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

/**
 * Sizes and times of the same files, which take a tenth of the time to read.
 *
 * @param {string} dashboard the package's directory
 */
export function pageTimes(dashboard) {
  const hash = createHash('sha256');
  for (const file of pageSources(dashboard)) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file.slice(dashboard.length)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function pageSources(dashboard) {
  const sources = ['page', 'src'].flatMap((folder) =>
    readdirSync(join(dashboard, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
  );
  return [join(dashboard, 'package.json'), join(dashboard, 'vite.config.ts'), ...sources.sort()];
}

/** Whether the page is there and as its sources are. */
export function isPageBuilt() {
  if (!existsSync(join(builtPage, 'index.html'))) return false;
  const stamp = readStamp();
  const times = pageTimes(directory);
  if (stamp.times === times) return true;
  if (stamp.fingerprint !== pageFingerprint(directory)) return false;
  // Touched only, as by a checkout there and back.
  if (canBuildPage()) writeStamp({ ...stamp, times });
  return true;
}

/** Whether this user may write the page: a clone can be shared by users who do not own it. */
export function canBuildPage() {
  return [directory, builtPage, cacheDirectory, stampFile].filter(existsSync).every((path) => {
    try {
      accessSync(path, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Builds the dashboard. Vireo works without it, so a failure is only told; the next start tries again.
 *
 * @param {import('./steps.mjs').Steps} steps
 */
export async function buildPage(steps) {
  const stamp = { fingerprint: pageFingerprint(directory), times: pageTimes(directory) };
  const args = [vite, 'build', '--config', join(directory, 'vite.config.ts'), '--logLevel', 'warn'];
  // Tests have an environment of their own, with which the page would be built for developers, twice as large.
  const options = { cwd: root, env: { ...process.env, NODE_ENV: 'production' } };
  try {
    const ended = await steps.step('Building the dashboard', () => capture(node, args, options));
    if (ended.code !== 0) return giveUp(steps, whyNotBuilt(ended));
    writeStamp(stamp);
  } catch (error) {
    giveUp(steps, error.message);
  }
}

/**
 * Why a build failed, in words.
 *
 * @param {{ signal?: string, output: string }} ended
 */
export function whyNotBuilt({ signal, output }) {
  const details = output.trim().split('\n').slice(0, 15).join('\n');
  const known = /\bENOSPC\b/.test(output) ? 'The disk is full.' : '';
  const killed = signal ? `Vite was ended by ${signal}, as the kernel does when memory runs out.` : '';
  return [known, killed, details].filter(Boolean).join('\n') || 'Vite said nothing.';
}

/** What a build that failed has left behind is not a page. */
function giveUp(steps, reason) {
  rmSync(builtPage, { recursive: true, force: true });
  steps.say(
    `The dashboard could not be built, so /dashboard/ answers 404; all else works. The next start tries again.\n\n${reason}\n`,
  );
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

function writeStamp(stamp) {
  writeFileSync(stampFile, `${JSON.stringify(stamp)}\n`);
}
