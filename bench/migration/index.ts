import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Namespace, Node } from '@vireo/api';
import { BOOT_SECTOR_IMAGE, GUEST_IMAGE, nodeLayout } from '@vireo/node';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { modelOf } from '../vm/model.ts';
import { NAMESPACE } from '../vms/objects.ts';
import { startVireoWithVms } from '../vms/vireo.ts';
import type { Plan } from './plan.ts';
import { VireoMoves } from './vireoMoves.ts';
import { type VirshGuest, VirshMoves } from './virshMoves.ts';

export const MEASUREMENTS: readonly string[] = ['moves', 'drain'];

/** How many guests leave a node at a time by default. */
const AT_ONCE = 2;
const AIM = { of: 'ratio', bound: 1.15 } as const;
const program = fileURLToPath(new URL('../../bin/vireo', import.meta.url));
const run = promisify(execFile);

/** Why nothing can be measured here; undefined if it can. */
export const whyNot = (): string | undefined =>
  process.getuid?.() === 0
    ? undefined
    : 'Migration was not measured: guests that another user than root starts have no network that could follow them. Run it as root.';

/** Measures how guests move between two nodes of one host, beside `virsh migrate`; leaves nothing behind. */
export async function migration(
  plan: Plan,
  names: readonly string[],
  onProgress: (text: string) => void,
): Promise<Result[]> {
  if (whyNot()) return [];
  await using cleanUp = new AsyncDisposableStack();
  // Guests and their daemons outlive us unless they are ended, so an interrupted benchmark ends them, too.
  const interrupted = Promise.withResolvers<never>();
  const interrupt = (signal: NodeJS.Signals): void => interrupted.reject(new Error(`interrupted by ${signal}`));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, interrupt);
    cleanUp.defer(() => void process.off(signal, interrupt));
  }
  const measure = async (): Promise<Result[]> => {
    onProgress('nothing yet: starting Vireo with two nodes, and two other libvirtds');
    const bench = await startBench(plan, cleanUp);
    const results: Result[] = [];
    if (names.includes('moves')) results.push(...(await moves(bench, plan, onProgress)));
    if (names.includes('drain')) results.push(...(await drain(bench, plan, onProgress)));
    return results;
  };
  return await Promise.race([measure(), interrupted.promise]);
}

type Bench = Awaited<ReturnType<typeof startBench>>;

/** The guest that is moved alone. */
const ALONE = 'alone';

async function startBench(plan: Plan, cleanUp: AsyncDisposableStack) {
  const directory = await temporaryDirectory();
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }));
  const home = join(directory, 'vireo');
  const nodes = [hostname().toLowerCase(), `${hostname().toLowerCase()}-2`] as const;
  const layouts = [nodeLayout(home, true), nodeLayout(join(home, 'nodes', nodes[1]), true)] as const;
  cleanUp.defer(async () => void (await run(program, ['down', '--home', home, '--force'])));
  const { client, stop } = await startVireoWithVms(home, ['--nodes', '2']);
  cleanUp.defer(stop);
  await client.of(Namespace).create({ metadata: { name: NAMESPACE } });
  const vireo = cleanUp.use(await VireoMoves.start(client, new Map([0, 1].map((at) => [nodes[at]!, layouts[at]!]))));
  const setSchedulable = async (node: string, isSchedulable: boolean): Promise<void> =>
    void (await client.of(Node).patch(node, { spec: { unschedulable: !isSchedulable } }, { type: 'merge' }));

  // What is started now begins on the first node.
  await setSchedulable(nodes[1], false);
  const hasAgent = plan.image === GUEST_IMAGE;
  const [{ metadata }, small] = await Promise.all([
    vireo.startGuest(ALONE, plan, hasAgent),
    vireo.startGuest('small', SMALL, false),
  ]);
  const alone = await modelOf(layouts[0], metadata.uid);
  const virsh = cleanUp.use(await VirshMoves.start(join(directory, 'alone'), layouts[0], alone));
  const smallModel = await modelOf(layouts[0], small.metadata.uid);
  const virshSmall = cleanUp.use(await VirshMoves.start(join(directory, 'small'), layouts[0], smallModel));
  return { vireo, virsh, virshSmall, nodes, setSchedulable, hasAgent };
}

const SMALL = { image: BOOT_SECTOR_IMAGE, memoryMiB: 64 } as const;

/** One guest to and fro. */
async function moves({ vireo, virsh, hasAgent, nodes, setSchedulable }: Bench, plan: Plan, onProgress: Progress) {
  onProgress('moves: starting the other guest');
  const guest = await virsh.startGuest(hasAgent);
  await setSchedulable(nodes[1], true);
  let round = 0;
  const contestants = {
    vireo: async () => {
      onProgress(`moves: round ${++round}`);
      return vireo.move(ALONE);
    },
    virsh: () => virsh.move(guest),
  };
  const options = { warmUp: plan.rounds > 1, budgetMs: plan.budgetSeconds * 1000 };
  const measured = await rounds(plan.rounds, contestants, options);
  return resultsOf(measured, ({ vireo: ours, virsh: theirs }) => {
    const row = (metric: string, value: number, baseline: number): Result => ({
      metric: `${metric}, ${plan.memoryMiB} MiB, vs virsh migrate`,
      value,
      baseline,
      unit: 'ms',
      better: 'less',
    });
    return [
      { ...row('start to end of a migration', ours.moveMs, theirs.moveMs), aim: AIM },
      { ...row('downtime of the guest', ours.downtimeMs, theirs.downtimeMs), aim: AIM },
      row('POST to Succeeded', ours.wholeMs, theirs.moveMs),
    ];
  });
}

type Progress = (text: string) => void;

/** All guests of a node leave it, two at a time. */
async function drain(bench: Bench, { drained }: Plan, onProgress: Progress): Promise<Result[]> {
  const { vireo, virshSmall, nodes, setSchedulable } = bench;
  onProgress(`drain: starting ${drained} guests twice`);
  await setSchedulable(nodes[1], false);
  const names = Array.from({ length: drained }, (_, index) => `drained${index}`);
  const others: VirshGuest[] = [];
  for (const name of names) {
    await vireo.startGuest(name, SMALL, false);
    others.push(await virshSmall.startGuest(false));
  }
  onProgress(`drain: moving ${drained} guests`);
  await setSchedulable(nodes[1], true);
  await setSchedulable(nodes[0], false);
  const startedAt = performance.now();
  await vireo.drain(names, nodes[1]);
  const value = performance.now() - startedAt;
  const queue = others.values();
  const work = async (): Promise<void> => {
    for (const guest of queue) await virshSmall.move(guest);
  };
  const virshStartedAt = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const baseline = performance.now() - virshStartedAt;
  const metric = `drain of ${drained} guests of ${SMALL.memoryMiB} MiB, ${AT_ONCE} at a time, vs virsh migrate`;
  return [{ metric, value, baseline, unit: 'ms', better: 'less' }];
}
