import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { entry, isolatedEnvironment } from './vireoProcess.ts';

/** A `vireo up` that runs. */
export interface RunningVireo {
  readonly process: ChildProcess;
  /** Everything printed so far, both outputs. */
  output(): string;
  /** Resolves with the exit code and the signal. */
  readonly exited: Promise<unknown[]>;
}

/** Starts the real API server on a free port, without VMs, and waits until it says that it is ready. */
export async function startVireo(home: string): Promise<RunningVireo> {
  const child = spawn(process.execPath, [entry, 'up', '--api-only', '--home', home, '--port', '0'], {
    env: isolatedEnvironment({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const append = (chunk: string): void => {
      output += chunk;
      if (output.includes('export KUBECONFIG=')) resolve();
    };
    child.stdout.setEncoding('utf8').on('data', append);
    child.stderr.setEncoding('utf8').on('data', append);
    child.once('exit', () => reject(new Error(`vireo up ended: ${output}`)));
  });
  return { process: child, output: () => output, exited };
}
