import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Namespace, Pod, Secret } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { type Clock, systemClock } from '@vireo/kube';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { NodeContext } from '../context.ts';
import { ImageStore, type LocalImage } from '../disks/images.ts';
import { bootSectorDisk } from '../guestImage/bootSectorGuest.ts';
import { nodeLayout } from '../libvirtd/layout.ts';
import { userNetwork } from '../network/guestNetwork.ts';
import { podIn, UID, vmiIn } from '../testing/objects.ts';
import { vmiFiles } from './files.ts';
import { emptyCache, type LocalVmi } from './localVmi.ts';
import { prepare } from './prepare.ts';
import { StatusWriter } from './statusWriter.ts';

let home: string;
let server: TestServer;
let image: PromiseWithResolvers<LocalImage>;
let events: string[];
let enqueue: ReturnType<typeof vi.fn<(key: string) => void>>;
let cache: LocalVmi['cache'];
let clock: Clock;
let asked: number;
let volumes: NonNullable<LocalVmi['vmi']>['spec']['volumes'];
let disks: NonNullable<LocalVmi['vmi']>['spec']['domain']['devices']['disks'];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-prepare-'));
  server = await startTestServer();
  image = Promise.withResolvers();
  events = [];
  enqueue = vi.fn();
  cache = emptyCache();
  clock = systemClock;
  asked = 0;
  volumes = [{ name: 'root', containerDisk: { image: 'far/away' } }];
  disks = [];
  await server.client.of(Namespace).create({ metadata: { name: 'shop' } });
  await server.client.of(Pod).create(podIn('Pending', { ownerReferences: [], resourceVersion: undefined }));
});
afterEach(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true });
});

/** One turn of the loop, with an image that comes when the test says so. */
async function turn(): Promise<{ again: number | undefined; pod: Pod }> {
  class Images extends ImageStore {
    override resolve = (): Promise<LocalImage> => {
      asked += 1;
      return image.promise;
    };
  }
  const context = {
    client: server.client,
    kubelet: server.client,
    images: new Images({ directory: home, cache: home, log: () => {} }),
    host: { address: '192.0.2.1' },
    network: userNetwork('', ''),
    secondaryNetworks: { cardsOf: () => [] },
    layout: nodeLayout(home, true),
    recorder: { event: (_: unknown, type: string, reason: string) => void events.push(`${type} ${reason}`) },
    enqueue,
    clock,
    volumes: { claimDisk: async () => ({}), claimProblem: () => undefined },
    wantsRoot: () => true,
  } as unknown as NodeContext;
  const pods = server.client.of(Pod);
  const at = { namespace: 'shop' };
  const local: LocalVmi = {
    key: 'shop/web',
    uid: UID,
    vmi: vmiIn('Scheduling', {}, { volumes, domain: { devices: { disks } } }),
    pod: await pods.get('virt-launcher-web-x', at),
    attachments: [],
    domain: undefined,
    files: vmiFiles(nodeLayout(home, true), UID),
    user: undefined,
    cache,
  };
  const result = await prepare(local, context, new StatusWriter({ client: server.client, kubelet: server.client }));
  return { again: result?.requeueAfterMs, pod: await pods.get('virt-launcher-web-x', at) };
}
const waiting = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.waiting;

it('an image that takes time holds nobody up, and the launcher says so', async () => {
  const first = await turn();
  expect(waiting(first.pod)).toEqual({ reason: 'ContainerCreating', message: 'pulling image "far/away"' });
  expect(first.again).toBeUndefined();
  await turn();
  expect(events).toEqual(['Normal Pulling']);
  expect(enqueue).not.toHaveBeenCalled();

  const path = join(home, 'far.raw');
  await writeFile(path, bootSectorDisk());
  image.resolve({ path, format: 'raw' });
  await vi.waitFor(() => expect(enqueue).toHaveBeenCalledExactlyOnceWith('shop/web'));
  expect((await turn()).pod.status?.phase).toBe('Running');
  expect(events).toEqual(['Normal Pulling', 'Normal Pulled']);
});

it('a registry that fails is asked less and less often, whatever happens to the VMI meanwhile', async () => {
  const time = new FakeClock();
  clock = time;
  image.promise.catch(() => {});
  image.reject(new Error('no route to it'));
  const reasons = ['ErrImagePull', ...Array(6).fill('ImagePullBackOff')];
  const delays = [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000];
  for (const [index, delay] of delays.entries()) {
    const first = await turn();
    expect(first.again).toBe(delay);
    expect(waiting(first.pod)).toEqual({ reason: reasons[index], message: 'no route to it' });
    // Our own words in the launcher come back as a change.
    expect((await turn()).again).toBe(delay);
    time.advance(delay - 1);
    const early = await turn();
    expect(early.again).toBe(1);
    expect(waiting(early.pod)?.reason).toBe(reasons[index]);
    expect(asked).toBe(index + 1);
    time.advance(1);
  }
  expect(events).toEqual(['Warning Failed', 'Warning Failed']);
});

it('a Secret that is missing is looked for at a steady pace, and used once it is there', async () => {
  const time = new FakeClock();
  clock = time;
  volumes = [{ name: 'settings', cloudInitNoCloud: { secretRef: { name: 'late' } } }];
  const missing = { reason: 'CreateContainerConfigError', message: 'volume "settings": secrets "late" not found' };
  for (let look = 0; look < 8; look += 1) {
    const { again, pod } = await turn();
    expect(again).toBe(5_000);
    expect(waiting(pod)).toEqual(missing);
    time.advance(5_000);
  }
  expect(events).toEqual(['Warning Failed']);
  await server.client
    .of(Secret)
    .create({ metadata: { name: 'late', namespace: 'shop' }, data: { userdata: Buffer.from('#').toString('base64') } });
  expect((await turn()).pod.status?.phase).toBe('Running');
});

it('a disc whose attachment pod does not come is waited for, and not for ever', async () => {
  const time = new FakeClock();
  clock = time;
  disks = [{ name: 'cd', cdrom: { bus: 'sata' } }];
  volumes = [{ name: 'cd', persistentVolumeClaim: { claimName: 'iso', hotpluggable: true } }];
  expect((await turn()).again).toBe(1_000);
  time.advance(29_000);
  expect(waiting((await turn()).pod)).toEqual({
    reason: 'ContainerCreating',
    message: expect.stringContaining('volume cd is waiting for its attachment pod'),
  });
  time.advance(1_000);
  expect((await turn()).pod.status?.phase).toBe('Running');
});
