import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigMap, Event, Namespace, type Persisted, type UnknownObject } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { Client as ApiClient, type Client, httpTransport, loadKubeconfig } from '@vireo/kube';
import { Random } from '../../../faults/random.ts';
import { residentBytes } from '../../processes.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { startVireoWithVms, type VireoWithVms } from '../../vms/vireo.ts';
import { descriptorsOf } from '../sample.ts';
import { Follower } from './follower.ts';
import { Ledger } from './ledger.ts';
import { READS } from './reads.ts';
import { SHARED, SHARED_NAMES, SHARED_NAMESPACE } from './shared.ts';
import { GROUP, SUBJECTS, Widget, widgetDefinition } from './subjects.ts';
import { show, User } from './user.ts';
import { type Operation, WRITES } from './writes.ts';

export interface ClientSoakOptions {
  readonly clients: number;
  readonly minutes: number;
  readonly seed: number;
}

/** What the server holds when all clients have gone and all that they made is deleted. */
interface Footprint {
  readonly usedBytes: number;
  readonly residentBytes: number;
  readonly descriptors: number;
}

/** What came of it. */
export interface ClientSoakReport {
  /** How often each operation was done. */
  readonly counts: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
  readonly events: number;
  readonly before: Footprint;
  readonly after: Footprint;
}

const NAMESPACES = 5;
const SIMULATED_NODES = 2;
const WATCH_SECONDS = 7;
const MOST_PROBLEMS = 20;
const RARE = new Set(['definition', 'discovery', 'table', 'deleteCollection']);

/** Clients that do everything at random to one Vireo, and what the server then has to show for it. */
export async function soakClients(options: ClientSoakOptions, signal: AbortSignal): Promise<ClientSoakReport> {
  await using cleanUp = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }));
  const home = join(directory, 'home');
  const vireo = await startVireoWithVms(home, ['--simulate-nodes', String(SIMULATED_NODES)]);
  cleanUp.defer(() => vireo.stop());
  await prepare(vireo.client);
  // What is made once, such as caches and compiled schemas, is there before the first look.
  const counts = new Map<string, number>();
  const warmUp = await round({ ...options, minutes: Math.min(0.3, options.minutes / 4) }, home, vireo, counts, signal);
  const before = await footprint(vireo);
  counts.clear();
  const { problems, events } = await round(options, home, vireo, counts, signal);
  return { counts, problems: [...warmUp.problems, ...problems], events, before, after: await footprint(vireo) };
}

/** One run of all clients, from nothing to nothing. */
async function round(
  { clients, minutes, seed }: ClientSoakOptions,
  home: string,
  vireo: VireoWithVms,
  counts: Map<string, number>,
  signal: AbortSignal,
): Promise<{ problems: string[]; events: number }> {
  await using connections = new AsyncDisposableStack();
  const connect = async (): Promise<Client> =>
    connections.adopt(
      new ApiClient(httpTransport(await loadKubeconfig({ path: join(home, 'kubeconfig') }))),
      (client) => client.close(),
    );
  const namespaces = Array.from({ length: NAMESPACES }, (_, index) => `soak-${index}`);
  for (const name of [...namespaces, SHARED_NAMESPACE]) await vireo.client.of(Namespace).create({ metadata: { name } });
  const ledger = new Ledger();
  const followers = await Promise.all(
    SUBJECTS.map(async ({ ref }) => {
      const follower = new Follower(await connect(), ref);
      await follower.start(WATCH_SECONDS);
      return follower;
    }),
  );
  for (const name of SHARED_NAMES)
    ledger.note(await vireo.client.of(ConfigMap).create({ metadata: { name, namespace: SHARED_NAMESPACE } }));

  const problems: string[] = [];
  const deadline = performance.now() + minutes * 60_000;
  const isOver = (): boolean => signal.aborted || performance.now() > deadline || problems.length >= MOST_PROBLEMS;
  const users = await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const namespace = namespaces[index % NAMESPACES]!;
      return new User(`c${index}`, namespace, await connect(), new Random(seed * 1_000 + index), ledger);
    }),
  );
  await Promise.all(users.map((user) => act(user, counts, problems, isOver)));

  problems.push(...ledger.differences(await everything(vireo.client, [...namespaces, SHARED_NAMESPACE])));
  for (const follower of followers) problems.push(...(await follower.problems(ledger.writes)));
  for (const name of [...namespaces, SHARED_NAMESPACE]) await vireo.client.of(Namespace).delete(name);
  for (const name of [...namespaces, SHARED_NAMESPACE]) await untilGone(vireo.client, name);
  return { problems, events: followers.reduce((sum, { seen }) => sum + seen.size, 0) };
}

/** One client: an operation after the other, until it is over. */
async function act(user: User, counts: Map<string, number>, problems: string[], isOver: () => boolean): Promise<void> {
  const operations = Object.entries<Operation>({ ...WRITES, ...READS, ...SHARED });
  while (!isOver()) {
    const [name, operation] = user.random.pick(operations);
    if (RARE.has(name) && user.random.next() > 0.1) continue;
    try {
      await operation(user);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    } catch (error) {
      problems.push(`${user.name}, ${name}: ${show(error)}`);
    }
  }
}

async function everything(client: Client, namespaces: readonly string[]): Promise<Persisted<UnknownObject>[]> {
  const lists = await Promise.all(
    SUBJECTS.flatMap(({ ref }) => namespaces.map((namespace) => client.of<UnknownObject>(ref).list({ namespace }))),
  );
  // Every namespace has this one from the start.
  return lists.flatMap(({ items }) => items).filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
}

async function prepare(client: Client): Promise<void> {
  const configuration = {
    hypervisorConfiguration: { name: 'stub' },
    developerConfiguration: { useEmulation: true, featureGates: ['ConfigurableHypervisor'] },
  };
  await client.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, { namespace: 'kubevirt', type: 'merge' });
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await client.call({ method: 'POST', path, body: widgetDefinition(GROUP) });
  while (
    !(await client
      .of(Widget)
      .list()
      .then(
        () => true,
        () => false,
      ))
  )
    await pause();
}

async function untilGone(client: Client, namespace: string): Promise<void> {
  while (await client.of(Namespace).find(namespace)) await pause();
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

/** Events live for an hour, so they are removed first: they would look like a leak. */
async function footprint(vireo: VireoWithVms): Promise<Footprint> {
  for (const namespace of ['default', 'kubevirt']) await vireo.client.of(Event).deleteCollection({ namespace });
  const usedBytes = await vireo.collectGarbage();
  return { usedBytes, residentBytes: residentBytes(vireo.pid), descriptors: descriptorsOf(vireo.pid) };
}
