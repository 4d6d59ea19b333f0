import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { FigureService, type Told } from './service.ts';
import { type Cluster, clusterSource } from './source.ts';

class HttpError extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`HTTP ${code}`);
    this.code = code;
  }
}

let clock: FakeClock;
let asked: string[];
let isVireo: boolean;
let mayMetrics: boolean;
let podsCode: number;
let listable: readonly string[];
let nodesCode: number;
let service: FigureService;

const metricsOf = (seconds: number): string =>
  ['shop/web', 'shop/db', 'bank/vault']
    .map((key) => key.split('/'))
    .map(
      ([namespace, name]) =>
        `kubevirt_vmi_cpu_usage_seconds_total{node="n1",namespace="${namespace}",name="${name}"} ${seconds}`,
    )
    .join('\n');

const cluster: Cluster = {
  async read(path) {
    asked.push(path);
    if (path === '/version') return isVireo ? '{"gitVersion":"v1.36.0+vireo"}' : '{"gitVersion":"v1.36.0"}';
    const [, namespace = ''] = /^\/apis\/kubevirt.io\/v1\/(?:namespaces\/(\w+)\/)?/.exec(path) ?? [];
    if (path.startsWith('/apis/kubevirt.io/')) {
      if (!listable.includes(namespace)) throw new HttpError(403);
      return '{"items":[]}';
    }
    if (path === '/api/v1/nodes') return '{"items":[{"metadata":{"name":"n1"}},{"metadata":{"name":"n2"}}]}';
    if (path.startsWith('/api/v1/nodes/')) {
      if (nodesCode !== 200) throw new HttpError(nodesCode);
      return `kubevirt_vmi_cpu_usage_seconds_total{node="n2",namespace="shop",name="far"} ${clock.now() / 4_000}`;
    }
    if (path.startsWith('/metrics')) {
      if (!mayMetrics) throw new HttpError(403);
      return metricsOf(clock.now() / 2_000);
    }
    if (podsCode !== 200) throw new HttpError(podsCode);
    const containers = [{ usage: { cpu: '250m', memory: '64Mi' } }];
    return JSON.stringify({
      items: [{ metadata: { namespace: 'shop', name: 'virt-launcher-web-abcde' }, containers }],
    });
  },
};

beforeEach(() => {
  clock = new FakeClock();
  asked = [];
  isVireo = true;
  mayMetrics = true;
  podsCode = 200;
  nodesCode = 200;
  listable = ['', 'shop', 'bank'];
  service = new FigureService({ source: clusterSource(cluster, () => clock.now()), clock });
});

