import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Lease, Node } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startTestCluster, type TestCluster } from './testing/cluster.ts';
import { Cut } from './testing/cut.ts';
import { bootSectorVm } from './testing/vms.ts';

/** Long enough for whatever gives up VMs: nodes count as lost after five minutes. */
const OUTAGE_MINUTES = 10;

let cluster: TestCluster;
const clock = new FakeClock();
const server = new Cut();

beforeAll(async () => {
  clock.advance(Date.now());
  const hypervisor = { keepAlive: { intervalMs: 500, count: 3 }, answerMs: 2_000 };
  cluster = await startTestCluster({ hypervisor, clock, through: (transport) => server.through(transport) });
  await cluster.admin.of(VirtualMachine).create(bootSectorVm('web'));
  await running();
});
afterAll(() => cluster?.close());

const running = () =>
  vi.waitFor(
    async () => {
      clock.advance(100);
      const { status } = await cluster.vmis.until('web');
      expect(status?.phase).toBe('Running');
    },
    { timeout: 40_000, interval: 50 },
  );

/** Lets time go on until the node says so; what it says with it. */
const untilReady = (isReady: boolean): Promise<string> =>
  vi.waitFor(
    async () => {
      clock.advance(1_000);
      const { metadata, status } = await cluster.admin.of(Node).get('node-1');
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready?.status).toBe(isReady ? 'True' : 'False');
      expect(metadata.labels?.['kubevirt.io/schedulable']).toBe(String(isReady));
      return ready?.message ?? '';
    },
    { timeout: 40_000, interval: 50 },
  );

it('a libvirtd that hangs is noticed, reported and replaced; guests do not notice', { timeout: 100_000 }, async () => {
  const guests = await cluster.guests();
  const pid = await cluster.libvirtdPid();
  process.kill(pid, 'SIGSTOP');
  expect(await untilReady(false)).toMatch(/libvirtd has not responded for \d+ ms/);
  expect(cluster.node.problem()).toBeDefined();
  await untilReady(true);
  expect(cluster.node.problem()).toBeUndefined();
  expect(await cluster.libvirtdPid()).not.toBe(pid);
  expect(await cluster.guests()).toEqual(guests);
});

it('a long outage of libvirtd costs no VM', { timeout: 100_000 }, async () => {
  const before = await cluster.vmis.until('web');
  const guests = await cluster.guests();
  const configuration = join(cluster.layout.libvirt, cluster.layout.isRoot ? 'etc' : 'etc/libvirt', 'libvirtd.conf');
  const good = await readFile(configuration, 'utf8');
  await writeFile(configuration, `${good}\nmax_clients = "many"\n`);
  process.kill(await cluster.libvirtdPid(), 'SIGKILL');
  await untilReady(false);
  await vi.waitFor(() => expect(cluster.node.problem()).toMatch(/libvirtd cannot be started: .*max_clients/), 20_000);
  for (let minute = 0; minute < OUTAGE_MINUTES; minute += 1) {
    clock.advance(60_000);
    const now = clock.now();
    await vi.waitFor(async () => {
      clock.advance(1_000);
      const { spec } = await cluster.admin.of(Lease).get('node-1', { namespace: 'kube-node-lease' });
      expect(Date.parse(spec?.renewTime ?? '')).toBeGreaterThanOrEqual(now);
    }, 5_000);
  }
  await writeFile(configuration, good);
  await untilReady(true);
  await running();
  const after = await cluster.vmis.until('web');
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.metadata.deletionTimestamp).toBeUndefined();
  expect(await cluster.guests()).toEqual(guests);
});

it('an API server that does not answer for ten minutes costs no VM', { timeout: 100_000 }, async () => {
  const before = await cluster.vmis.until('web');
  const guests = await cluster.guests();
  server.cut();
  for (let second = 0; second < OUTAGE_MINUTES * 60; second += 5) {
    clock.advance(5_000);
    // What is due at that moment is tried, in vain.
    await new Promise(setImmediate);
  }
  expect(await cluster.guests()).toEqual(guests);
  server.mend();
  const mendedAtMs = clock.now();
  await vi.waitFor(
    async () => {
      clock.advance(1_000);
      const { spec } = await cluster.admin.of(Lease).get('node-1', { namespace: 'kube-node-lease' });
      expect(Date.parse(spec?.renewTime ?? '')).toBeGreaterThan(mendedAtMs);
    },
    { timeout: 20_000, interval: 50 },
  );
  await running();
  const after = await cluster.vmis.until('web');
  expect(after.metadata.uid).toBe(before.metadata.uid);
  // The controllers have not taken the node for silent: they could not have heard of it.
  expect(after.status?.phaseTransitionTimestamps?.map(({ phase }) => phase)).not.toContain('Unknown');
  expect(await cluster.guests()).toEqual(guests);
});
