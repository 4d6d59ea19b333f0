import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './lib/failure.mjs';
import { fingerprint, installCommand } from './lib/installState.mjs';
import { withLock } from './lib/lock.mjs';
import { installNode } from './lib/nodeBinary.mjs';
import { npm } from './lib/npm.mjs';
import { root } from './lib/paths.mjs';

const modules = join(root, 'node_modules');
const stampFile = join(modules, '.vireo-setup.json');

/**
 * Installs what is missing or stale and returns the path of Node 24. Costs a few milliseconds when nothing is to do.
 *
 * @param {import('./lib/steps.mjs').Steps} steps
 * @returns {Promise<string>}
 */
export async function setup(steps) {
  const ready = readyNode();
  if (ready) return ready;
  checkWritable();
  return withLock(
    join(root, '.cache', 'setup.lock'),
    (owner) => steps.say(`Waiting for the set-up that process ${owner} is doing …`),
    async () => readyNode() ?? (await install(steps)),
  );
}

async function install(steps) {
  const command = installCommand(readStamp(), existsSync(join(modules, '.package-lock.json')));
  const wanted = fingerprint(root);
  mkdirSync(modules, { recursive: true });
  // Says "half done" until the end, so that an interrupted installation is started afresh.
  writeStamp({ state: 'installing' });
  await steps.step('Installing npm packages', () => npm(command));
  const node = await installNode(steps);
  mkdirSync(modules, { recursive: true });
  writeStamp({ state: 'installed', fingerprint: wanted, node });
  return node;
}

function readyNode() {
  const stamp = readStamp();
  if (stamp?.state !== 'installed' || stamp.fingerprint !== fingerprint(root)) return undefined;
  return existsSync(stamp.node) ? stamp.node : undefined;
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
      throw new Failure(`packages must be installed, but ${directory} cannot be written by this user`, {
        hint: 'Run the command once as the user that owns the directory, give it to yourself with chown, or clone the project to a directory of your own.',
      });
    }
  }
}
