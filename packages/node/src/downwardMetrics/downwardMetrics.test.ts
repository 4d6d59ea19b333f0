import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { guestMetrics } from './guestMetrics.ts';
import { hostMetrics, hostNames, readHostTexts } from './hostMetrics.ts';
import { DownwardMetrics } from './index.ts';
import { createMetricsDisk, metricsDisk } from './metricsDisk.ts';
import { metricsXml } from './metricsXml.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp('/tmp/vireo-metrics-');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const statsOf = (numbers: Record<string, number>) => ({ number: (name: string) => numbers[name] });
const GUEST = {
  'vcpu.current': 2,
  'vcpu.maximum': 4,
  'vcpu.0.time': 1_500_000_000,
  'vcpu.1.time': 250_000_000,
  'balloon.current': 65_536,
};
const metricOf = (xml: string, context: string, name: string): string | undefined =>
  new RegExp(`context="${context}"[^>]*>\\s*<name>${name}</name>\\s*<value>([^<]*)</value>`).exec(xml)?.[1];

describe('the document', () => {
  it('has what the kernel says of the host, and what libvirt says of the guest', () => {
    const texts = {
      stat: 'cpu  1000 200 300 9999 5 6 7 8 9 10\ncpu0 1 1 1 1 1 1 1 1 1 1\n',
      meminfo:
        'MemTotal:       8000 kB\nMemFree:        3000 kB\nBuffers:         100 kB\nCached:          900 kB\n' +
        'SwapCached:       10 kB\nSwapTotal:      2000 kB\nSwapFree:       1500 kB\n',
      vmstat: 'pgpgin 5\npswpin 3\npswpout 4\n',
      sockets: ['0', '0', '1'],
    };
    const names = hostNames({ node: 'node-1', product: 'qemu-7.2.0' });
    const guest = guestMetrics(statsOf(GUEST)) ?? [];
    const all = [...names, ...guest, ...hostMetrics(texts, 1_700_000_000_500)];
    expect(
      all.map(({ context, name, type, value, unit = '' }) => `${context} ${name} ${type} ${value}${unit}`),
    ).toEqual([
      'host HostName string node-1',
      'host HostSystemInfo string linux',
      'host VirtualizationVendor string kubevirt.io',
      'host VirtProductInfo string qemu-7.2.0',
      'vm TotalCPUTime real64 1.75s',
      'vm ResourceProcessorLimit uint64 2',
      'vm PhysicalMemoryAllocatedToVirtualSystem uint64 65536KiB',
      'vm ResourceMemoryLimit uint64 65536KiB',
      'host NumberOfPhysicalCPUs int64 2',
      'host TotalCPUTime real64 15s',
      'host FreePhysicalMemory uint64 3000KiB',
      'host FreeVirtualMemory uint64 4500KiB',
      'host MemoryAllocatedToVirtualServers uint64 4000KiB',
      'host UsedVirtualMemory uint64 5990KiB',
      'host PagedInMemory uint64 12KiB',
      'host PagedOutMemory uint64 16KiB',
      'host Time int64 1700000000s',
    ]);
    const xml = metricsXml(all);
    expect(xml).toContain('<metric type="real64" context="vm" unit="s">');
    expect(metricOf(xml, 'vm', 'TotalCPUTime')).toBe('1.750000');
  });

  it('has something of this host in it', async () => {
    const metrics = hostMetrics(await readHostTexts(), Date.now());
    for (const name of ['NumberOfPhysicalCPUs', 'TotalCPUTime', 'FreePhysicalMemory'])
      expect(metrics.find((metric) => metric.name === name)?.value).toBeGreaterThan(0);
  });

  it('of a guest that libvirt says nothing of is not made', () => {
    expect(guestMetrics(statsOf({ 'vcpu.current': 2 }))).toBeUndefined();
  });
});

/** A disk as a guest reads it; undefined while it is being written. */
async function readDisk(path: string): Promise<string | undefined> {
  const bytes = await readFile(path);
  expect(bytes.toString('latin1', 0, 4)).toBe('mvbd');
  if (bytes.readInt32BE(4) !== 0) return undefined;
  const body = bytes.subarray(16, 16 + bytes.readInt32BE(12));
  expect(bytes.readInt32BE(8)).toBe(body.reduce((sum, byte) => sum + byte, 0));
  return body.toString();
}

