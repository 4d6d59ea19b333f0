import { describe, expect, it } from 'vitest';
import { parseExposition } from '../testing/parseExposition.ts';
import { WorkQueue } from '../workqueue.ts';
import { controllerMetrics } from './controllers.ts';
import { exposition, metricSelection } from './exposition.ts';
import { Metrics } from './metrics.ts';
import { callInfo, observedTransport } from './restClient.ts';

const textOf = (metrics: Metrics): Promise<string> => exposition(new Map([['one', metrics]]));

describe('metrics', () => {
  it('are in the text format of Prometheus', async () => {
    const metrics = new Metrics();
    const count = metrics.counter({ name: 'things_total', help: 'Things.', labels: ['kind', 'size'] });
    count(['a', '']);
    count(['a', ''], 2);
    count(['b', 'big']);
    metrics.gauge('level', 'How high.', () => 7);
    const levels = { name: 'levels', help: 'How high each is.', type: 'gauge', labels: ['of'] } as const;
    metrics.read(levels, () => [{ labels: ['x'], value: 1, more: 'also="y"' }]);
    const took = metrics.histogram({ name: 'took_seconds', help: 'How long.', labels: ['what'] }, [0.1, 1]);
    for (const seconds of [0.05, 0.1, 0.5, 3]) took(['x'], seconds);
    const text = await textOf(metrics);
    expect(text.split('\n')).toEqual([
      '# HELP things_total Things.',
      '# TYPE things_total counter',
      'things_total{kind="a"} 3',
      'things_total{kind="b",size="big"} 1',
      '# HELP level How high.',
      '# TYPE level gauge',
      'level 7',
      '# HELP levels How high each is.',
      '# TYPE levels gauge',
      'levels{of="x",also="y"} 1',
      '# HELP took_seconds How long.',
      '# TYPE took_seconds histogram',
      'took_seconds_bucket{what="x",le="0.1"} 2',
      'took_seconds_bucket{what="x",le="1"} 3',
      'took_seconds_bucket{what="x",le="+Inf"} 4',
      'took_seconds_sum{what="x"} 3.65',
      'took_seconds_count{what="x"} 4',
      '',
    ]);
    expect(() => parseExposition(text)).not.toThrow();
  });

  it('escape what labels and descriptions hold', async () => {
    const metrics = new Metrics();
    const odd = 'a "b"\\c\nd{},=';
    metrics.counter({ name: 'odd_total', help: 'Two\nlines, and a \\.', labels: ['text'] })([odd]);
    const text = await textOf(metrics);
    expect(text).toContain('odd_total{text="a \\"b\\"\\\\c\\nd{},="} 1\n');
    expect(parseExposition(text).get('odd_total')?.samples[0]?.labels.text).toBe(odd);
  });

  it('are those that a query selects, by name and label', async () => {
    const metrics = new Metrics();
    metrics.gauge('level', 'How high.', () => 7);
    const spec = { name: 'levels', help: 'How high each is.', type: 'gauge', labels: ['namespace', 'name'] } as const;
    metrics.read(spec, () => [
      { labels: ['shop', 'web'], value: 1, more: 'also="}"' },
      { labels: ['shop', 'db'], value: 2 },
      // A value that looks like labels is none.
      { labels: ['x', '",namespace="shop",name="web",'], value: 3 },
    ]);
    const lines = async (query: string): Promise<string[]> => {
      const text = await exposition(
        new Map([['one', metrics]]),
        undefined,
        metricSelection(new URLSearchParams(query)),
      );
      return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    };
    expect(await lines('')).toHaveLength(4);
    expect(await lines('name[]=level')).toEqual(['level 7']);
    expect(await lines('name[]=levels&label=namespace%3Dshop')).toHaveLength(2);
    const web = 'levels{namespace="shop",name="web",also="}"} 1';
    expect(await lines('label=namespace%3Dshop&label=name%3Dweb')).toEqual([web]);
    expect(await lines('name[]=none')).toEqual([]);
  });

  it('are prepared before they are read', async () => {
    const metrics = new Metrics();
    let value = 0;
    metrics.gauge('level', 'How high.', () => value);
    metrics.prepare(async () => {
      value = 3;
    });
    expect(await textOf(metrics)).toContain('\nlevel 3\n');
  });

  it('that cannot be read are missing, and keep nobody from the others', async () => {
    const metrics = new Metrics();
    const levels = { name: 'levels', help: 'How high each is.', type: 'gauge', labels: ['of'] } as const;
    metrics.read(levels, function* () {
      yield { labels: ['a'], value: 1 };
      throw new Error('an odd object');
    });
    metrics.gauge('other', 'Another.', () => 2);
    metrics.prepare(async () => {
      throw new Error('nobody answers');
    });
    const errors: [string, string][] = [];
    const text = await exposition(new Map([['one', metrics]]), (name, error) =>
      errors.push([name, (error as Error).message]),
    );
    expect(parseExposition(text).get('levels')?.samples).toEqual([]);
    expect(text).toContain('\nother 2\n');
    expect(errors).toEqual([
      ['', 'nobody answers'],
      ['levels', 'an odd object'],
    ]);
  });

  it('of several components stand together, and a label tells them apart', async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    for (const metrics of [one, other]) metrics.counter({ name: 'calls_total', help: 'Calls.', isShared: true })();
    one.gauge('level', 'How high.', () => 1);
    const text = await exposition(
      new Map([
        ['one', one],
        ['other', other],
      ]),
    );
    expect(
      parseExposition(text)
        .get('calls_total')
        ?.samples.map(({ labels }) => labels),
    ).toEqual([{ container: 'one' }, { container: 'other' }]);
    expect(text).toContain('\nlevel 1\n');
  });
});

