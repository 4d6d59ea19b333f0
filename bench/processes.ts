import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** What a process of a benchmark can be asked to do: one input, one answer. Inputs and answers travel by value. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>;

/** A process with tasks, seen from the one that started it. */
export interface TaskProcess<T extends Tasks> {
  readonly pid: number;
  call<Name extends keyof T & string>(name: Name, input: Parameters<T[Name]>[0]): Promise<Awaited<ReturnType<T[Name]>>>;
  close(): Promise<void>;
}

interface Question {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

type Answer = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string });

/**
 * Starts a file that calls `serveTasks`. Every part of a measurement runs in a process of its own: an event loop that
 * server and client share would measure neither. `wrapper`: a command that runs it, such as `unshare --net`.
 */
export function startTasks<T extends Tasks>(
  file: URL,
  args: readonly string[] = [],
  wrapper: readonly string[] = [],
): TaskProcess<T> {
  const child = fork(file, [...args], {
    ...wrapped(wrapper),
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  child.on('message', (answer: Answer) => {
    const { resolve, reject } = waiting.get(answer.id)!;
    waiting.delete(answer.id);
    if ('error' in answer) reject(new Error(answer.error));
    else resolve(answer.result);
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${file.pathname} ended with ${signal ?? code}`));
  });
  return {
    pid: child.pid as number,
    call: (name, input) => {
      const answer = Promise.withResolvers<unknown>();
      const id = ++lastId;
      waiting.set(id, answer);
      child.send({ id, name, input } satisfies Question);
      return answer.promise as never;
    },
    close: () => end(child, 'SIGKILL'),
  };
}

/** The options of `fork` by which a command runs Node; it must become Node, for the channel to it is that of its process. */
export function wrapped([command, ...words]: readonly string[]): Pick<ForkOptions, 'execPath' | 'execArgv'> {
  return command === undefined ? {} : { execPath: command, execArgv: [...words, process.execPath] };
}

/** Answers the process that started this one, until it goes away. */
export function serveTasks(tasks: Tasks): void {
  process.on('message', async ({ id, name, input }: Question) => {
    try {
      process.send?.({ id, result: await tasks[name]!(input as never) } satisfies Answer);
    } catch (error) {
      process.send?.({ id, error: (error as Error).stack ?? String(error) } satisfies Answer);
    }
  });
  process.once('disconnect', () => process.exit());
}

/** Sends a signal and waits for the end; what does not end within ten seconds is killed. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(kill);
}

/** Memory that a process has in use, in bytes. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/** How often a second something was done, and the processor time that it cost these processes each time, in µs. */
export async function withCpu(
  pids: readonly number[],
  work: () => Promise<{ readonly count: number; readonly seconds: number }>,
): Promise<{ rate: number; cpu: number }> {
  const spent = (): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const before = spent();
  const { count, seconds } = await work();
  return { rate: count / seconds, cpu: ((spent() - before) / count) * 1e6 };
}

const TICKS_PER_SECOND = 100;

/** Time that all threads of a process have spent on a processor so far, in seconds. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