describe('a guest that runs', () => {
  const uid = 'u';
  let running = true;
  let server: Server | undefined;
  afterEach(() => server?.close());

  const metrics = () =>
    new DownwardMetrics({
      names: { node: 'node-1', product: 'qemu-7.2.0' },
      domains: { get: () => (running ? { state: { state: 'running', reason: 'booted' } } : undefined) } as never,
      stats: { read: async () => [{ domain: { uuid: uid }, parameters: statsOf(GUEST) }] as never },
      log: memoryLog(),
      clock: systemClock,
    });
  const local = (devices: object, volumes: object[] = []) =>
    ({
      uid,
      vmi: vmiIn('Running', {}, { domain: { devices }, volumes } as never),
      files: { directory, paths: { metricsSocket: join(directory, 'metrics') } },
    }) as unknown as Parameters<DownwardMetrics['follow']>[0];
  /** QEMU listens, and the guest speaks through it. */
  async function listen(): Promise<Promise<Socket>> {
    const { promise, resolve } = Promise.withResolvers<Socket>();
    server = createServer((socket) => resolve(socket.setEncoding('utf8')));
    server.listen(join(directory, 'metrics'));
    await once(server, 'listening');
    return promise;
  }
  async function answer(socket: Socket): Promise<string> {
    let text = '';
    while (!text.endsWith('\n\n')) text += ((await once(socket, 'data')) as [string])[0];
    return text;
  }

  it('finds its metrics on its disk', async () => {
    const path = metricsDisk(directory, 'vhostmd');
    await createMetricsDisk(path);
    expect(await readDisk(path)).toContain('VM metrics not available');
    expect((await stat(path)).size).toBe(262_144);
    metrics().follow(local({}, [{ name: 'vhostmd', downwardMetrics: {} }]));
    await vi.waitFor(async () => expect(metricOf((await readDisk(path)) ?? '', 'host', 'HostName')).toBe('node-1'));
    // Another start finds what is there.
    await createMetricsDisk(path);
    expect(metricOf((await readDisk(path)) ?? '', 'vm', 'ResourceProcessorLimit')).toBe('2');
  });

  it('is answered on its port, and again when its connection is new', async () => {
    const connected = listen();
    const served = metrics();
    served.follow(local({ downwardMetrics: {} }));
    const socket = await await connected;
    socket.write('GET /metrics/XML\n\n');
    const xml = await answer(socket);
    expect(metricOf(xml, 'vm', 'TotalCPUTime')).toBe('1.750000');
    expect(xml.startsWith('<metrics>')).toBe(true);
    for (const wrong of ['GET /metrics/JSON\n\n', 'PUT /metrics/XML\n\n', 'GET /metrics/XML\nmore\n']) {
      socket.write(wrong);
      expect(await answer(socket)).toBe('INVALID REQUEST\n\n');
    }
    socket.write('GET /metrics/XML\r\n\r\n');
    expect(metricOf(await answer(socket), 'host', 'HostName')).toBe('node-1');
    socket.destroy();
  }, 30_000);

  it('is hung up on when the node stops, which nothing may keep from ending', async () => {
    const connected = listen();
    const [served, stop] = [metrics(), new AbortController()];
    const run = served.run(stop.signal);
    served.follow(local({ downwardMetrics: {} }));
    const socket = await await connected;
    const hungUp = once(socket.resume(), 'close');
    stop.abort();
    await run;
    await hungUp;
  });

  it('that has ended is let go', async () => {
    const [path, served] = [metricsDisk(directory, 'vhostmd'), metrics()];
    await writeFile(path, '');
    running = false;
    try {
      served.follow(local({}, [{ name: 'vhostmd', downwardMetrics: {} }]));
      await served.run(AbortSignal.timeout(50));
      expect((await stat(path)).size).toBe(0);
    } finally {
      running = true;
    }
    // Its next start is another one.
    served.follow(local({}, [{ name: 'vhostmd', downwardMetrics: {} }]));
    await vi.waitFor(async () => expect((await stat(path)).size).toBeGreaterThan(0));
  });
});
