import { Node } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { Client, systemClock, type Transport } from '@vireo/kube';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepReadiness, readyCondition } from './readiness.ts';

const WAIT = { timeout: 20_000 };
let server: TestServer;
let stop: AbortController;
beforeEach(async () => {
  server = await startTestServer();
  stop = new AbortController();
  const nodes = server.client.of(Node);
  await nodes.create({ metadata: { name: 'n', labels: { 'kubevirt.io/schedulable': 'true' } } });
  const conditions = [
    { type: 'SoftwareEmulation', status: 'True' },
    { type: 'MemoryPressure', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'It is silent.' },
    readyCondition(undefined),
  ];
  await nodes.patchStatus('n', { status: { conditions } }, { type: 'merge' });
});
afterEach(async () => {
  stop.abort();
  await server.close();
});

it("the node's readiness follows, new VMs go elsewhere meanwhile, and what the server said for it is taken back", async () => {
  let problem: string | undefined;
  let writeNode = (): void => {};
  const health = {
    problem: () => problem,
    onChange: (callback: () => void) => {
      writeNode = callback;
      return () => {};
    },
  };
  const set = (next: string | undefined): void => {
    problem = next;
    writeNode();
  };
  const until = (status: string, message: string) =>
    vi.waitFor(
      async () => {
        const node = await server.client.of(Node).get('n');
        const conditions = node.status?.conditions ?? [];
        expect(Object.fromEntries(conditions.map((each) => [each.type, each.status]))).toEqual({
          SoftwareEmulation: 'True',
          MemoryPressure: 'False',
          DiskPressure: 'False',
          PIDPressure: 'False',
          Ready: status,
        });
        expect(conditions.find(({ type }) => type === 'Ready')?.message).toBe(message);
        expect(JSON.stringify(conditions)).not.toContain('silent');
        expect(node.metadata.labels).toEqual({ 'kubevirt.io/schedulable': status === 'True' ? 'true' : 'false' });
      },
      { timeout: 20_000 },
    );
  const ended = keepReadiness(server.client, 'n', health, { clock: systemClock, log: memoryLog() }, stop.signal);
  set('libvirtd does not answer');
  await until('False', 'libvirtd does not answer');
  set(undefined);
  await until('True', 'libvirt is responding');
  stop.abort();
  await ended;
});

it('what did not reach the server is said again soon', async () => {
  const clock = new FakeClock();
  const log = memoryLog();
  const { transport } = server.client;
  let refusals = 1;
  const call: Transport['call'] = (request) =>
    request.method === 'PATCH' && refusals-- > 0 ? Promise.reject(new Error('no space left')) : transport.call(request);
  const client = new Client({ call, watch: (request) => transport.watch(request), close: () => transport.close() });
  const health = { problem: () => 'libvirtd does not answer', onChange: () => () => {} };
  const ended = keepReadiness(client, 'n', health, { clock, log }, stop.signal);
  await vi.waitFor(() => expect(clock.pending).toBe(1), WAIT);
  clock.advance(1_000);
  await vi.waitFor(() => expect([log.entries.length, clock.pending]).toEqual([1, 1]), WAIT);
  const failedAtMs = clock.now();
  await vi.waitFor(async () => {
    clock.advance(500);
    const { status } = await server.client.of(Node).get('n');
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
  }, WAIT);
  expect(clock.now() - failedAtMs).toBeLessThan(60_000);
  stop.abort();
  await ended;
});

it('disk pressure becomes a condition and a taint, and both go when there is space again', async () => {
  let isUnderPressure = false;
  let changed = (): void => {};
  const health = {
    problem: () => undefined,
    onChange: (callback: () => void) => {
      changed = callback;
      return () => {};
    },
    disk: () => ({
      directory: '/srv',
      freeBytes: 2 ** 30,
      totalBytes: 100 * 2 ** 30,
      isUnderPressure,
      freeStorageBytes: 2 ** 30,
    }),
  };
  const nodes = server.client.of(Node);
  const ended = keepReadiness(server.client, 'n', health, { clock: systemClock, log: memoryLog() }, stop.signal);
  const until = (status: string, message: string, taints: string[]) =>
    vi.waitFor(async () => {
      const node = await nodes.get('n');
      const condition = node.status?.conditions?.find(({ type }) => type === 'DiskPressure');
      expect(condition).toMatchObject({ status, message });
      const keys = node.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`) ?? [];
      expect(keys.filter((key) => key.includes('disk'))).toEqual(taints);
    }, WAIT);
  isUnderPressure = true;
  changed();
  const nearlyFull = '1 GiB of 100 GiB is free in /srv; guests are paused when the disk is full';
  await until('True', nearlyFull, ['node.kubernetes.io/disk-pressure:NoSchedule']);
  isUnderPressure = false;
  changed();
  await until('False', 'kubelet has no disk pressure', []);
  stop.abort();
  await ended;
});
