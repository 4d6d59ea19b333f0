import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Clock, exposition, Metrics } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { parseExposition } from '@vireo/kube/testing/parseExposition.ts';
import { ConnectionError, type ReconnectingLibvirt, type TypedParameter, TypedParameters, typed } from '@vireo/libvirt';
import { describe, expect, it, vi } from 'vitest';
import type { Domain } from '../vmi/domainInformer.ts';
import { type AgentReport, interfaceCounters, NO_REPORT } from './agentReport.ts';
import { AgentReports } from './agentReports.ts';
import { parseCounters } from './cardCounters.ts';
import { observeNode } from './index.ts';

const domain = { name: 'shop_web', uuid: '11111111-2222-3333-4444-555555555555', id: 1 };

const parameters = (values: Readonly<Record<string, number | string>>): TypedParameters =>
  new TypedParameters(
    Object.entries(values).map(
      ([name, value]): TypedParameter =>
        typeof value === 'string' ? typed.string(name, value) : typed.ullong(name, BigInt(value)),
    ),
  );

const STATS = parameters({
  'cpu.time': 1_500_000_000,
  'vcpu.maximum': 2,
  'vcpu.0.state': 1,
  'vcpu.0.time': 250_000_000,
  'vcpu.0.wait': 10_000_000,
  'balloon.maximum': 65_536,
  'balloon.rss': 1_000,
  'net.count': 4,
  'net.0.name': 'vnet7',
  'net.0.rx.bytes': 100,
  'net.2.name': 'vt2',
  'net.2.rx.bytes': 1,
  'net.2.tx.bytes': 1,
  'net.2.tx.errs': 1,
  'net.3.name': 'vt3',
  'net.3.rx.bytes': 1,
  'net.3.tx.bytes': 1,
  'block.count': 2,
  'block.0.name': 'vda',
  'block.0.rd.bytes': 512,
  'block.1.name': 'sda',
  'block.1.rd.bytes': 0,
});

const vmi = {
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: domain.uuid,
    labels: { 'app.kubernetes.io/name': 'a"b', 'app-kubernetes-io-name': 'later' },
  },
} as unknown as Vmi;

const AGENT_CARDS = JSON.stringify({
  return: [
    { name: 'lo', statistics: { 'rx-bytes': 1 } },
    { name: 'eth1', 'hardware-address': '02:00:00:00:00:0B', statistics: { 'rx-bytes': 7, 'tx-bytes': 'many' } },
  ],
});

const DEVICES = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 7 7 7 7 0 0 0 0 7 7 7 7 0 0 0 0
   vt2:    20       2    0    1    0     0          0         0     2000      12    3    0    0     0       0          0
   vt3: 30 3 0 0 0 0 0 0 3000 13 0 0 0 0 0 0
