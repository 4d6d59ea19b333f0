import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { Failure } from './failure.mjs';
import { npm } from './npm.mjs';
import { cacheDirectory, root } from './paths.mjs';
import { capture } from './spawn.mjs';

/** Node 24, where the `node` package puts it if npm was allowed to run its install script. */
export const node = join(root, 'node_modules/node/bin/node');

/**
 * Makes sure of the Node that package.json asks for, after npm has installed the packages. Where the install script of
 * the `node` package was not run (npm can be told so), the program is fetched as the package of its platform, which
 * needs no script, and linked to its usual place, so that `npx` finds it as well.
 *
 * @param {import('./steps.mjs').Steps} steps
 */
export async function installNode(steps) {
  if (await isNode(node, wantedNode())) return;
  linkNode(await fetchNode(steps));
}

/** The version of Node that package.json asks for. */
export const wantedNode = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies.node;

/**
 * Fetches the Node that package.json asks for into the cache, unless it is there.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @returns {Promise<string>} its path
 */
export async function fetchNode(steps) {
  const version = wantedNode();
  const platformPackage = `node-${process.platform}-${process.arch}`;
  const directory = join(cacheDirectory, 'node', version);
  const fetched = join(directory, 'node_modules', platformPackage, 'bin/node');
  if (!(await isNode(fetched, version))) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'package.json'), '{ "private": true }\n');
    await steps.step(`Downloading Node ${version}`, () =>
      npm(['install', '--no-save', '--ignore-scripts', '--prefix', directory, `${platformPackage}@${version}`], {
        cwd: directory,
      }),
    );
  }
  if (!(await isNode(fetched, version))) {
    throw new Failure(`Node ${version} for ${process.platform} ${process.arch} was installed but does not run`, {
      hint: `To try it: ${fetched} --version`,
    });
  }
  return fetched;
}

/** Whether this file is the Node of that version and can run on this machine. */
async function isNode(file, version) {
  if (!existsSync(file)) return false;
  try {
    const { code, stdout } = await capture(file, ['--version']);
    return code === 0 && stdout.trim() === `v${version}`;
  } catch {
    return false;
  }
}

function linkNode(program) {
  for (const [link, target] of [
    [node, program],
    [join(root, 'node_modules/.bin/node'), node],
  ]) {
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(link), target), link);
  }
}

/** The environment for programs of the project: Node 24 first on the PATH. */
export function environment(env = process.env, program = node) {
  return { ...env, PATH: [dirname(program), env.PATH].filter(Boolean).join(delimiter) };
}
