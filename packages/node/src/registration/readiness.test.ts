import { Node } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { systemClock } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepReadiness, readyCondition } from './readiness.ts';

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

it("the node's readiness follows, new machines go elsewhere meanwhile, and what the server said for it is taken back", async () => {
  let problem: string | undefined;
  let tell = (): void => {};
  const health = {
    problem: () => problem,
    onChange: (callback: () => void) => {
      tell = callback;
      return () => {};
    },
  };
  const set = (next: string | undefined): void => {
    problem = next;
    tell();
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
      { timeout: 5_000 },
    );
  const ended = keepReadiness(server.client, 'n', health, { clock: systemClock, log: memoryLog() }, stop.signal);
  set('libvirtd does not answer');
  await until('False', 'libvirtd does not answer');
  set(undefined);
  await until('True', 'libvirt answers');
  stop.abort();
  await ended;
});
