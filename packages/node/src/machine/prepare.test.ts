import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Namespace, Pod } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { systemClock } from '@vireo/kube';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { NodeContext } from '../context.ts';
import { ImageStore, type LocalImage } from '../disks/images.ts';
import { bootSectorDisk } from '../guestImage/bootSectorGuest.ts';
import { nodeLayout } from '../libvirtd/layout.ts';
import { podIn, UID, vmiIn } from '../testing/objects.ts';
import { machineFiles } from './files.ts';
import { type Machine, newMemory } from './machine.ts';
import { prepare } from './prepare.ts';
import { Writer } from './write.ts';

let home: string;
let server: TestServer;
let image: PromiseWithResolvers<LocalImage>;
let events: string[];
let wake: ReturnType<typeof vi.fn<(key: string) => void>>;
let memory: Machine['memory'];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-prepare-'));
  server = await startTestServer();
  image = Promise.withResolvers();
  events = [];
  wake = vi.fn();
  memory = newMemory();
  await server.client.of(Namespace).create({ metadata: { name: 'shop' } });
  await server.client.of(Pod).create(podIn('Pending', { ownerReferences: [] }));
});
afterEach(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true });
});

/** One turn of the loop, with an image that comes when the test says so. */
async function turn(): Promise<{ again: number | undefined; pod: Pod }> {
  class Images extends ImageStore {
    override resolve = (): Promise<LocalImage> => image.promise;
  }
  const context = {
    client: server.client,
    images: new Images({ directory: home, cache: home, log: () => {} }),
    host: { address: '192.0.2.1' },
    layout: nodeLayout(home, true),
    recorder: { event: (_: unknown, type: string, reason: string) => void events.push(`${type} ${reason}`) },
    wake,
    clock: systemClock,
  } as unknown as NodeContext;
  const pods = server.client.of(Pod);
  const at = { namespace: 'shop' };
  const machine: Machine = {
    key: 'shop/web',
    uid: UID,
    vmi: vmiIn('Scheduling', {}, { volumes: [{ name: 'root', containerDisk: { image: 'far/away' } }] }),
    pod: await pods.get('virt-launcher-web-x', at),
    domain: undefined,
    files: machineFiles(nodeLayout(home, true), UID),
    memory,
  };
  const result = await prepare(machine, context, new Writer(server.client));
  return { again: result?.requeueAfterMs, pod: await pods.get('virt-launcher-web-x', at) };
}
const waiting = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.waiting;

it('an image that takes time holds nobody up, and the launcher says so', async () => {
  const first = await turn();
  expect(waiting(first.pod)).toEqual({ reason: 'ContainerCreating', message: 'pulling image "far/away"' });
  expect(first.again).toBeUndefined();
  await turn();
  expect(events).toEqual(['Normal Pulling']);
  expect(wake).not.toHaveBeenCalled();

  const path = join(home, 'far.raw');
  await writeFile(path, bootSectorDisk());
  image.resolve({ path, format: 'raw' });
  await vi.waitFor(() => expect(wake).toHaveBeenCalledExactlyOnceWith('shop/web'));
  expect((await turn()).pod.status?.phase).toBe('Running');
  expect(events).toEqual(['Normal Pulling', 'Normal Pulled']);
});

it('a registry that fails is asked less and less often', async () => {
  image.promise.catch(() => {});
  image.reject(new Error('no route to it'));
  const first = await turn();
  expect(waiting(first.pod)).toEqual({ reason: 'ErrImagePull', message: 'no route to it' });
  expect(first.again).toBe(10_000);
  // Whatever else happens to the machine in the meantime.
  const second = await turn();
  expect(second.again).toBeLessThanOrEqual(10_000);
  expect(waiting(second.pod)?.reason).toBe('ErrImagePull');
  memory.retryAtMs = 0;
  const third = await turn();
  expect(waiting(third.pod)?.reason).toBe('ImagePullBackOff');
  expect(third.again).toBe(20_000);
  expect(events).toEqual(['Warning Failed', 'Warning Failed']);
});
