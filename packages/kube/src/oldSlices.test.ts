import { expect, it } from 'vitest';
import { withOldSlices } from './oldSlices.ts';
import type { ApiCall, Transport } from './transport.ts';

const sent: ApiCall[] = [];
const slice = { apiVersion: 'discovery.k8s.io/v1beta1', kind: 'EndpointSlice', metadata: { name: 'a' } };
const server: Transport = {
  call: async (request) => {
    sent.push(request);
    return { status: 200, headers: {}, body: request.path.includes('/pods') ? { apiVersion: 'v1' } : slice };
  },
  watch: async (request) => {
    sent.push(request);
    return (async function* () {
      yield { type: 'ADDED' as const, object: slice };
    })();
  },
  close: async () => {},
};

it('an old server is asked for its version of slices, and clients see theirs', async () => {
  const transport = withOldSlices(server);
  const path = '/apis/discovery.k8s.io/v1/namespaces/kubevirt/endpointslices';
  const { body } = await transport.call({
    method: 'POST',
    path,
    body: { ...slice, apiVersion: 'discovery.k8s.io/v1' },
  });
  expect(sent.at(-1)).toEqual({ method: 'POST', path: path.replace('/v1/', '/v1beta1/'), body: slice });
  expect(body).toEqual({ ...slice, apiVersion: 'discovery.k8s.io/v1' });
  for await (const { object } of await transport.watch({ method: 'GET', path }))
    expect(object).toEqual({ ...slice, apiVersion: 'discovery.k8s.io/v1' });
});

it('everything else goes through as it is', async () => {
  const request: ApiCall = { method: 'GET', path: '/api/v1/namespaces/kubevirt/pods' };
  expect((await withOldSlices(server).call(request)).body).toEqual({ apiVersion: 'v1' });
  expect(sent.at(-1)).toBe(request);
});
