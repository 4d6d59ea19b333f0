import type { Endpoint, ServicePort } from '@vireo/network';
import { expect, it } from 'vitest';
import { endedFlows, flowsOf } from './flows.ts';

const A: Endpoint = { address: '10.244.0.3', port: 5353 };
const B: Endpoint = { address: '10.244.1.3', port: 5353 };
const names = (parts: Partial<ServicePort>): ServicePort => ({
  ...{
    id: 'shop/names/udp',
    family: 'IPv4',
    protocol: 'udp',
    port: 53,
    internal: ['10.96.0.7'],
    external: ['192.0.2.2'],
  },
  ...{ nodePort: 30_053, endpoints: [A, B] },
  ...parts,
});

it.each<[string, Partial<ServicePort>, Partial<ServicePort>, object[]]>([
  ['nothing changes', {}, {}, []],
  ['an endpoint comes', { endpoints: [A] }, {}, []],
  ['an endpoint goes', {}, { endpoints: [A] }, [{ endpoint: B, protocol: 'udp' }]],
  ['the Service goes', { endpoints: [A] }, { endpoints: [] }, [{ endpoint: A, protocol: 'udp' }]],
  [
    'an endpoint is for connections of guests only',
    {},
    { externalEndpoints: [A] },
    [
      { endpoint: B, protocol: 'udp', at: { address: '192.0.2.2', port: 53 } },
      { endpoint: B, protocol: 'udp', at: { port: 30_053 } },
    ],
  ],
  [
    'an endpoint is for connections from outside only',
    {},
    { endpoints: [A], externalEndpoints: [A, B] },
    [{ endpoint: B, protocol: 'udp', at: { address: '10.96.0.7', port: 53 } }],
  ],
  [
    'an address goes',
    {},
    { external: [] },
    [A, B].map((endpoint) => ({ endpoint, protocol: 'udp', at: { address: '192.0.2.2', port: 53 } })),
  ],
  ['connections end by themselves', { protocol: 'tcp' }, { protocol: 'tcp', endpoints: [A] }, []],
])('flows that are forgotten when %s', (_, before, after, expected) => {
  expect(endedFlows(flowsOf(names(before)), flowsOf(names(after)))).toEqual(expected);
});
