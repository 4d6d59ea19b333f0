import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, residentBytes, startTasks } from '../processes.ts';
import type { Result } from '../report.ts';
import { collectOutput } from '../servers/server.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { collectGarbage } from '../vms/garbage.ts';
import type { Plan } from './plan.ts';
import type { ControllersTasks } from './process.ts';

export const MEASUREMENTS: readonly string[] = ['memory'];

const program = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
const MEGABYTE = 1 << 20;
/** What `vireo controllers` should need at most. */
const AIM_MB = 300;

/** The memory of `vireo controllers`, over the network, when there are no VMs and when it has made many run. */
export async function controllers(plan: Plan, onProgress: (text: string) => void): Promise<Result[]> {
  const { nodes, vms, atOnce } = plan;
  const directory = await temporaryDirectory();
  const home = join(directory, 'home');
  const tasks = startTasks<ControllersTasks>(new URL('./process.ts', import.meta.url));
  let child: ChildProcess | undefined;
  try {
    onProgress('starting');
    await tasks.call('start', { home, nodes });
    child = await startLeader(home);
    const empty = await collectGarbage(child);
    onProgress(`${vms} VMs`);
    await tasks.call('add', { count: vms, atOnce });
    const full = await collectGarbage(child);
    const resident = residentBytes(child.pid as number);
    const row = (metric: string, value: number, unit: string): Result => ({
      metric: `vireo controllers with ${vms} VMs, ${metric}`,
      value,
      unit,
      baseline: null,
      better: 'less',
    });
    return [
      {
        ...row('memory in use', full / MEGABYTE, 'MB'),
        baseline: empty / MEGABYTE,
        aim: { of: 'value', bound: AIM_MB },
      },
      row('memory in use per VM', (full - empty) / vms / 1024, 'KB'),
      row('resident memory', resident / MEGABYTE, 'MB'),
    ];
  } finally {
    if (child) await end(child, 'SIGTERM');
    await tasks.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Starts the controllers on the server of a home; resolves when they lead. */
async function startLeader(home: string): Promise<ChildProcess> {
  const settings = Object.entries(process.env).filter(([name]) => !name.startsWith('VIREO_'));
  // The port is for collectGarbage: nothing listens on it until it is asked for.
  const args = ['--inspect-port=127.0.0.1:0', program, 'controllers', '--kubeconfig', join(home, 'kubeconfig')];
  const child = spawn(process.execPath, args, {
    env: Object.fromEntries(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collectOutput(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => output().includes(' leads.') && resolve());
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`vireo controllers ended:\n${output()}`)));
  });
  return child;
}
