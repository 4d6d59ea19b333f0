import type { UnknownObject } from '@vireo/api';
import { describe, expect, test } from 'vitest';
import { changeProblems, contextOf, created, problems } from '../../testing/strategies.ts';
import { ingressStrategy } from './ingress.ts';
import { ingressClassStrategy } from './ingressClass.ts';
import { networkPolicyStrategy } from './networkPolicy.ts';

const metadata = { name: 'web' };
const backend = { service: { name: 'web', port: { number: 80 } } };
const rule = (path: object, host?: string) => ({
  rules: [{ ...(host && { host }), http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...path }] } }],
});
const AT = 'spec.rules[0].http.paths[0]';

describe('an ingress', () => {
  test.each<[string, object, string[]]>([
    ['with a rule', rule({}, 'example.com'), []],
    ['for all below a domain', rule({}, '*.example.com'), []],
    [
      'with neither rules nor a backend',
      {},
      ['spec: Invalid value: []: either `defaultBackend` or `rules` must be specified'],
    ],
    [
      'for an address',
      rule({}, '192.0.2.1'),
      ['spec.rules[0].host: Invalid value: "192.0.2.1": must be a DNS name, not an IP address'],
    ],
    [
      'without a path type',
      rule({ pathType: undefined }),
      [`${AT}.pathType: Required value: pathType must be specified`],
    ],
    [
      'with another path type',
      rule({ pathType: 'Regex' }),
      [`${AT}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`],
    ],
    ['with half a path', rule({ path: 'a' }), [`${AT}.path: Invalid value: "a": must be an absolute path`]],
    [
      'with an odd path',
      rule({ path: '/a//b/..' }),
      [
        `${AT}.path: Invalid value: "/a//b/..": must not contain '//'`,
        `${AT}.path: Invalid value: "/a//b/..": cannot end with '/..'`,
      ],
    ],
    [
      'without a port',
      rule({ backend: { service: { name: 'web' } } }),
      [`${AT}.backend: Required value: port name or number is required`],
    ],
    [
      'with a port twice',
      rule({ backend: { service: { name: 'web', port: { name: 'http', number: 80 } } } }),
      [`${AT}.backend: Invalid value: "": cannot set both port name & port number`],
    ],
    [
      'without a backend',
      rule({ backend: {} }),
      [`${AT}.backend: Required value: resource or service backend is required`],
    ],
  ])('%s', (_, spec, expected) => {
    expect(problems(ingressStrategy, { metadata, spec })).toEqual(expected);
  });

  test('without a class gets the default one', () => {
    const ingressClass = (name: string, value: string) =>
      ({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'IngressClass',
        metadata: { name, annotations: { 'ingressclass.kubernetes.io/is-default-class': value } },
      }) as UnknownObject;
    const context = contextOf({ stored: [ingressClass('other', 'false'), ingressClass('usual', 'true')] });
    expect(created(ingressStrategy, { metadata, spec: rule({}) }, context).spec).toMatchObject({
      ingressClassName: 'usual',
    });
    const own = { metadata, spec: { ...rule({}), ingressClassName: 'own' } };
    expect(created(ingressStrategy, own, context).spec).toMatchObject({ ingressClassName: 'own' });
  });
});

test.each<[object, string[]]>([
  [{ controller: 'example.com/c' }, []],
  [{}, ['spec.controller: Required value']],
  [
    { controller: 'c' },
    ['spec.controller: Invalid value: "c": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    { controller: 'example.com/c', parameters: { kind: 'K', name: 'n', scope: 'Namespace' } },
    ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  ],
])('a class with %j', (spec, expected) => {
  expect(problems(ingressClassStrategy, { metadata, spec })).toEqual(expected);
});

test('the controller of a class stays', () => {
  const of = (controller: string) => ({ metadata, spec: { controller } });
  expect(changeProblems(ingressClassStrategy, of('example.com/a'), of('example.com/b'))).toEqual([
    'spec.controller: Invalid value: "example.com/a": field is immutable',
  ]);
});

const from = (peer: object) => ({ ingress: [{ from: [peer] }] });
const port = (rest: object) => ({ egress: [{ ports: [rest] }] });
const PEER = 'spec.ingress[0].from[0]';
const PORT = 'spec.egress[0].ports[0]';

test.each<[string, object, string[]]>([
  ['nothing allowed', {}, []],
  ['a range with a hole', from({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }), []],
  ['a peer that is none', from({}), [`${PEER}: Required value: must specify a peer`]],
  [
    'a range and pods',
    from({ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }),
    [`${PEER}: Forbidden: may not specify both ipBlock and another peer`],
  ],
  [
    'no range',
    from({ ipBlock: { cidr: '10.0.0.0' } }),
    [
      `${PEER}.ipBlock.cidr: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`,
    ],
  ],
  [
    'a hole elsewhere',
    from({ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }),
    [`${PEER}.ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\``],
  ],
  ['a range of ports', port({ port: 1, endPort: 9 }), []],
  [
    'a range that goes back',
    port({ port: 9, endPort: 1 }),
    [`${PORT}.endPort: Invalid value: 1: must be greater than or equal to \`port\``],
  ],
  [
    'a range of names',
    port({ port: 'http', endPort: 1 }),
    [`${PORT}.endPort: Invalid value: 1: must not be specified when \`port\` is non-numeric`],
  ],
  [
    'another protocol',
    port({ protocol: 'ICMP' }),
    [`${PORT}.protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"`],
  ],
  [
    'another direction',
    { policyTypes: ['Sideways'] },
    ['spec.policyTypes[0]: Unsupported value: "Sideways": supported values: "Egress", "Ingress"'],
  ],
])('a network policy: %s', (_, spec, expected) => {
  expect(problems(networkPolicyStrategy, { metadata, spec })).toEqual(expected);
});
