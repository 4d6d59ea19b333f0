import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Failure } from './failure.mjs';
import { root } from './paths.mjs';
import { capture } from './spawn.mjs';

/**
 * Runs npm quietly: the one that started us where there is one, else the one on the PATH.
 *
 * @param {readonly string[]} args
 * @param {{ cwd?: string }} [options]
 */
export async function npm(args, { cwd = root } = {}) {
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--no-update-notifier', '--loglevel=error'];
  const [command, ...first] = npmCommand(process.env);
  let result;
  try {
    result = await capture(command, [...first, ...args, ...quiet], { cwd });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Failure('npm was not found on the PATH', {
      hint: 'Install it together with Node (on Debian and Ubuntu: apt-get install npm) and run the command again.',
    });
  }
  if (result.code !== 0)
    throw npmFailure(args, result.signal ? `ended by ${result.signal}\n${result.output}` : result.output);
}

/**
 * `npm run` may have found our Node in node_modules, and a set-up that starts afresh has just removed that: the Node that
 * runs npm is still there.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export function npmCommand(env, ownNode = process.execPath) {
  const { npm_execpath: running, npm_node_execpath: npmNode } = env;
  const isNpm = running !== undefined && basename(running).startsWith('npm-cli') && existsSync(running);
  const found = [ownNode, npmNode].find((path) => path !== undefined && existsSync(path));
  return isNpm && found !== undefined ? [found, running] : ['npm'];
}

/**
 * Says what npm's error means here and what to do about it.
 *
 * @param {readonly string[]} args
 * @param {string} output
 */
export function npmFailure(args, output) {
  const known = knownFailures.find(({ pattern }) => pattern.test(output));
  const details = output.trim().split('\n').slice(0, 15).join('\n');
  return new Failure(`\`npm ${args.join(' ')}\` failed${known ? `: ${known.cause}` : ''}\n\n${details}\n`, {
    hint: known?.hint ?? 'Run `npm install --no-save` in the project to see the full output of npm.',
  });
}

const knownFailures = [
  {
    pattern: /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|FETCH_ERROR)\b|network/,
    cause: 'the package registry cannot be reached',
    hint: 'Check the network and, behind a proxy, `npm config get proxy` and `npm config get registry`; then run the command again.',
  },
  {
    pattern: /\bENOSPC\b/,
    cause: 'the disk is full',
    hint: 'The packages need about 500 MB in node_modules. Free some space (`df -h .`) and run the command again.',
  },
  {
    pattern: /\b(EACCES|EPERM|EROFS)\b/,
    cause: 'npm cannot write a file',
    hint: 'Run as the user that owns the project directory and npm’s cache (`npm config get cache`), or change their owner with chown.',
  },
];
