import { once } from 'node:events';
import { lineWith, program, spawnVireo } from '../vireo.ts';

/** A role of Vireo in a process of its own. */
export interface Role {
  /** What it says of itself; of nodes, their name. */
  readonly name: string;
  readonly pid: number;
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** Ends it at once, or in order, and waits for that. */
  end(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  readonly isRunning: boolean;
}

/** Starts `vireo ROLE …`, and resolves when it says that it is ready: `ready` finds its name in what it prints. */
export async function startRole(
  args: readonly string[],
  ready: RegExp,
  {
    env = {},
    within,
    command = program,
  }: { env?: Readonly<Record<string, string>>; within?: string; command?: string | undefined } = {},
): Promise<Role> {
  const { child, output, ended } = within
    ? spawnVireo([`--net=/run/netns/${within}`, '--', command, ...args], env, 'nsenter')
    : spawnVireo(args, env, command);
  const found = await Promise.race([lineWith(child, output, ready), ended]);
  if (!Array.isArray(found)) throw new Error(`vireo ${args.join(' ')} ended with code ${found.code}:\n${found.output}`);
  return {
    name: found[1] ?? '',
    pid: child.pid as number,
    output,
    signal: (signal) => void child.kill(signal),
    async end(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
    get isRunning() {
      return child.exitCode === null && child.signalCode === null;
    },
  };
}
