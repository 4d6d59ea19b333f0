import type { EndpointSubset, Pod, Service } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { subsetsOf, truncated } from './subsets.ts';

const service = (spec: Service['spec'] = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    clusterIP: '10.96.0.9',
    ipFamilies: ['IPv4'],
    ports: [
      { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
      { name: 'admin', port: 81, targetPort: 81, protocol: 'TCP' },
    ],
    ...spec,
  },
});
const pod = (name: string, ip: string, more: { isReady?: boolean; port?: number; metadata?: object } = {}) =>
  persisted<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, ...more.metadata },
    spec: { containers: [{ name: 'c', image: 'i', ports: [{ name: 'http', containerPort: more.port ?? 8080 }] }] },
    status: {
      phase: 'Running',
      podIP: ip,
      conditions: [{ type: 'Ready', status: more.isReady === false ? 'False' : 'True' }],
    },
  });
/** `a b | c : http=8080`: ready addresses, those that are not, and ports. */
const shown = ({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): string => {
  const names = (all: typeof addresses): string => all.map(({ targetRef }) => targetRef?.name).join(' ');
  return `${names(addresses)}|${names(notReadyAddresses)}: ${ports.map(({ name, port }) => `${name}=${port}`).join(' ')}`;
};
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

describe('subsets', () => {
  it.each<[string, Service, ReturnType<typeof pod>[], string[]]>([
    ['pods with the same ports', service(), [pod('b', '10.0.0.2'), pod('a', '10.0.0.1')], ['a b|: http=8080 admin=81']],
    [
      'a pod that is not ready',
      service(),
      [pod('a', '10.0.0.1'), pod('b', '10.0.0.2', { isReady: false })],
      ['a|b: http=8080 admin=81'],
    ],
    [
      'pods with other ports',
      service(),
      [pod('a', '10.0.0.1'), pod('b', '10.0.0.2', { port: 9090 })],
      ['a|: http=8080', 'a b|: admin=81', 'b|: http=9090'],
    ],
    ['a pod that is going', service(), [pod('a', '10.0.0.1', { metadata: going })], []],
    [
      'pods that are published anyway',
      service({ publishNotReadyAddresses: true }),
      [pod('a', '10.0.0.1', { metadata: going }), pod('b', '10.0.0.2', { isReady: false })],
      ['a b|: http=8080 admin=81'],
    ],
    ['a headless Service without ports', service({ clusterIP: 'None', ports: [] }), [pod('a', '10.0.0.1')], ['a|: ']],
    ['pods of another family', service({ ipFamilies: ['IPv6'] }), [pod('a', '10.0.0.1')], []],
  ])('of %s', (_, of, pods, expected) => {
    expect(subsetsOf(of, pods).map(shown)).toEqual(expected);
  });

  const addresses = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
  it.each<[string, EndpointSubset[], (readonly [number, number])[], boolean]>([
    ['are left alone', [{ addresses: addresses(1000) }], [[1000, 0]], false],
    ['lose what is not ready', [{ addresses: addresses(900), notReadyAddresses: addresses(300) }], [[900, 100]], true],
    [
      'keep their shares',
      [{ addresses: addresses(1500) }, { addresses: addresses(500) }],
      [
        [750, 0],
        [250, 0],
      ],
      true,
    ],
  ])('of a thousand addresses and more %s', (_, subsets, counts, isTruncated) => {
    const cut = truncated(subsets);
    expect(cut.isTruncated).toBe(isTruncated);
    expect(cut.subsets.map((each) => [each.addresses?.length ?? 0, each.notReadyAddresses?.length ?? 0])).toEqual(
      counts,
    );
  });
});
