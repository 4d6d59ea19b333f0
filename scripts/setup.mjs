import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage, canBuildPage, isPageBuilt, vite } from './lib/dashboard.mjs';
import { Failure } from './lib/failure.mjs';
import { fingerprint, mustStartAfresh } from './lib/installState.mjs';
import { withLock } from './lib/lock.mjs';
import { installNode, node } from './lib/nodeBinary.mjs';
import { npm } from './lib/npm.mjs';
import { root } from './lib/paths.mjs';

const modules = join(root, 'node_modules');
const stampFile = join(modules, '.vireo-setup.json');

/**
 * Installs what is missing or stale, Node 24 included, and builds the dashboard when it is missing or its sources have
 * changed. Costs a few milliseconds when nothing is to do.
 *
 * @param {import('./lib/steps.mjs').Steps} steps
 * @param {{ withPage?: boolean }} [options] whether the dashboard is to be served or tested
 */
export async function setup(steps, { withPage = true } = {}) {
  if (isInstalled() && !(withPage && isPageStale(steps))) return;
  if (!isInstalled()) checkWritable();
  await withLock(
    join(root, '.cache', 'setup.lock'),
    (owner) => steps.say(`Waiting for process ${owner}, which is setting up Vireo …`),
    async () => {
      if (!isInstalled()) await install(steps);
      if (withPage && !isPageBuilt()) await buildPage(steps);
    },
  );
}

/** Whether the page is to be built, and can be. Who cannot write to the clone uses the one that its owner has built. */
function isPageStale(steps) {
  if (isPageBuilt()) return false;
  if (canBuildPage()) return true;
  steps.say('The dashboard is not built from these sources; run `npm start` once as the owner of the clone.');
  return false;
}

async function install(steps) {
  const wanted = fingerprint(root);
  const afresh = mustStartAfresh(readStamp(), existsSync(join(modules, '.package-lock.json')));
  await steps.step('Installing npm packages', async () => {
    if (afresh) rmSync(modules, { recursive: true, force: true });
    mkdirSync(modules, { recursive: true });
    // Says "half done" until the end, so that a set-up that is cut off is noticed.
    writeStamp({ state: 'installing' });
    // Not `npm ci`: it refuses a lock file made where the registry lacks packages of other platforms. Without saving,
    // `npm install` takes the same versions and leaves the lock file alone. Vite is a package for developers, which npm
    // leaves out where NODE_ENV is `production`.
    await npm(['install', '--no-save', '--include=dev']);
  });
  await installNode(steps);
  writeStamp({ state: 'installed', fingerprint: wanted });
}

function isInstalled() {
  const stamp = readStamp();
  return (
    stamp?.state === 'installed' && stamp.fingerprint === fingerprint(root) && existsSync(node) && existsSync(vite)
  );
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return undefined;
  }
}

function writeStamp(stamp) {
  writeFileSync(stampFile, `${JSON.stringify(stamp)}\n`);
}

function checkWritable() {
  for (const directory of [root, modules]) {
    if (!existsSync(directory)) continue;
    try {
      accessSync(directory, constants.W_OK);
    } catch {
      throw new Failure(`packages must be installed, but this user cannot write to ${directory}`, {
        hint: 'Run the command once as the owner of the directory, change its owner with chown, or clone the project to a directory that you own.',
      });
    }
  }
}
