import { exposition, Metrics } from '@vireo/kube';
import { parseExposition } from '@vireo/kube/testing/parseExposition.ts';
import { expect, it } from 'vitest';
import { observeRequests } from './requests.ts';

async function observed(...requests: [method: string, target: string, status: number][]) {
  const metrics = new Metrics();
  const isServed = (_: string, __: string, resource: string): boolean => resource === 'pods';
  const observe = observeRequests(metrics, { store: { revision: 9 }, streams: { size: 2 }, isServed });
  for (const [method, target, status] of requests) observe({ method, target, status, seconds: 0.01 });
  const text = await exposition(new Map([['kube-apiserver', metrics]]));
  parseExposition(text);
  return text;
}

it.each<[string, [method: string, target: string, status: number], string]>([
  [
    'an object',
    ['GET', '/api/v1/namespaces/a/pods/b', 200],
    'verb="GET",version="v1",resource="pods",scope="resource",code="200"',
  ],
  [
    'a list',
    ['GET', '/api/v1/pods?limit=1', 200],
    'verb="LIST",version="v1",resource="pods",scope="cluster",code="200"',
  ],
  [
    'a watch',
    ['GET', '/api/v1/namespaces/a/pods?watch=1', 200],
    'verb="WATCH",version="v1",resource="pods",scope="namespace",code="200"',
  ],
  [
    'a subresource of an aggregated API',
    ['PUT', '/apis/g.io/v1/namespaces/a/machines/b/start', 202],
    'verb="PUT",group="g.io",version="v1",resource="machines",subresource="start",scope="resource",code="202"',
  ],
  ['a refusal of something made up', ['GET', '/apis/x/y/zs/a', 404], 'verb="GET",code="404"'],
  [
    'a made-up method',
    ['BREW', '/api/v1/pods', 405],
    'verb="other",version="v1",resource="pods",scope="cluster",code="405"',
  ],
  ['a path', ['GET', '/version', 200], 'verb="GET",code="200"'],
  ['nonsense', ['GET', '/api/v1/%zz', 400], 'verb="other",code="400"'],
])('%s is counted by what it is about', async (_, request, labels) => {
  expect(await observed(request)).toContain(`\napiserver_request_total{${labels}} 1\n`);
});

it('the metrics include those of the server and of its process', async () => {
  const text = await observed(['GET', '/api/v1/pods', 200]);
  expect(text).toContain('apiserver_request_duration_seconds_count{verb="LIST",resource="pods"} 1\n');
  expect(text).toContain('\napiserver_longrunning_requests 2\n');
  expect(text).toContain('\napiserver_storage_revision 9\n');
  for (const name of ['process_resident_memory_bytes', 'process_open_fds', 'process_cpu_seconds_total'])
    expect(text).toMatch(new RegExp(`^${name} [\\d.]+$`, 'm'));
});
