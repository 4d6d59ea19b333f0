import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { node } from './nodeBinary.mjs';
import { cacheDirectory, root } from './paths.mjs';
import { capture } from './spawn.mjs';

const directory = join(root, 'packages/dashboard');
const stampFile = join(cacheDirectory, 'dashboard.json');

/** Where the built page is. */
export const builtPage = join(directory, 'dist');

/**
 * What the built page depends on: its sources, and package.json with the exact versions of what it is built from and
 * with.
 *
 * @param {string} dashboard the package's directory
 */
export function pageFingerprint(dashboard) {
  const hash = createHash('sha256');
  const sources = readdirSync(join(dashboard, 'page'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  for (const file of [join(dashboard, 'package.json'), join(dashboard, 'vite.config.ts'), ...sources])
    hash.update(`${file.slice(dashboard.length)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

/** Whether nothing is to be built: the page is there, or it could not be built from the same sources. */
export function isPageBuilt() {
  const { fingerprint, failed } = readStamp();
  return fingerprint === pageFingerprint(directory) && (failed || existsSync(join(builtPage, 'index.html')));
}

/**
 * Builds the dashboard. Vireo works without it, so a failure is only told, once for the same sources.
 *
 * @param {import('./steps.mjs').Steps} steps
 */
export async function buildPage(steps) {
  const fingerprint = pageFingerprint(directory);
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--config', join(directory, 'vite.config.ts'), '--logLevel', 'warn'];
  // Tests have an environment of their own, with which the page would be built for developers, twice as large.
  const options = { cwd: root, env: { ...process.env, NODE_ENV: 'production' } };
  const { code, output } = await steps.step('Building the dashboard', () => capture(node, args, options));
  if (code !== 0) {
    rmSync(builtPage, { recursive: true, force: true });
    const reason = output.trim().split('\n').slice(0, 15).join('\n');
    steps.say(`The dashboard could not be built, so /dashboard/ answers 404; all else works.\n\n${reason}\n`);
  }
  writeFileSync(stampFile, `${JSON.stringify({ fingerprint, ...(code !== 0 && { failed: true }) })}\n`);
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}
