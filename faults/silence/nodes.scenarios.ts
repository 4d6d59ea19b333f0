import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type ClusterRoles, type NodeRole, startRoles } from '../../e2e/cluster/roles.ts';
import { startVireo, temporaryHome, type Vireo } from '../../e2e/vireo.ts';
import { end, guestsOf, processesWith, socketsOf } from '../../e2e/vms/leftovers.ts';
import { vm } from '../../e2e/vms/manifests.ts';
import { Doubles } from '../doubles.ts';

/** How long the server is down; the promise is ten minutes. */
const OUTAGE_MS = Number(process.env.VIREO_FAULTS_OUTAGE_MINUTES ?? 10) * 60_000;
/** Silence is noticed after about a minute, and a busy host takes its time. */
const PATIENT = { timeout: 300_000, interval: 1_000 };
const VMS = ['a', 'b', 'c', 'd', 'e', 'f'];

let server: Vireo;
let roles: ClusterRoles;
let doubles: Doubles;
let removeHome = async (): Promise<void> => {};

beforeAll(async () => {
  const home = await temporaryHome();
  removeHome = home.remove;
  server = await startVireo({ home: join(home.home, 'server') });
  const directory = join(home.home, 'roles');
  await mkdir(directory);
  roles = await startRoles({ kubeconfig: server.kubeconfig, directory, uploadUrl: `https://127.0.0.1:${server.port}` });
  doubles = new Doubles(directory);
  doubles.start();
  await roles.kubectl.do('apply -f -', { input: VMS.map((name) => vm(name)).join('\n') });
  await everyMachineOnce();
});
afterAll(async () => {
  await doubles?.stop();
  await roles?.close();
  await server?.kill();
  for (const node of roles?.nodes ?? []) await rm(socketsOf(node.home), { recursive: true, force: true });
  await removeHome();
});
/** At every look no machine twice, at the end every machine once. */
afterEach(async () => {
  await everyMachineOnce();
  expect(doubles.problems()).toEqual([]);
});

interface Machine {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status?: { readonly phase?: string; readonly nodeName?: string };
}
const machines = async (): Promise<Machine[]> =>
  (await roles.kubectl.json<{ items: Machine[] }>('get vmi -o json')).items;
const on = async (node: NodeRole): Promise<Machine[]> =>
  (await machines()).filter(({ status }) => status?.nodeName === node.name);
const pids = async (home: string): Promise<number[]> => (await guestsOf(home)).map(({ pid }) => pid).sort();

async function everyMachineOnce(): Promise<void> {
  await vi.waitFor(async () => {
    const all = await machines();
    expect(all.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).sort()).toEqual(
      VMS.map((name) => `${name} Running`),
    );
    expect(await guestsOf(roles.directory)).toHaveLength(VMS.length);
  }, PATIENT);
}

/** A node that has machines, those machines, and their processes. */
async function busyNode(): Promise<{ node: NodeRole; before: Machine[]; guests: number[] }> {
  for (const node of roles.nodes) {
    const before = await on(node);
    if (before.length > 0) return { node, before, guests: await pids(node.home) };
  }
  throw new Error('no node has a VM');
}
const untilUnknown = (before: readonly Machine[]): Promise<void> =>
  vi.waitFor(async () => {
    const uids = new Set(before.map(({ metadata }) => metadata.uid));
    const theirs = (await machines()).filter(({ metadata }) => uids.has(metadata.uid));
    expect(theirs.map(({ status }) => status?.phase)).toEqual(before.map(() => 'Unknown'));
  }, PATIENT);
const untilEvent = (reason: string): Promise<void> =>
  vi.waitFor(async () => {
    const { items } = await roles.kubectl.json<{ items: { message: string }[] }>(
      `get events -A --field-selector reason=${reason} -o json`,
    );
    expect(items.length).toBeGreaterThan(0);
  }, PATIENT);
