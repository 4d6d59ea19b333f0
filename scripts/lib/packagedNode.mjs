import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fetchNode, wantedNode } from './nodeBinary.mjs';
import { root } from './paths.mjs';

/**
 * The Node that an installed Vireo runs on: the one that npm installed with it, else the one that runs this if it is as
 * new, else one that is fetched into the user's cache, as where npm ran no install scripts.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @returns {Promise<string>} its path
 */
export async function packagedNode(steps) {
  const installed = installedNode();
  if (installed) return installed;
  return isNewEnough(process.versions.node, wantedNode()) ? process.execPath : fetchNode(steps);
}

/** npm may have put the package `node` below ours or beside it. */
function installedNode() {
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('node/package.json');
    const program = join(dirname(manifest), 'bin/node');
    accessSync(program, constants.X_OK);
    return program;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} version
 * @param {string} wanted whose major version is the oldest that will do
 */
export const isNewEnough = (version, wanted) => Number.parseInt(version, 10) >= Number.parseInt(wanted, 10);
