import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { describe, expect, it } from 'vitest';
import { cluster, node, pod, type TestCluster } from '../../testing/scheduler.ts';
import type { Filter } from '../filter.ts';
import { podAffinityFilter } from './podAffinity.ts';
import { topologySpreadFilter } from './topologySpread.ts';

const zones = [node('a1', {}, { zone: 'a' }), node('a2', {}, { zone: 'a' }), node('b1', {}, { zone: 'b' }), node('x1')];

/** The nodes that the filter lets through. */
function open(filter: Filter, newcomer: Pod, state: Partial<TestCluster>): string {
  const view = cluster({ nodes: zones, ...state });
  const check = filter.prepare(newcomer, view);
  return view.nodes
    .filter((each) => !check?.(each))
    .map(({ name }) => name)
    .join(' ');
}

const labelled = (
  name: string,
  app: string,
  nodeName?: string,
  spec: Partial<NonNullable<Pod['spec']>> = {},
  namespace = 'default',
  labels: Record<string, string> = {},
) => pod(name, { nodeName, ...spec }, { labels: { app, ...labels }, namespace });
const term = (app: string, more: object = {}) => ({
  labelSelector: { matchLabels: { app } },
  topologyKey: 'zone',
  ...more,
});
const near = (...terms: ReturnType<typeof term>[]) => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});
const away = (...terms: ReturnType<typeof term>[]) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});

describe('InterPodAffinity', () => {
  const db = labelled('db', 'db', 'a1');
  const teams = [
    labelled('db1', 'db', 'a1', {}, 'default', { team: 'x' }),
    labelled('db2', 'db', 'b1', {}, 'default', { team: 'y' }),
  ];
  const otherDb = labelled('db', 'db', 'b1', {}, 'other');
  const namespaces = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other', labels: { team: 'x' } } }];
  it.each<[string, Pod, Partial<TestCluster>, string]>([
    ['near a pod: its whole zone', labelled('p', 'web', undefined, near(term('db'))), { pods: [db] }, 'a1 a2'],
    ['near a pod that is nowhere', labelled('p', 'web', undefined, near(term('db'))), {}, ''],
    [
      'the first of a group starts anywhere in the topology',
      labelled('p', 'web', undefined, near(term('web'))),
      {},
      'a1 a2 b1',
    ],
    [
      'pods of other namespaces do not count',
      labelled('p', 'web', undefined, near(term('db'))),
      { pods: [otherDb] },
      '',
    ],
    [
      'a named namespace counts',
      labelled('p', 'web', undefined, near(term('db', { namespaces: ['other'] }))),
      { pods: [otherDb] },
      'b1',
    ],
    [
      'a selected namespace counts',
      labelled('p', 'web', undefined, near(term('db', { namespaceSelector: { matchLabels: { team: 'x' } } }))),
      { pods: [db, otherDb], namespaces },
      'b1',
    ],
    [
      'near pods with its own value of a label',
      labelled('p', 'web', undefined, near(term('db', { matchLabelKeys: ['team'] })), 'default', { team: 'x' }),
      { pods: teams },
      'a1 a2',
    ],
    [
      'near pods with another value',
      labelled('p', 'web', undefined, near(term('db', { mismatchLabelKeys: ['team'] })), 'default', { team: 'x' }),
      { pods: teams },
      'b1',
    ],
    ['away from a pod: the other zones', labelled('p', 'web', undefined, away(term('db'))), { pods: [db] }, 'b1 x1'],
    [
      'away on the same node only',
      labelled('p', 'web', undefined, away(term('db', { topologyKey: 'kubernetes.io/hostname' }))),
      { pods: [db] },
      'a2 b1 x1',
    ],
    [
      'a placed pod keeps others away',
      labelled('p', 'web'),
      { pods: [labelled('db', 'db', 'a1', away(term('web')))] },
      'b1 x1',
    ],
    [
      'but only those it means',
      labelled('p', 'cache'),
      { pods: [labelled('db', 'db', 'a1', away(term('web')))] },
      'a1 a2 b1 x1',
    ],
  ])('%s', (_, newcomer, state, expected) => {
    expect(open(podAffinityFilter, newcomer, state)).toBe(expected);
  });
});

describe('PodTopologySpread', () => {
  const spread = (more: object = {}) => ({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
        ...more,
      },
    ],
  });
  const web = (name: string, nodeName: string) => labelled(name, 'web', nodeName);
  it.each<[string, Partial<NonNullable<Pod['spec']>>, Pod[], string]>([
    ['an even start', spread(), [], 'a1 a2 b1'],
    ['the zone that is ahead is closed', spread(), [web('w1', 'a1')], 'b1'],
    ['a wider skew', spread({ maxSkew: 2 }), [web('w1', 'a1')], 'a1 a2 b1'],
    ['even again', spread(), [web('w1', 'a1'), web('w2', 'b1')], 'a1 a2 b1'],
    [
      'soft constraints close nothing',
      spread({ whenUnsatisfiable: 'ScheduleAnyway' }),
      [web('w1', 'a1')],
      'a1 a2 b1 x1',
    ],
    [
      'with too few domains the emptiest counts as zero',
      spread({ minDomains: 3 }),
      [web('w1', 'a1'), web('w2', 'b1')],
      '',
    ],
    [
      'zones that the selector excludes do not count',
      { nodeSelector: { zone: 'a' }, ...spread() },
      [web('w1', 'a1')],
      'a1 a2 b1',
    ],
  ])('%s', (_, spec, pods, expected) => {
    expect(open(topologySpreadFilter, labelled('p', 'web', undefined, spec), { pods })).toBe(expected);
  });
});
