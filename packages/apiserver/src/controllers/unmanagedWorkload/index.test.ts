import { Deployment, Event, StatefulSet, type UnknownObject } from '@vireo/api';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { isUnmanaged } from './status.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const at = { namespace: 'default' };
const labels = { app: 'web' };
const spec = {
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
};

test('a workload that nobody manages says so, and one that somebody manages does not', async () => {
  const { client } = server;
  await client.of(Deployment).create({ metadata: { name: 'managed', ...at }, spec });
  await client.of(Deployment).patchStatus('managed', { status: { observedGeneration: 1 } }, { ...at, type: 'merge' });
  await client.of(StatefulSet).create({ metadata: { name: 'db', ...at }, spec: { ...spec, serviceName: 'db' } });
  const events = await vi.waitFor(
    async () => {
      const { items } = await client.of(Event).list(at);
      const found = items.filter(({ reason }) => reason === 'NoContainers');
      expect(found).not.toEqual([]);
      return found;
    },
    { timeout: 10_000, interval: 50 },
  );
  expect(
    events.map(({ involvedObject, type, message }) => [involvedObject.kind, involvedObject.name, type, message]),
  ).toEqual([
    [
      'StatefulSet',
      'db',
      'Warning',
      'this server runs virtual machines, not containers: nothing acts on this StatefulSet. Create a VirtualMachine, or a VirtualMachineInstanceReplicaSet for several',
    ],
  ]);
});

test.each<[string, object, object, boolean]>([
  ['a new Deployment', {}, { status: {} }, true],
  ['a new DaemonSet', {}, { status: { currentNumberScheduled: 0 } }, true],
  ['one whose status was written', {}, { status: { observedGeneration: 1 } }, false],
  ['a Job that was started', {}, { status: { startTime: '2030-01-01T00:00:00Z' } }, false],
  ['one that goes', { deletionTimestamp: '2030-01-01T00:00:00Z' }, {}, false],
])('%s', (_, metadata, rest, expected) => {
  expect(isUnmanaged({ metadata: { name: 'x', ...metadata }, ...rest } as UnknownObject)).toBe(expected);
});
