import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isKvmRequired } from '@vireo/node/testing/kvm.ts';
import { splitWords } from './splitWords.ts';
import { removeNetworkOf } from './vms/leftovers.ts';

/** The command that users run. */
export const program = fileURLToPath(new URL('../bin/vireo', import.meta.url));

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Everything it printed, standard output and error as they came. */
  readonly output: string;
}

/** A whole `vireo up`, in a process of its own. */
export interface Vireo {
  readonly home: string;
  readonly kubeconfig: string;
  readonly port: number;
  readonly pid: number;
  /** What it printed so far. */
  output(): string;
  /** From the start of the process until it said that it is ready. */
  readonly readyAfterMs: number;
  /** SIGTERM, and how it ended. */
  stop(): Promise<Ended>;
  /** SIGKILL. */
  kill(): Promise<Ended>;
}

export interface VireoOptions {
  readonly home: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Whether it runs VMs as well. Their daemon outlives it: end it with `vireo down`. */
  readonly vms?: boolean;
  /** How many simulated nodes stand beside it; only with VMs. */
  readonly simulatedNodes?: number;
  /** Further options of `vireo up`. */
  readonly options?: readonly string[];
  /** Beside the environment of whoever starts it. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `bin/vireo up` on a home and resolves when it is ready; rejects with its output when it ends instead. */
export async function startVireo({
  home,
  port = 0,
  vms = false,
  simulatedNodes,
  options = [],
  env = {},
}: VireoOptions): Promise<Vireo> {
  const startedAt = performance.now();
  const words = [
    'up',
    ...['--home', home, '--port', String(port)],
    ...(vms ? [] : ['--api-only']),
    ...(simulatedNodes ? ['--simulate-nodes', String(simulatedNodes)] : []),
    ...options,
  ];
  const { child, output, ended } = spawnVireo(words, env);
  const ready = await Promise.race([lineWith(child, output, /is ready after .*:(\d+)$/m), ended]);
  if (!Array.isArray(ready)) throw new Error(`vireo up ended with code ${ready.code}:\n${ready.output}`);
  if (vms && isKvmRequired) {
    await expectKvm(home).catch(async (error: unknown) => {
      child.kill('SIGTERM');
      await ended;
      await runVireo(['down', '--home', home, '--force']);
      throw error;
    });
  }
  const signalled = (signal: NodeJS.Signals): Promise<Ended> => {
    child.kill(signal);
    return ended;
  };
  return {
    home,
    kubeconfig: join(home, 'kubeconfig'),
    port: Number(ready[1]),
    pid: child.pid as number,
    output,
    readyAfterMs: performance.now() - startedAt,
    stop: () => signalled('SIGTERM'),
    kill: () => signalled('SIGKILL'),
  };
}

/** Fails where a server emulates its guests although KVM is required. */
async function expectKvm(home: string): Promise<void> {
  const { output } = await runVireo(['status', '--home', home]);
  if (!output.includes('accelerated by KVM'))
    throw new Error(`VIREO_TEST_KVM=required, but guests are emulated:\n${output}`);
}

/** Runs a `vireo` command to its end. */
export function runVireo(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return spawnVireo(args, env).ended;
}

/**
 * Runs `vireo …` as one would type it, on the server of a kubeconfig, and gives what a user reads: what it printed, with
 * the exit code where it is not 0.
 */
export async function typeVireo(line: string, kubeconfig: string, command = program): Promise<string> {
  const { output, code } = await spawnVireo([...splitWords(line), '--kubeconfig', kubeconfig], {}, command).ended;
  return `${output.trimEnd()}${code === 0 ? '' : `\nexit code ${code}`}`;
}

/** `VIREO_TEST_EXTENSION=remote` has the servers of tests run their extension in a process of its own. */
const LANE: Readonly<Record<string, string>> =
  process.env.VIREO_TEST_EXTENSION === 'remote' ? { VIREO_EXTENSION: 'remote' } : {};

/** Starts any command that becomes a server; VIREO_* settings of the tester's shell do not reach it. */
export function spawnVireo(args: readonly string[], env: Readonly<Record<string, string>> = {}, command = program) {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('VIREO_'));
  const child = spawn(command, [...args], {
    cwd: tmpdir(),
    env: { ...Object.fromEntries(outside), NO_COLOR: '1', ...(args.includes('--api-only') ? {} : LANE), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, output: text }));
  });
  return { child, output: () => text, ended };
}

/** Resolves with the match once the output has it. */
export function lineWith(child: ChildProcess, output: () => string, pattern: RegExp): Promise<RegExpMatchArray> {
  return new Promise((resolve) => {
    const look = (): void => {
      const match = output().match(pattern);
      if (!match) return;
      child.stdout?.off('data', look);
      resolve(match);
    };
    child.stdout?.on('data', look);
    look();
  });
}

/** An empty home, and how to remove it. */
export async function temporaryHome(): Promise<{ home: string; remove(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'vireo-e2e-'));
  const remove = async (): Promise<void> => {
    await removeNetworkOf(home);
    await rm(home, { recursive: true, force: true });
  };
  return { home, remove };
}

/** The certificates that the server of a home has made, by file name. */
export async function certificates(home: string, names: readonly string[]): Promise<Record<string, string>> {
  const read = async (name: string) => [name, await readFile(join(home, 'pki', name), 'utf8')] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}