/** The same instances, by the same processes. */
async function expectUntouched(node: NodeRole, before: readonly Machine[], guests: readonly number[]): Promise<void> {
  await everyMachineOnce();
  expect((await on(node)).map(({ metadata }) => metadata.uid).sort()).toEqual(
    before.map(({ metadata }) => metadata.uid).sort(),
  );
  expect(await pids(node.home)).toEqual(guests);
}

it('an agent that is stopped, and goes on', async () => {
  const { node, before, guests } = await busyNode();
  node.signal('SIGSTOP');
  await untilUnknown(before);
  await untilEvent('NodeUnresponsive');
  node.signal('SIGCONT');
  await expectUntouched(node, before, guests);
});

it('an agent that is killed, and started again', async () => {
  const { node, before, guests } = await busyNode();
  await node.end('SIGKILL');
  await untilUnknown(before);
  expect(await pids(node.home)).toEqual(guests);
  await expectUntouched(await roles.restartNode(node), before, guests);
});

it('a Node that is removed while its agent is stopped: its pods are collected, its guests go on', async () => {
  const { node, before, guests } = await busyNode();
  node.signal('SIGSTOP');
  await roles.kubectl.do(`delete node ${node.name}`);
  await untilUnknown(before);
  await untilEvent('NodeRemoved');
  await vi.waitFor(async () => {
    const pods = await roles.kubectl(`get pods --field-selector spec.nodeName=${node.name} -o name`);
    expect(pods).toBe('');
  }, PATIENT);
  expect(await pids(node.home)).toEqual(guests);
  node.signal('SIGCONT');
  await expectUntouched(node, before, guests);
});

it('a server that is down', { timeout: OUTAGE_MS + 20 * 60_000 }, async () => {
  const { node, before, guests } = await busyNode();
  const { home, port } = server;
  await server.kill();
  await delay(OUTAGE_MS);
  expect(await pids(node.home)).toEqual(guests);
  server = await startVireo({ home, port });
  await expectUntouched(node, before, guests);
});

it('a host that is off, and declared so: its machines start elsewhere, and it comes back', async () => {
  const { node, before } = await busyNode();
  await node.end('SIGKILL');
  for (const { pid } of await processesWith(node.home)) end(pid, 'SIGKILL');
  expect(await roles.vireo(`node fence ${node.name} --yes`)).toContain(`The node ${node.name} is fenced.`);
  await everyMachineOnce();
  await untilEvent('NodeOutOfService');
  const gone = new Set(before.map(({ metadata }) => metadata.uid));
  expect((await machines()).filter(({ metadata }) => gone.has(metadata.uid))).toEqual([]);
  const back = await roles.restartNode(node);
  expect(await roles.vireo(`node unfence ${back.name}`)).toContain('is no longer fenced');
  expect(await pids(back.home)).toEqual([]);
});

it('the policy lease: guests of a node whose agent is stopped end, and start elsewhere by themselves', async () => {
  const { node, before } = await busyNode();
  const policy = `node fence --policy lease --stop-after 30s --restart-after 70s ${node.name}`;
  expect(await roles.vireo(policy)).toContain('ends its guests after 30 s');
  node.signal('SIGSTOP');
  await vi.waitFor(async () => expect(await pids(node.home)).toEqual([]), PATIENT);
  await everyMachineOnce();
  await untilEvent('NodeLeaseExpired');
  const gone = new Set(before.map(({ metadata }) => metadata.uid));
  expect((await machines()).filter(({ metadata }) => gone.has(metadata.uid))).toEqual([]);
  node.signal('SIGCONT');
  await untilEvent('GuestsEndedBySilence');
  await everyMachineOnce();
  expect(await roles.vireo(`node fence --policy none ${node.name}`)).toContain('its VMs wait for it');
  await vi.waitFor(async () => {
    const deadMen = (await processesWith(node.home)).filter(({ command }) =>
      command.some((word) => word.includes('deadMan')),
    );
    expect(deadMen).toEqual([]);
  }, PATIENT);
});
