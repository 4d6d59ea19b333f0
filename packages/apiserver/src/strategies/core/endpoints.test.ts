import { describe, expect, test } from 'vitest';
import { changeProblems, contextOf, problems } from '../../testing/strategies.ts';
import { endpointSliceStrategy, endpointsStrategy } from './endpoints.ts';

describe('endpoints', () => {
  test.each<[string, object, string[]]>([
    ['one address, one port', { addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }, []],
    ['no addresses', {}, ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`']],
    [
      'a name for an address, and ports that cannot be told apart',
      { addresses: [{ ip: 'web' }], ports: [{ port: 80 }, { name: 'b', port: 81 }] },
      [
        'subsets[0].addresses[0].ip: Invalid value: "web": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'subsets[0].ports[0].name: Required value',
      ],
    ],
    [
      'addresses that mean another host on each',
      {
        addresses: [{ ip: '127.0.0.1' }, { ip: '0.0.0.0' }],
        notReadyAddresses: [{ ip: '169.254.1.1' }, { ip: 'ff02::1' }],
      },
      [
        'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'subsets[0].addresses[1].ip: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
        'subsets[0].notReadyAddresses[0].ip: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
        'subsets[0].notReadyAddresses[1].ip: Invalid value: "ff02::1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
      ],
    ],
  ])('%s', (_, subset, expected) => {
    expect(problems(endpointsStrategy, { metadata: { name: 'e' }, subsets: [subset] })).toEqual(expected);
  });
});

describe('an endpoint slice', () => {
  const slice = (rest: object) => ({ metadata: { name: 's' }, addressType: 'IPv4', ...rest });

  test.each<[string, object, string[]]>([
    ['of one address', { endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ name: 'a', port: 80 }] }, []],
    [
      'of no known type',
      { addressType: 'MAC' },
      ['addressType: Unsupported value: "MAC": supported values: "FQDN", "IPv4", "IPv6"'],
    ],
    [
      'with an empty endpoint',
      { endpoints: [{ addresses: [] }] },
      ['endpoints[0].addresses: Required value: must contain at least 1 address'],
    ],
    [
      'with the loopback address',
      { endpoints: [{ addresses: ['127.0.0.2'] }] },
      [
        'endpoints[0].addresses[0]: Invalid value: "127.0.0.2": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    [
      'with the loopback address in the form of IPv6',
      { addressType: 'IPv6', endpoints: [{ addresses: ['::ffff:127.0.0.2'] }] },
      [
        'endpoints[0].addresses[0]: Invalid value: "::ffff:127.0.0.2": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    [
      'with an address of the other family',
      { endpoints: [{ addresses: ['2001:db8::1'] }] },
      ['endpoints[0].addresses[0]: Invalid value: "2001:db8::1": must be an IPv4 address'],
    ],
    ['of multicast addresses beyond the link', { endpoints: [{ addresses: ['224.0.1.1'] }] }, []],
    ['with one port name twice', { ports: [{ name: 'a' }, { name: 'a' }] }, ['ports[1].name: Duplicate value: "a"']],
    [
      'with more endpoints than fit',
      { endpoints: Array.from({ length: 1001 }, () => ({ addresses: ['10.0.0.1'] })) },
      ['endpoints: Too many: 1001: must have at most 1000 items'],
    ],
  ])('%s', (_, rest, expected) => {
    expect(problems(endpointSliceStrategy, slice(rest))).toEqual(expected);
  });

  test('that has an address of the other family already can still be changed, but gets no other such address', () => {
    const known = { addresses: ['2001:db8::1'] };
    const stored = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      ...slice({ endpoints: [known] }),
    };
    const changed = (...endpoints: object[]) =>
      problems(endpointSliceStrategy, slice({ endpoints }), contextOf({ stored: [stored] }));
    expect(changed(known, { addresses: ['10.0.0.1'] })).toEqual([]);
    expect(changed(known, { addresses: ['2001:db8::2'] })).toEqual([
      'endpoints[1].addresses[0]: Invalid value: "2001:db8::2": must be an IPv4 address',
    ]);
  });

  test('keeps its type', () => {
    expect(changeProblems(endpointSliceStrategy, slice({ addressType: 'IPv6' }), slice({}))).toEqual([
      'addressType: Invalid value: "IPv6": field is immutable',
    ]);
  });
});