/** Lets what has been asked for be answered. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};
const pass = async (ms: number): Promise<void> => {
  for (let left = ms; left > 0; left -= 1_000) {
    clock.advance(Math.min(1_000, left));
    await settle();
  }
};
const scrapes = (): string[] =>
  asked.filter((path) => path.startsWith('/metrics') || path.startsWith('/apis/metrics.k8s.io/'));

describe('sampling', () => {
  it('happens every 15 s while a list is looked at, and not after', async () => {
    const leave = service.follow({ namespace: '' }, () => {});
    await pass(3_000);
    expect(scrapes()).toHaveLength(2);
    await pass(30_000);
    expect(scrapes()).toHaveLength(4);
    leave();
    await pass(120_000);
    expect(scrapes()).toHaveLength(4);
    expect(clock.pending).toBe(0);
  });

  it('does not happen when nobody looks', async () => {
    await pass(60_000);
    expect(asked).toEqual([]);
  });

  it('happens every 5 s for charts that are open, of that machine alone', async () => {
    service.follow({ namespace: 'shop', name: 'web', range: 'live', isClose: true }, () => {});
    await pass(3_000);
    asked = [];
    await pass(30_000);
    expect(asked).toHaveLength(6);
    expect(asked[0]).toContain('label=namespace%3Dshop&label=name%3Dweb');
  });

  it('happens once for several who look at the same', async () => {
    for (let view = 0; view < 3; view += 1) service.follow({ namespace: '' }, () => {});
    await settle();
    expect(scrapes()).toHaveLength(1);
  });
});

describe('who follows', () => {
  it('is told of the rates of a machine', async () => {
    let last: Told | undefined;
    service.follow({ namespace: 'shop', name: 'web', range: 'live', isClose: true }, (told) => {
      last = told;
    });
    await pass(8_000);
    expect(last).toMatchObject({ kind: 'machine', origin: 'guests', isMeasured: true, figures: { cpuCores: 0.5 } });
  });

  it('of a namespace is told of its machines only', async () => {
    const keys: string[][] = [];
    service.follow({ namespace: 'shop' }, (told) => {
      if (told.kind === 'list') keys.push(told.machines.map(({ key }) => key));
    });
    await settle();
    expect(keys).toEqual([['shop/far', 'shop/web', 'shop/db']]);
  });

  it('is told of a machine on another node, which alone is asked from then on', async () => {
    let last: Told | undefined;
    service.follow({ namespace: 'shop', name: 'far', range: 'live', isClose: true }, (told) => {
      last = told;
    });
    await pass(8_000);
    expect(last).toMatchObject({ origin: 'guests', isMeasured: true, figures: { cpuCores: 0.25 } });
    asked = [];
    await pass(5_000);
    expect(asked.map((path) => path.split('?')[0])).toEqual(['/metrics', '/api/v1/nodes/n2/proxy/metrics']);
  });

  it('is told what launcher pods use where other nodes may not be read', async () => {
    nodesCode = 403;
    const last = new Map<string, Told>();
    for (const name of ['web', 'far']) service.follow({ namespace: 'shop', name }, (told) => last.set(name, told));
    await settle();
    expect(last.get('web')).toMatchObject({ origin: 'guests' });
    expect(asked).toContain(
      '/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=kubevirt.io%3Dvirt-launcher',
    );
  });

  it('is told nothing of machines that the user may not list, whatever /metrics would say', async () => {
    listable = ['shop'];
    const told: Told[] = [];
    for (const namespace of ['', 'bank']) service.follow({ namespace }, (message) => told.push(message));
    await settle();
    expect(told.map(({ kind }) => kind)).toEqual(['problem', 'problem']);
    expect(scrapes()).toEqual([]);
  });
});

describe('without /metrics', () => {
  it('launcher pods tell CPU and memory, no more than every 15 s', async () => {
    mayMetrics = false;
    let last: Told | undefined;
    service.follow({ namespace: 'shop', name: 'web', isClose: true }, (told) => {
      last = told;
    });
    await pass(16_000);
    expect(last).toMatchObject({ origin: 'launchers', figures: { cpuCores: 0.25, memoryUsed: 64 * 2 ** 20 } });
    // Refused once, it is not asked again at once.
    expect(scrapes().map((path) => path.split('?')[0])).toEqual([
      '/metrics',
      '/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods',
      '/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods',
    ]);
  });

  it('other API servers are not asked for their own metrics', async () => {
    isVireo = false;
    service.follow({ namespace: '' }, () => {});
    await settle();
    expect(scrapes()).toEqual(['/apis/metrics.k8s.io/v1beta1/pods?labelSelector=kubevirt.io%3Dvirt-launcher']);
  });

  it.each([
    [false, 404, 'This server has no figures'],
    [false, 403, '“list” on pods.metrics.k8s.io in all namespaces.'],
    [true, 403, 'get” on the path /metrics (cluster role system:monitoring), or “list” on pods.metrics.k8s.io'],
    [true, 503, 'HTTP 503'],
  ])('on Vireo: %s, with HTTP %s for pods: %s', async (vireo, code, words) => {
    isVireo = vireo;
    mayMetrics = false;
    podsCode = code;
    const told: Told[] = [];
    service.follow({ namespace: '' }, (message) => told.push(message));
    await settle();
    expect(told).toEqual([{ kind: 'problem', reason: expect.stringContaining(words) }]);
  });
});
