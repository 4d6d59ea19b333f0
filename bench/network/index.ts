import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { sharedImageCache } from '@vireo/cli/imageCache.ts';
import { buildGuestImage } from '@vireo/node';
import { wrapped } from '../processes.ts';
import type { Result } from '../report.ts';
import type { FromProcess, ToProcess } from './messages.ts';
import type { Plan } from './plan.ts';

/** The measurement that needs no guests. */
const WITHOUT_GUESTS = 'rules';

/** In the order in which they are run and reported. */
export const MEASUREMENTS: readonly string[] = [WITHOUT_GUESTS, 'starts', 'speed', 'policies'];

/** Why nothing can be measured here; undefined if it can. */
export function whyNot(): string | undefined {
  const { error, stderr } = spawnSync('unshare', ['--net', '--mount', 'nft', 'list', 'tables'], { encoding: 'utf8' });
  const problem = error?.message ?? stderr.trim();
  return problem === ''
    ? undefined
    : `The network was not measured: there can be no network namespace with nftables here (${problem}). Run it as root.`;
}

/** `/sys` shows the devices of the namespace that it was mounted in; what is mounted below it stays. */
const INSIDE = `cd /sys/fs/cgroup && mount -t sysfs sysfs /sys && mount --no-canonicalize --rbind . /sys/fs/cgroup &&
  cd / && ip link set lo up && exec "$@"`;
const NAMESPACE = ['unshare', '--net', '--mount', '--propagation=private', 'sh', '-c', INSIDE, 'sh'];

/**
 * Measures the network of guests, beside QEMU's user networking and a network of libvirt's. All of it is in a network
 * namespace of its own: the host's firewalls and other networks are not in the way, and nothing is left behind.
 */
export async function network(
  plan: Plan,
  names: readonly string[],
  onProgress: (text: string) => void,
): Promise<Result[]> {
  if (whyNot()) return [];
  if (names.some((name) => name !== WITHOUT_GUESTS)) await buildImage(onProgress);
  const child = fork(new URL('./process.ts', import.meta.url), [], {
    ...wrapped(NAMESPACE),
    cwd: process.cwd(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // It cleans up before it ends, and is waited for.
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward);
  try {
    let results: Result[] | undefined;
    let failure: string | undefined;
    child.on('message', (message: FromProcess) => {
      if ('progress' in message) onProgress(message.progress);
      else if ('results' in message) results = message.results;
      else failure = message.error;
    });
    const ended = once(child, 'exit');
    child.send({ plan, names } satisfies ToProcess);
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    if (!results) throw new Error(failure ?? `the benchmark of the network ended with ${signal ?? code}`);
    if (failure) console.error(`Not everything was cleaned up: ${failure}`);
    return results;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, forward);
  }
}

/** No package can be downloaded in the namespace of the benchmark, so the image of its guests has to exist before. */
async function buildImage(onProgress: (text: string) => void): Promise<void> {
  onProgress('nothing yet: building the image of the guests, unless this host has it');
  await buildGuestImage({ cacheDir: sharedImageCache() });
}
