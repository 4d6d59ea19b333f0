import type { UnknownObject } from '@vireo/api';
import { describe, expect, test } from 'vitest';
import { changeProblems, contextOf, created, problems } from '../../testing/strategies.ts';
import type { Strategy } from '../strategy.ts';
import { daemonSetStrategy } from './daemonSet.ts';
import { deploymentStrategy } from './deployment.ts';
import { replicaSetStrategy } from './replicaSet.ts';

const template = (spec: object = {}) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'x' }], restartPolicy: 'Always', ...spec },
});
const workload = (spec: object = {}) => ({
  metadata: { name: 'w', namespace: 'default' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template(), ...spec },
});

const STRATEGIES: [string, Strategy][] = [
  ['deployment', deploymentStrategy],
  ['replicaset', replicaSetStrategy],
  ['daemonset', daemonSetStrategy],
];

describe.each(STRATEGIES)('a %s', (kind, strategy) => {
  test.each<[string, object, string[]]>([
    ['that selects its pods is fine', {}, []],
    ['needs a selector', { selector: undefined }, ['spec.selector: Required value']],
    [
      'cannot select everything',
      { selector: {} },
      [`spec.selector: Invalid value: {}: empty selector is invalid for ${kind}`],
    ],
    [
      'must select the pods that it makes',
      { selector: { matchLabels: { app: 'other' } } },
      ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    ],
    [
      'needs a template',
      { template: undefined },
      [
        'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`',
        'spec.template: Required value',
      ],
    ],
    [
      'is held to the rules of pods',
      { template: template({ containers: [{ name: 'main' }] }) },
      ['spec.template.spec.containers[0].image: Required value'],
    ],
    [
      'runs for ever',
      { template: template({ restartPolicy: 'Never', activeDeadlineSeconds: 5 }) },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${kind === 'daemonset' ? 'DaemonSet' : 'ReplicaSet'} is not Supported`,
      ],
    ],
  ])('%s', (_, spec, expected) => {
    expect(problems(strategy, workload(spec))).toEqual(expected);
  });

  test('keeps its selector', () => {
    const now = workload({ selector: { matchLabels: { app: 'web', tier: 'a' } } });
    expect(changeProblems(strategy, now, workload())).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"a"}}: field is immutable',
    ]);
  });

  test('warns of its pods', () => {
    const object = workload({ template: template({ nodeSelector: { 'beta.kubernetes.io/arch': 'amd64' } }) });
    expect(strategy.warnings?.(object as unknown as UnknownObject, contextOf())).toEqual([
      'spec.template.spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead',
    ]);
  });

  test('starts with an empty status', () => {
    const status = created(strategy, {
      ...workload(),
      status: { observedGeneration: 7 },
    } as unknown as UnknownObject).status;
    expect(status).not.toHaveProperty('observedGeneration');
  });
});

describe('a deployment', () => {
  test.each<[string, object, string[]]>([
    [
      'has no negative numbers',
      { replicas: -1, minReadySeconds: -1 },
      [
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      'must have more time than a pod needs',
      { minReadySeconds: 10, progressDeadlineSeconds: 10 },
      ['spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds'],
    ],
    [
      'recreates or rolls, not both',
      { strategy: { type: 'Recreate', rollingUpdate: {} } },
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      'must be able to move',
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } },
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
    ],
    [
      'counts in numbers or percent, up to all of them',
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 'many', maxUnavailable: '101%' } } },
      [
        "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"many\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
      ],
    ],
  ])('%s', (_, spec, expected) => {
    expect(problems(deploymentStrategy, workload(spec))).toEqual(expected);
  });
});

test('a daemon set must be able to move', () => {
  const spec = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } } };
  expect(problems(daemonSetStrategy, workload(spec))).toEqual([
    'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
  ]);
});
