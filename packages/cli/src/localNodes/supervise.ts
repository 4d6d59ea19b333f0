import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { consoleLog, pause } from '@vireo/kube';
import { Backoff } from '@vireo/kube/backoff.ts';
import { logSettings } from '@vireo/kube/log/index.ts';
import type { LocalNode } from './plan.ts';

/** The agent of a further node, which is started again whenever it ends. */
export interface SupervisedNode {
  readonly name: string;
  /** As it runs now. */
  readonly process: () => ChildProcess;
  /** Whether the agent that runs now takes VMs. */
  isReady(): boolean;
  /** When it has ended for good. */
  readonly ended: Promise<void>;
}

const STOP_MS = 15_000;
/** An agent that ran for so long was healthy: the next restart is not delayed further. */
const HEALTHY_MS = 60_000;
const MAX_RESTART_MS = 10_000;
/** As every node's on a host of its own; without a network of its own the node takes any. */
const PORT = '10250';

const entry = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url));

/** Runs `vireo node` on the home of a further node until `signal` aborts. Rejects if the first start fails. */
export async function superviseNode(node: LocalNode, signal: AbortSignal): Promise<SupervisedNode> {
  let running = start(node, signal);
  await running.ready;
  return {
    name: node.name,
    process: () => running.child,
    isReady: () => running.isReady,
    ended: keepRunning(),
  };

  async function keepRunning(): Promise<void> {
    const backoff = new Backoff({ longestMs: MAX_RESTART_MS });
    for (let since = performance.now(); ; since = performance.now()) {
      const code = await running.exited;
      if (signal.aborted) return;
      consoleLog.warn('a node has ended and is started again', { kind: 'Node', name: node.name }, { code });
      if (performance.now() - since > HEALTHY_MS) backoff.reset();
      await pause(backoff.nextMs(), signal);
      if (signal.aborted) return;
      running = start(node, signal);
      running.ready.catch(() => {});
    }
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  readonly isReady: boolean;
  /** With its code or signal. */
  readonly exited: Promise<unknown>;
}

function start({ name, home, link }: LocalNode, signal: AbortSignal): Started {
  const { format, level } = logSettings();
  const words = [
    ...(link ? ['nsenter', `--net=/run/netns/${link.namespace}`, '--'] : []),
    ...[process.execPath, ...process.execArgv, entry, 'node', '--home', home, '--node-name', name, '--no-taint'],
    ...['--address', link?.address ?? '127.0.0.1', '--port', link ? PORT : '0'],
    ...['--log-format', format, '--log-level', level],
  ];
  // Without the user's kubeconfig: it has joined, and its home says where.
  const { KUBECONFIG: _, ...env } = process.env;
  const child = spawn(words[0] as string, words.slice(1), { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  // Through this process, which keeps what it says in the log of the home.
  child.stderr?.pipe(process.stderr, { end: false });
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  let isReady = false;
  child.once('message', () => {
    isReady = true;
    resolve();
  });
  child.once('error', reject);
  const exited = once(child, 'exit').then(([code, by]: unknown[]) => code ?? by);
  exited.then(
    (code) => {
      isReady = false;
      reject(new Error(`node ${name} ended with ${code} before it was ready`));
    },
    () => {},
  );
  const stop = (): void => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.once('exit', () => clearTimeout(late));
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  child.once('exit', () => signal.removeEventListener('abort', stop));
  return {
    child,
    ready,
    exited,
    get isReady() {
      return isReady;
    },
  };
}
