import { expect, test } from 'vitest';
import { changeProblems, problems } from '../../testing/strategies.ts';
import { podTemplateStrategy } from './podTemplate.ts';
import { replicationControllerStrategy } from './replicationController.ts';
import { statefulSetStrategy } from './statefulSet.ts';

const labels = { app: 'db' };
const template = {
  metadata: { labels },
  spec: { containers: [{ name: 'db', image: 'db', imagePullPolicy: 'Always' }] },
};
const set = (spec: object = {}) => ({
  metadata: { name: 'db' },
  spec: {
    selector: { matchLabels: labels },
    template,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate' },
    ...spec,
  },
});

test.each<[string, object, string[]]>([
  ['a good one', set(), []],
  [
    'other labels',
    set({ selector: { matchLabels: { app: 'web' } } }),
    ['spec.template.metadata.labels: Invalid value: {"app":"db"}: `selector` does not match template `labels`'],
  ],
  [
    'an empty selector',
    set({ selector: {} }),
    ['spec.selector: Invalid value: {}: empty selector is invalid for statefulset'],
  ],
  [
    'words that do not exist',
    set({ podManagementPolicy: 'Chaos', persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Sell' } }),
    [
      "spec.podManagementPolicy: Invalid value: \"Chaos\": must be 'OrderedReady' or 'Parallel'",
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Sell": supported values: "Delete", "Retain"',
    ],
  ],
  [
    'a partition without an update',
    set({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } }),
    [
      'spec.updateStrategy.rollingUpdate: Invalid value: {"partition":1}: only allowed for updateStrategy \'RollingUpdate\'',
    ],
  ],
  [
    'numbers below zero',
    set({ replicas: -1, minReadySeconds: -1, ordinals: { start: -1 } }),
    ['replicas', 'minReadySeconds', 'ordinals.start'].map(
      (name) => `spec.${name}: Invalid value: -1: must be greater than or equal to 0`,
    ),
  ],
])('a stateful set: %s', (_, object, expected) => {
  expect(problems(statefulSetStrategy, object)).toEqual(expected);
});

test('only some fields of a stateful set can change', () => {
  expect(changeProblems(statefulSetStrategy, set({ replicas: 3, minReadySeconds: 1 }), set())).toEqual([]);
  expect(changeProblems(statefulSetStrategy, set({ serviceName: 'other' }), set())).toEqual([
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  ]);
});

test.each<[string, object, string[]]>([
  ['a good one', { selector: labels, template }, []],
  ['no selector', { template }, ['spec.selector: Required value']],
  ['no template', { selector: labels }, ['spec.template: Required value']],
  [
    'other labels',
    { selector: { app: 'web' }, template },
    ['spec.template.metadata.labels: Invalid value: {"app":"db"}: `selector` does not match template `labels`'],
  ],
])('a replication controller: %s', (_, spec, expected) => {
  expect(problems(replicationControllerStrategy, { metadata: { name: 'rc' }, spec })).toEqual(expected);
});

test('a pod template has containers', () => {
  expect(problems(podTemplateStrategy, { metadata: { name: 't' }, template })).toEqual([]);
  expect(problems(podTemplateStrategy, { metadata: { name: 't' }, template: {} })).toEqual([
    'template.spec.containers: Required value',
  ]);
});
