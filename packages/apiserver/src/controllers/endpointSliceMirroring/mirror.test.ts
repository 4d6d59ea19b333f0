import type { Endpoints, Service } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { isMirrored, mirroredGroups, mirroredMetadata } from './mirror.ts';

const endpoints = (more: { labels?: object; annotations?: object; subsets?: Endpoints['subsets'] } = {}): Endpoints =>
  ({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'db', namespace: 'default', ...more },
    subsets: more.subsets,
  }) as Endpoints;
const service = (spec: Service['spec'] = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'db', namespace: 'default' },
  spec,
});

describe('Endpoints', () => {
  it.each<[string, Endpoints, Service | undefined, boolean]>([
    ['of a Service without selector', endpoints(), service(), true],
    ['of a Service that selects pods', endpoints(), service({ selector: { a: 'b' } }), false],
    ['of no Service', endpoints(), undefined, false],
    ['that say so', endpoints({ labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }), service(), false],
    [
      'that elect a leader',
      endpoints({ annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } }),
      service(),
      false,
    ],
  ])('%s', (_, of, its, expected) => {
    expect(isMirrored(of, its)).toBe(expected);
  });

  it('become groups by family and ports', () => {
    const subsets = [
      {
        addresses: [{ ip: '192.0.2.1', hostname: 'a' }, { ip: '2001:db8::1' }],
        notReadyAddresses: [{ ip: '192.0.2.2' }],
        ports: [{ port: 5432, protocol: 'TCP' }],
      },
      { addresses: [{ ip: '192.0.2.3' }], ports: [{ port: 5432, protocol: 'TCP' }] },
    ];
    const ports = [{ name: '', port: 5432, protocol: 'TCP' }];
    expect(mirroredGroups(endpoints({ subsets }))).toEqual([
      {
        addressType: 'IPv4',
        ports,
        endpoints: [
          { addresses: ['192.0.2.1'], conditions: { ready: true }, hostname: 'a' },
          { addresses: ['192.0.2.2'], conditions: { ready: false } },
          { addresses: ['192.0.2.3'], conditions: { ready: true } },
        ],
      },
      { addressType: 'IPv6', ports, endpoints: [{ addresses: ['2001:db8::1'], conditions: { ready: true } }] },
    ]);
  });

  it('give their labels and annotations to the slices', () => {
    const annotations = { note: 'n', 'endpoints.kubernetes.io/last-change-trigger-time': 't' };
    expect(mirroredMetadata(endpoints({ labels: { team: 't' }, annotations }))).toEqual({
      labels: {
        team: 't',
        'kubernetes.io/service-name': 'db',
        'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
      },
      annotations: { note: 'n' },
    });
  });
});