describe('the calls of a client', () => {
  it.each([
    ['GET', '/api/v1/namespaces/default/pods/web', 'pods', 'GET', '/api/v1/namespaces/{namespace}/pods/{name}'],
    ['GET', '/apis/kubevirt.io/v1/virtualmachines', 'virtualmachines', 'LIST', '/apis/kubevirt.io/v1/virtualmachines'],
    ['POST', '/api/v1/namespaces/a/pods', 'pods', 'CREATE', '/api/v1/namespaces/{namespace}/pods'],
    ['PATCH', '/api/v1/nodes/n/status', 'nodes', 'PATCH', '/api/v1/nodes/{name}/status'],
    ['GET', '/api/v1/namespaces/a', 'namespaces', 'GET', '/api/v1/namespaces/{name}'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'namespaces', 'UPDATE', '/api/v1/namespaces/{name}/finalize'],
    [
      'GET',
      '/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/b/portforward/22/tcp',
      'virtualmachineinstances',
      'GET',
      '/apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachineinstances/{name}/portforward',
    ],
    ['GET', '/version', 'none', 'GET', '/version'],
  ] as const)('%s %s are those of %s', (method, path, resource, verb, url) => {
    expect(callInfo({ method, path }, false)).toEqual({ resource, verb, url });
  });

  it('are counted and timed, answered or not', async () => {
    const metrics = new Metrics();
    const transport = observedTransport(
      {
        call: async ({ path }) => {
          if (path === '/broken') throw new Error('no connection');
          return { status: 404, headers: {}, body: {} };
        },
        watch: async () => (async function* () {})(),
        close: async () => {},
      },
      metrics,
      'there',
    );
    await transport.call({ method: 'GET', path: '/api/v1/namespaces/a/pods/b' });
    await transport.watch({ method: 'GET', path: '/api/v1/pods' });
    await expect(transport.call({ method: 'GET', path: '/broken' })).rejects.toThrow('no connection');
    const parsed = parseExposition(await textOf(metrics));
    expect(parsed.get('kubevirt_rest_client_requests_total')?.samples.map(({ labels }) => labels)).toEqual([
      { code: '404', method: 'GET', host: 'there', resource: 'pods', verb: 'GET' },
      { code: '200', method: 'GET', host: 'there', resource: 'pods', verb: 'WATCH' },
      { code: '<error>', method: 'GET', host: 'there', resource: 'none', verb: 'GET' },
    ]);
    const times = parsed.get('kubevirt_rest_client_request_latency_seconds')?.samples ?? [];
    expect(times.filter(({ name }) => name.endsWith('_count')).map(({ value }) => value)).toEqual([1, 1, 1]);
  });
});

describe('the queue of a controller', () => {
  it('is counted: what comes, waits, is worked on and comes again', async () => {
    const metrics = new Metrics();
    const queue = new WorkQueue();
    controllerMetrics(metrics, 'kubevirt_', 'virt-controller').observe('vm', queue);
    for (const key of ['a', 'a', 'b', 'c']) queue.add(key);
    await queue.take();
    queue.add('a');
    queue.done('a');
    await queue.take();
    queue.addRateLimited('b');
    const parsed = parseExposition(await textOf(metrics));
    const value = (name: string): number | undefined =>
      [...parsed.values()]
        .flatMap(({ samples }) => samples)
        .find((sample) => sample.name === `kubevirt_workqueue_${name}` && sample.labels.name === 'virt-controller-vm')
        ?.value;
    expect(value('adds_total')).toBe(4);
    expect(value('retries_total')).toBe(1);
    expect(value('depth')).toBe(2);
    expect(value('queue_duration_seconds_count')).toBe(2);
    expect(value('work_duration_seconds_count')).toBe(1);
    expect(value('unfinished_work_seconds')).toBeGreaterThan(0);
    queue.cancelAfter('b');
  });
});

describe('the parser of tests', () => {
  const head = '# HELP a A.\n# TYPE a gauge\n';
  it.each([
    ['a 1\n', 'a sample of no metric'],
    [`${head}a 1`, 'does not end with a line feed'],
    [`${head}b 1\n`, 'not of a'],
    [`${head}a one\n`, 'no number'],
    [`${head}a{b="c} 1\n`, 'no label'],
    [`${head}a{b="c",b="d"} 1\n`, 'stands twice'],
    [`${head}a{b="c"} 1\na{b="c"} 2\n`, 'a series that stood before'],
    [`${head}${head}`, 'a metric that stood before'],
    ['# HELP a A.\na 1\n', 'not followed by the TYPE'],
    ['# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n', 'add up'],
  ])('refuses %j', (text, why) => {
    expect(() => parseExposition(text)).toThrow(why);
  });
});

it('what is read for somebody who comes and goes is read until they go, and what they count stays', async () => {
  const metrics = new Metrics();
  const stay = new AbortController();
  const theirs = metrics.until(stay.signal);
  theirs.gauge('depth', 'Depth.', () => 7);
  theirs.counter({ name: 'adds_total', help: 'Adds.' })();
  const lines = async () =>
    (await exposition(new Map([['one', metrics]]))).split('\n').filter((line) => /^\w/.test(line));
  expect(await lines()).toEqual(['depth 7', 'adds_total 1']);
  stay.abort();
  expect(await lines()).toEqual(['adds_total 1']);
});