`;

interface NodeState {
  stats?: () => Promise<{ domain: typeof domain; parameters: TypedParameters }[]>;
  isConnected?: boolean;
  migrationState?: object;
}

/** A node with one guest, and the metrics of it. */
function node({
  stats = async () => [{ domain, parameters: STATS }],
  isConnected = true,
  migrationState,
}: NodeState = {}) {
  let now = 1_000_000;
  const clock: Clock = { now: () => now, after: () => () => {} };
  const domainStats = vi.fn(stats);
  const guestInfo = vi.fn(async () =>
    parameters({
      'fs.count': 2,
      'fs.0.name': 'vda1',
      'fs.0.mountpoint': '/',
      'fs.0.fstype': 'ext4',
      'fs.0.total-bytes': 1000,
      'fs.0.used-bytes': 10,
      'fs.1.name': 'vda1',
      'fs.1.mountpoint': '/',
      'fs.1.fstype': 'ext4',
    }),
  );
  const jobStats = async () => ({
    type: 'unbounded',
    parameters: parameters({ data_remaining: 5, data_processed: 3 }),
  });
  const long = { domainStats, guestInfo, agentCommand: async () => AGENT_CARDS, jobStats };
  const view = {
    diskTargets: { root: 'vda' },
    interfaces: {
      tapped: { mac: '02:00:00:00:00:0a', linkState: 'up', queueCount: 1, device: 'vnet7' },
      routed: { mac: '02:00:00:00:00:0c', linkState: 'up', queueCount: 1, device: 'vt2', isDeviceOfNode: true },
      macvtap: { mac: '02:00:00:00:00:0d', linkState: 'up', queueCount: 1, device: 'vt3', isDeviceOfNode: true },
      user: { mac: '02:00:00:00:00:0b', linkState: 'up', queueCount: 1 },
    },
    isAgentConnected: true,
  };
  const metrics = new Metrics();
  observeNode(metrics, {
    name: 'n1',
    libvirt: { isConnected, long } as unknown as ReconnectingLibvirt,
    domains: { get: () => ({ ref: domain, view }) as unknown as Domain },
    vmi: (key) => (key === 'shop/web' ? { ...vmi, status: { migrationState } } : undefined) as Vmi,
    macvtapsOf: (uid) => (uid === domain.uuid ? ['vt3'] : []),
    readCounters: async () => parseCounters(DEVICES),
    health: { problem: () => (isConnected ? undefined : 'libvirtd is away'), onChange: () => () => {} },
    log: memoryLog(),
    clock,
  });
  const read = async () => parseExposition(await exposition(new Map([['virt-handler', metrics]])));
  const own = { node: 'n1', namespace: 'shop', name: 'web', kubernetes_vmi_label_app_kubernetes_io_name: 'later' };
  return {
    /** The series of a metric: what they have beside the labels that all have. */
    series: async (name: string) =>
      (await read()).get(`kubevirt_vmi_${name}`)?.samples.map(({ labels, value }) => {
        expect(labels).toMatchObject(own);
        const rest = Object.entries(labels).filter(([label]) => !Object.hasOwn(own, label));
        return [Object.fromEntries(rest), value];
      }),
    ready: async () => (await read()).get('kubevirt_virt_handler_ready_status')?.samples[0]?.value,
    domainStats,
    guestInfo,
    later: (ms: number) => {
      now += ms;
    },
  };
}

describe('a guest that runs', () => {
  it.each<[string, [object, number][]]>([
    ['cpu_usage_seconds_total', [[{}, 1.5]]],
    ['cpu_user_usage_seconds_total', []],
    ['vcpu_seconds_total', [[{ id: '0', state: 'running' }, 0.25]]],
    ['vcpu_wait_seconds_total', [[{ id: '0' }, 0.01]]],
    ['memory_domain_bytes', [[{}, 65_536 * 1024]]],
    ['memory_resident_bytes', [[{}, 1_024_000]]],
    ['memory_usable_bytes', []],
    [
      'storage_read_traffic_bytes_total',
      [
        [{ drive: 'root' }, 512],
        [{ drive: 'sda' }, 0],
      ],
    ],
    ['migration_data_remaining_bytes', []],
  ])('is measured: %s', async (name, expected) => {
    expect(await node().series(name)).toEqual(expected);
  });

  it('is asked in the background for what only it knows', async () => {
    const { series, guestInfo, later } = node();
    expect(await series('filesystem_capacity_bytes')).toEqual([]);
    await vi.waitFor(async () =>
      expect(await series('filesystem_capacity_bytes')).toEqual([
        [{ disk_name: 'vda1', mount_point: '/', file_system_type: 'ext4' }, 1000],
      ]),
    );
    expect(await series('network_receive_bytes_total')).toEqual([
      [{ interface: 'tapped' }, 100],
      [{ interface: 'routed' }, 2_000],
      [{ interface: 'macvtap' }, 30],
      [{ interface: 'user' }, 7],
    ]);
    expect(await series('network_transmit_bytes_total')).toEqual([
      [{ interface: 'routed' }, 20],
      [{ interface: 'macvtap' }, 3_000],
    ]);
    expect(await series('network_transmit_errors_total')).toEqual([[{ interface: 'routed' }, 0]]);
    expect(guestInfo).toHaveBeenCalledTimes(1);
    later(11_000);
    await series('filesystem_used_bytes');
    await vi.waitFor(() => expect(guestInfo).toHaveBeenCalledTimes(2));
  });

  it('tells how far its migration is', async () => {
    const { series } = node({ migrationState: { startTimestamp: '2026-01-01T00:00:00Z' } });
    expect(await series('migration_data_remaining_bytes')).toEqual([[{}, 5]]);
    expect(await series('migration_data_processed_bytes')).toEqual([[{}, 3]]);
  });
});

describe('libvirt', () => {
  it('is asked once for many who ask', async () => {
    const { series, domainStats, later } = node();
    await Promise.all([series('cpu_usage_seconds_total'), series('cpu_usage_seconds_total')]);
    expect(domainStats).toHaveBeenCalledTimes(1);
    later(1_000);
    await series('cpu_usage_seconds_total');
    expect(domainStats).toHaveBeenCalledTimes(2);
  });

  it.each<[string, NodeState]>([
    ['away', { isConnected: false }],
    ['going away', { stats: async () => Promise.reject(new ConnectionError('gone')) }],
    ['silent', { stats: async () => Promise.reject(AbortSignal.abort(new DOMException('', 'TimeoutError')).reason) }],
  ])('may be %s: there are no figures, and no failure', async (_, state) => {
    const { series, ready } = node(state);
    expect(await series('cpu_usage_seconds_total')).toEqual([]);
    expect(await ready()).toBe(state.isConnected === false ? 0 : 1);
  });
});

describe('reports of agents', () => {
  it('may hold anything, for guests write them', () => {
    for (const answer of [undefined, '', '{', 'null', '{"return":null}', '{"return":[null,1,{"statistics":2}]}'])
      expect(interfaceCounters(answer)).toEqual(new Map());
  });

  it('are asked for by a few at a time, and forgotten with their guests', async () => {
    const waiting: (() => void)[] = [];
    let asked = 0;
    const ask = (): Promise<AgentReport> => {
      asked++;
      return new Promise((resolve) => waiting.push(() => resolve({ ...NO_REPORT, interfaces: new Map([['a', {}]]) })));
    };
    const reports = new AgentReports(ask, { now: () => 1e6, after: () => () => {} });
    const all = Array.from({ length: 6 }, (_, index) => ({ ...domain, uuid: String(index) }));
    const done = reports.refresh(all);
    expect(asked).toBe(4);
    // Somebody else asks meanwhile.
    await reports.refresh(all);
    expect(asked).toBe(4);
    for (let index = 0; index < all.length; index++) {
      waiting.shift()?.();
      await new Promise(setImmediate);
    }
    await done;
    expect(asked).toBe(6);
    expect(reports.of(all[0] ?? domain).interfaces.size).toBe(1);
    await reports.refresh(all.slice(1));
    expect(reports.of(all[0] ?? domain)).toBe(NO_REPORT);
  });
});
