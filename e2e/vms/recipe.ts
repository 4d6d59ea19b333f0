import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { type Ended, lineWith } from '../vireo.ts';
import { end, processesWith, removeNetworkOf, socketsOf } from './leftovers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'bin');

/** The recipe of docs/ci.md, while the job that it was given runs: the tests of a file. */
export interface Recipe {
  /** The user's own directory, with a key in `.ssh`. */
  user(): string;
  home(): string;
  /** What the recipe has printed so far. */
  output(): string;
  /** Ends the job with a code, and tells how the recipe ended. */
  finish(code: number): Promise<Ended>;
}

/** The job runs a command in the guest, says that it has begun, and ends with the code that it reads. */
const JOB = 'vireo exec "$VM" --no-stdin -- uname -s && echo "The job has begun." && read code && exit "$code"';

/** Runs examples/ci.sh with a VM of that name before the tests of this file, up to the job. */
export function useRecipe(vm: string): Recipe {
  let directory = '';
  let running: ReturnType<typeof start> | undefined;
  const home = (): string => join(directory, 'home');

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vireo-ci-'));
    await mkdir(home());
    await makeKey(directory);
    running = start(vm, directory, home());
    const ended = await Promise.race([lineWith(running.child, running.output, /The job has begun/), running.ended]);
    if ('code' in ended) throw new Error(`the recipe ended with ${ended.code}:\n${ended.output}`);
  }, 240_000);

  afterAll(async () => {
    if (running?.child.exitCode === null) running.child.stdin.end('1\n');
    await running?.ended;
    for (const { pid } of await processesWith(home())) if (pid !== process.pid) end(pid, 'SIGKILL');
    await removeNetworkOf(home());
    await rm(socketsOf(home()), { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  }, 120_000);

  return {
    user: () => directory,
    home,
    output: () => running?.output() ?? '',
    async finish(code) {
      if (!running) throw new Error('the recipe runs only while tests do');
      running.child.stdin.end(`${code}\n`);
      return running.ended;
    },
  };
}

/** The VM that is launched knows it. */
async function makeKey(directory: string): Promise<void> {
  await mkdir(join(directory, '.ssh'), { mode: 0o700 });
  const key = join(directory, '.ssh/id_ed25519');
  await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
}

function start(vm: string, directory: string, home: string) {
  const outside = Object.entries(process.env).filter(([name]) => name !== 'KUBECONFIG' && !name.startsWith('VIREO_'));
  const child = spawn(join(root, 'examples/ci.sh'), ['sh', '-c', JOB], {
    cwd: directory,
    env: {
      ...Object.fromEntries(outside),
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: directory,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
      VIREO_HOME: home,
      VIREO_PORT: '0',
      VM: vm,
    },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, output: text }));
  });
  return { child, output: () => text, ended };
}
