import type { UnknownObject } from '@vireo/api';
import { describe, expect, test } from 'vitest';
import { changeProblems, contextOf, created, problems, updated } from '../../testing/strategies.ts';
import { serviceStrategy } from './service.ts';

const service = (spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    type: 'ClusterIP',
    selector: { app: 'web' },
    ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    ...spec,
  },
});
const dualStack = contextOf({
  stored: [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: 'kubernetes' },
      spec: { cidrs: ['10.96.0.0/16', 'fd00::/112'] },
    },
  ],
});
/** `PreferDualStack IPv4=10.96.0.10,IPv6=*`: addresses that the server chose are stars. */
const shown = ({ spec }: UnknownObject): string => {
  const { ipFamilyPolicy, ipFamilies, clusterIPs } = spec as Record<string, unknown> & {
    ipFamilies: string[];
    clusterIPs: string[];
  };
  const known = ['None', '10.96.0.10', 'fd00::10'];
  const parts = ipFamilies.map((family, index) => {
    const address = clusterIPs[index];
    return address === undefined ? family : `${family}=${known.includes(address) ? address : '*'}`;
  });
  return `${ipFamilyPolicy} ${parts.join(',')}`;
};
const ip = (...clusterIPs: string[]) => ({ clusterIP: clusterIPs[0], clusterIPs });
const BOTH = { ipFamilies: ['IPv4', 'IPv6'] };

describe('in a cluster with both families, a new Service', () => {
  test.each<[object, string]>([
    [{}, 'SingleStack IPv4=*'],
    [{ ipFamilies: ['IPv6'] }, 'SingleStack IPv6=*'],
    [{ ipFamilyPolicy: 'PreferDualStack' }, 'PreferDualStack IPv4=*,IPv6=*'],
    [{ ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }, 'RequireDualStack IPv6=*,IPv4=*'],
    [{ ipFamilyPolicy: 'PreferDualStack', clusterIP: 'fd00::10' }, 'PreferDualStack IPv6=fd00::10,IPv4=*'],
    [{ ...ip('fd00::10') }, 'SingleStack IPv6=fd00::10'],
    [{ clusterIP: 'None' }, 'SingleStack IPv4=None'],
    [{ clusterIP: 'None', ipFamilyPolicy: 'PreferDualStack' }, 'PreferDualStack IPv4=None,IPv6'],
    [{ clusterIP: 'None', selector: undefined }, 'RequireDualStack IPv4=None,IPv6'],
  ])('with %j has %s', (spec, expected) => {
    const made = created(serviceStrategy, service(spec), dualStack);
    expect(shown(made)).toBe(expected);
    expect(problems(serviceStrategy, made, dualStack)).toEqual([]);
  });
});

describe('in a cluster with IPv4 only, a new Service', () => {
  test.each<[object, string]>([
    [{ ipFamilyPolicy: 'PreferDualStack' }, 'PreferDualStack IPv4=*'],
    [{ clusterIP: 'None', selector: undefined }, 'RequireDualStack IPv4=None,IPv6'],
  ])('with %j has %s', (spec, expected) => {
    const made = created(serviceStrategy, service(spec));
    expect(shown(made)).toBe(expected);
    expect(problems(serviceStrategy, made)).toEqual([]);
  });
});

test.each<[string, object, string[]]>([
  [
    'two addresses for a single stack',
    { ...ip('10.96.0.10', 'fd00::10'), ...BOTH, ipFamilyPolicy: 'SingleStack' },
    [
      `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified`,
      `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`,
    ],
  ],
  [
    'two addresses of a family',
    { ...ip('10.96.0.10', '10.96.0.11'), ipFamilyPolicy: 'PreferDualStack', ...BOTH },
    ['spec.clusterIPs: Invalid value: ["10.96.0.10","10.96.0.11"]: may specify no more than one IP for each IP family'],
  ],
  [
    'an address of another range',
    { ...ip('fd01::10'), ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] },
    [
      'spec.clusterIPs: Invalid value: ["fd01::10"]: failed to allocate IP fd01::10: the provided IP (fd01::10) is not in the valid range. The range of valid IPs is fd00::/112',
    ],
  ],
  [
    'a family that nobody knows',
    { ...ip('10.96.0.10'), ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv5'] },
    ['spec.ipFamilies[1]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"'],
  ],
])('a Service is refused for %s', (_, spec, expected) => {
  expect(problems(serviceStrategy, service(spec), dualStack)).toEqual(expected);
});

describe('an update', () => {
  const single = service({ ...ip('10.96.0.10'), ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  const dual = service({ ...ip('10.96.0.10', 'fd00::10'), ...BOTH, ipFamilyPolicy: 'RequireDualStack' });
  const settled = service({ ...ip('10.96.0.10'), ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' });
  const change = (old: ReturnType<typeof service>, spec: object) =>
    updated(serviceStrategy, { ...old, spec: { ...old.spec, ...spec } }, old, dualStack);

  test.each<[string, ReturnType<typeof service>, object, string]>([
    [
      'to both adds the other family',
      single,
      { ipFamilyPolicy: 'PreferDualStack' },
      'PreferDualStack IPv4=10.96.0.10,IPv6=*',
    ],
    ['to one gives the second back', dual, { ipFamilyPolicy: 'SingleStack' }, 'SingleStack IPv4=10.96.0.10'],
    [
      'of something else changes nothing',
      dual,
      { sessionAffinity: 'ClientIP' },
      'RequireDualStack IPv4=10.96.0.10,IPv6=fd00::10',
    ],
    [
      'leaves a Service as it is that preferred both when there was one',
      settled,
      {},
      'PreferDualStack IPv4=10.96.0.10',
    ],
    [
      'that leaves out all keeps all',
      dual,
      { clusterIP: undefined, clusterIPs: undefined, ipFamilies: undefined, ipFamilyPolicy: undefined },
      'RequireDualStack IPv4=10.96.0.10,IPv6=fd00::10',
    ],
  ])('%s', (_, old, spec, expected) => {
    const moved = change(old, spec);
    expect(shown(moved)).toBe(expected);
    expect([
      ...problems(serviceStrategy, moved, dualStack),
      ...changeProblems(serviceStrategy, moved, old, dualStack),
    ]).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    [
      'takes away the second address without saying so',
      { ...ip('10.96.0.10'), ipFamilies: ['IPv4'] },
      [
        `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary cluster IP`,
        `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary IP family`,
      ],
    ],
    [
      'changes the second address',
      { ...ip('10.96.0.10', 'fd00::11') },
      ['spec.clusterIPs[1]: Invalid value: ["10.96.0.10","fd00::11"]: may not change once set'],
    ],
  ])('is refused that %s', (_, spec, expected) => {
    expect(changeProblems(serviceStrategy, change(dual, spec), dual, dualStack)).toEqual(expected);
  });
});
