import type { Endpoint, EndpointSlice, Persisted } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { type EndpointGroup, planSlices, type SliceTemplate } from './slicePlan.ts';

const template: SliceTemplate = {
  metadata: { namespace: 'default', generateName: 'web-', labels: { app: 'web' } },
  maxEndpoints: 3,
  isOwn: ({ metadata }) => metadata.labels?.old === undefined,
};
const PORT = [{ name: '', port: 80, protocol: 'TCP' }];
const endpoint = (name: string, ready = true): Endpoint => ({
  addresses: [`10.244.0.${name.charCodeAt(0)}`],
  conditions: { ready },
  targetRef: { kind: 'Pod', name, namespace: 'default' },
});
const endpoints = (names: string): Endpoint[] => [...names].map((name) => endpoint(name));
const group = (names: string, ports = PORT): EndpointGroup => ({
  addressType: 'IPv4',
  ports,
  endpoints: endpoints(names),
});
const slice = (name: string, names: string, more: { ports?: typeof PORT; labels?: Record<string, string> } = {}) =>
  persisted<EndpointSlice>({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace: 'default', labels: more.labels ?? { app: 'web' } },
    addressType: 'IPv4',
    endpoints: endpoints(names),
    ports: more.ports ?? PORT,
  });
/** `s1=ab` for what is updated, `+ab` for what is created, `-s1` for what is deleted. */
const shown = (groups: EndpointGroup[], existing: Persisted<EndpointSlice>[]): string[] => {
  const plan = planSlices(groups, existing, template);
  const names = (each: EndpointSlice): string =>
    (each.endpoints ?? []).map(({ targetRef }) => targetRef?.name).join('');
  return [
    ...plan.create.map((each) => `+${names(each)}`),
    ...plan.update.map((each) => `${each.metadata.name}=${names(each)}`),
    ...plan.delete.map(({ metadata }) => `-${metadata.name}`),
  ];
};
const OTHER = [{ name: '', port: 8080, protocol: 'TCP' }];

describe('planSlices', () => {
  it.each<[string, EndpointGroup[], Persisted<EndpointSlice>[], string[]]>([
    ['nothing for what is there', [group('ab')], [slice('s1', 'ab')], []],
    ['a slice that says that there are no endpoints', [group('', [])], [], ['+']],
    ['nothing where it says so already', [group('', [])], [slice('s1', '', { ports: [] })], []],
    [
      'a slice for the first endpoints, instead of the one that says so',
      [group('a')],
      [slice('s1', '', { ports: [] })],
      ['s1=a'],
    ],
    ['as many slices as are needed', [group('abcd')], [], ['+abc', '+d']],
    [
      'one more endpoint in the fullest slice that has room',
      [group('abcdef')],
      [slice('s1', 'a'), slice('s2', 'bc'), slice('s3', 'ef')],
      ['s2=bcd'],
    ],
    [
      'one more endpoint in a slice that changes anyway',
      [group('abcf')],
      [slice('s1', 'ab'), slice('s2', 'cd')],
      ['s2=cf'],
    ],
    ['one endpoint less in the slice that had it', [group('acd')], [slice('s1', 'ab'), slice('s2', 'cd')], ['s1=a']],
    ['the end of a slice that is empty', [group('ab')], [slice('s1', 'ab'), slice('s2', 'c')], ['-s2']],
    ['one empty slice for the last endpoint that went', [group('', [])], [slice('s1', 'a')], ['s1=']],
    ['a slice a set of ports', [group('a'), group('b', OTHER)], [slice('s1', 'ab')], ['+b', 's1=a']],
    ['other ports in the same slice', [group('a', OTHER)], [slice('s1', 'a')], ['s1=a']],
    ['the labels of the Service', [group('a')], [slice('s1', 'a', { labels: { app: 'other' } })], ['s1=a']],
    [
      'the end of slices of an earlier Service',
      [group('a')],
      [slice('s1', 'a', { labels: { old: '' } })],
      ['+a', '-s1'],
    ],
  ])('writes %s', (_, groups, existing, expected) => {
    expect(shown(groups, existing)).toEqual(expected);
  });

  it('leaves alone what others have noted on a slice', () => {
    const noted = slice('s1', 'ab');
    noted.metadata.annotations = { note: 'n', 'endpoints.kubernetes.io/last-change-trigger-time': 't' };
    expect(shown([group('ab')], [noted])).toEqual([]);
    expect(planSlices([group('a')], [noted], template).update[0]?.metadata.annotations).toEqual({ note: 'n' });
  });

  it('writes an endpoint whose state changed where it is', () => {
    const changed = { ...group('ab'), endpoints: [endpoint('a', false), endpoint('b')] };
    expect(planSlices([changed], [slice('s1', 'ab')], template).update).toMatchObject([
      { metadata: { name: 's1' }, endpoints: changed.endpoints },
    ]);
  });
});
