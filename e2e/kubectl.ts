import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { normalize } from './normalize.ts';
import { splitWords } from './splitWords.ts';
import { startVireo, temporaryHome, type Vireo } from './vireo.ts';

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

export interface KubectlOptions {
  /** What `-f -` reads. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A kubectl that still runs, such as `get --watch`. */
export interface RunningKubectl {
  /** Resolves with all output once it has the text; rejects when kubectl ends without. */
  until(text: string | RegExp): Promise<string>;
  /** Ends it as Ctrl-C does. */
  stop(): Promise<KubectlResult>;
  readonly ended: Promise<KubectlResult>;
}

/**
 * Runs real kubectl as one would type it, and gives what a user reads: its output, with ages and ids made the same for
 * every run, errors included, and the exit code where it is not 0.
 *
 * @example
 * expect(await kubectl('create namespace a')).toBe('namespace/a created')
 */
export interface Kubectl {
  (command: string, options?: KubectlOptions): Promise<string>;
  /** Runs a command again and again until its text is as wanted; the test's own time-out ends it. */
  until(command: string, wanted: string | RegExp, options?: KubectlOptions): Promise<void>;
  /** For what a test needs to stand on: throws when the command fails. */
  do(command: string, options?: KubectlOptions): Promise<void>;
  /** The same with nothing taken out and everything apart. */
  run(command: string, options?: KubectlOptions): Promise<KubectlResult>;
  /** Standard output as JSON; throws with the error when the command fails. */
  json<T>(command: string, options?: KubectlOptions): Promise<T>;
  start(command: string, options?: KubectlOptions): RunningKubectl;
}

/** A server on an empty home for the tests of one file, and a kubectl that talks to it. */
export interface Cluster {
  readonly kubectl: Kubectl;
  /** The server, once the tests run. */
  vireo(): Vireo;
  /** Creates a namespace and waits until pods can be made in it. */
  namespace(name: string): Promise<void>;
}

/** Starts a server before the tests of this file and stops it after them. */
export function useCluster(): Cluster {
  let running: { vireo: Vireo; kubectl: Kubectl } | undefined;
  const current = () => {
    if (!running) throw new Error('the server runs only while tests do');
    return running;
  };
  beforeAll(async () => {
    const { home, remove } = await temporaryHome();
    const vireo = await startVireo({ home });
    running = { vireo, kubectl: kubectlFor(vireo.kubeconfig, join(home, 'kubectl-cache')) };
    return async () => {
      await vireo.stop();
      await remove();
    };
  });
  const kubectl = kubectlOf(() => current().kubectl);
  return {
    kubectl,
    vireo: () => current().vireo,
    namespace: async (name) => {
      await kubectl.do(`create namespace ${name}`);
      await kubectl.until(
        `get serviceaccount/default configmap/kube-root-ca.crt -n ${name} -o name`,
        'serviceaccount/default\nconfigmap/kube-root-ca.crt',
      );
    },
  };
}

/** `npm test` hands over the kubectl that it found or fetched; Vitest run by hand takes the one on the PATH. */
const usual = process.env.VIREO_KUBECTL ?? 'kubectl';

/** A kubectl that talks to the server of that kubeconfig: the one of all tests unless another is named. */
export function kubectlFor(kubeconfig: string, cache: string, program = usual): Kubectl {
  const start = (command: string, options: KubectlOptions = {}) => {
    const args = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${cache}`, ...splitWords(command)];
    return startKubectl(program, args, command, options);
  };
  const run = (command: string, options?: KubectlOptions): Promise<KubectlResult> => start(command, options).ended;
  const read = async (command: string, options?: KubectlOptions): Promise<string> => {
    const { stdout, stderr, code } = await run(command, options);
    const parts = [stdout, stderr, code === 0 ? '' : `exit code ${code}`];
    return withoutVersionDifferences(
      normalize(
        parts
          .map((part) => part.trimEnd())
          .filter(Boolean)
          .join('\n'),
      ),
    );
  };
  const output = async (command: string, options?: KubectlOptions): Promise<string> => {
    const { stdout, stderr, code } = await run(command, options);
    if (code !== 0) throw new Error(`kubectl ${command}: ${stderr}`);
    return stdout;
  };
  return Object.assign(read, {
    run,
    start,
    until: async (command: string, wanted: string | RegExp, options?: KubectlOptions) => {
      const isWanted = (text: string) => (typeof wanted === 'string' ? text === wanted : wanted.test(text));
      while (!isWanted(await read(command, options)));
    },
    do: async (command: string, options?: KubectlOptions) => {
      await output(command, options);
    },
    json: async <T>(command: string, options?: KubectlOptions) => JSON.parse(await output(command, options)) as T,
  });
}

/** Newer releases name the namespace of what they deleted. */
function withoutVersionDifferences(text: string): string {
  return text.replaceAll(/ (force )?deleted from \S+ namespace$/gm, ' $1deleted');
}

function startKubectl(
  program: string,
  args: readonly string[],
  command: string,
  { input, env }: KubectlOptions,
): RunningKubectl {
  const child = spawn(program, args, { env: { ...process.env, KUBECONFIG: '', ...env }, stdio: 'pipe' });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  // A command that fails early does not read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise<KubectlResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...text, code }));
  });
  return {
    ended,
    until: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          // kubectl prints the cells of a row one by one: only whole lines count.
          const lines = text.stdout.slice(0, text.stdout.lastIndexOf('\n') + 1);
          const found = typeof wanted === 'string' ? lines.includes(wanted) : wanted.test(lines);
          if (found) resolve(normalize(lines.trimEnd()));
        };
        child.stdout.on('data', look);
        child.once('close', () => {
          reject(new Error(`kubectl ${command} ended without printing ${wanted}:\n${text.stdout}${text.stderr}`));
        });
        look();
      }),
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** The kubectl of a server that starts later, or again. */
export const kubectlOf = (current: () => Kubectl): Kubectl =>
  Object.assign((command: string, options?: KubectlOptions) => current()(command, options), {
    do: (command: string, options?: KubectlOptions) => current().do(command, options),
    until: (command: string, wanted: string | RegExp, options?: KubectlOptions) =>
      current().until(command, wanted, options),
    run: (command: string, options?: KubectlOptions) => current().run(command, options),
    json: <T>(command: string, options?: KubectlOptions) => current().json<T>(command, options),
    start: (command: string, options?: KubectlOptions) => current().start(command, options),
  });
