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
  const other = { type: 'SoftwareEmulation', status: 'True' };
  await nodes.patchStatus('n', { status: { conditions: [other, readyCondition(undefined)] } }, { type: 'merge' });
});
afterEach(async () => {
  stop.abort();
  await server.close();
});

it("the node's readiness follows, new machines go elsewhere meanwhile, and other conditions stay", async () => {
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
        expect(node.status?.conditions).toEqual([
          expect.objectContaining({ type: 'SoftwareEmulation', status: 'True' }),
          expect.objectContaining({ type: 'Ready', status, message }),
        ]);
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
