import { describe, expect, it } from 'vitest';
import type { Kind } from '../kind.ts';
import {
  APIService,
  builtinKinds,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  LimitRange,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceClaim,
  RoleBinding,
  Service,
  StatefulSet,
} from './index.ts';

/** What `applyDefaults` makes of an object; the schema's plain defaults are data and not repeated here. */
function defaulted<F extends object>(kind: Kind, fields: F) {
  const object = { apiVersion: kind.version, kind: kind.kind, metadata: { name: 'x' }, ...structuredClone(fields) };
  kind.applyDefaults?.(object);
  return object;
}

const podOf = (spec: object) => defaulted(Pod, { spec: { containers: [{ name: 'c', image: 'i:1' }], ...spec } });
const template = { spec: { containers: [{ name: 'c', image: 'i' }] } };

describe('pod defaults', () => {
  it.each([
    ['busybox', 'Always'],
    ['busybox:latest', 'Always'],
    ['busybox:1.36', 'IfNotPresent'],
    ['registry:5000/busybox', 'Always'],
    ['registry:5000/busybox:1.36', 'IfNotPresent'],
    ['busybox@sha256:0123', 'IfNotPresent'],
    ['busybox:latest@sha256:0123', 'IfNotPresent'],
  ])('%s is pulled %s', (image, imagePullPolicy) => {
    const containers = [{ name: 'c', image }];
    expect(podOf({ containers, initContainers: containers })).toMatchObject({
      spec: { containers: [{ imagePullPolicy }], initContainers: [{ imagePullPolicy }] },
    });
  });

  it('leaves a pull policy alone', () => {
    expect(podOf({ containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Never' }] })).toMatchObject({
      spec: { containers: [{ imagePullPolicy: 'Never' }] },
    });
  });

  it('requests what is limited', () => {
    const resources = { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } };
    expect(podOf({ containers: [{ name: 'c', image: 'i:1', resources }] })).toMatchObject({
      spec: { containers: [{ resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
    });
  });

  it('makes an empty directory of a volume without a source', () => {
    const volumes = [{ name: 'a' }, { name: 'b', hostPath: { path: '/' } }];
    expect(podOf({ volumes }).spec).toMatchObject({ volumes: [{ name: 'a', emptyDir: {} }, volumes[1]] });
    expect(podOf({ volumes }).spec).not.toHaveProperty('volumes.1.emptyDir');
  });

  it('opens host ports on the host network', () => {
    const containers = [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80 }] }];
    expect(podOf({ containers, hostNetwork: true })).toMatchObject({
      spec: { containers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] },
    });
    expect(podOf({ containers }).spec).not.toHaveProperty('containers.0.ports.0.hostPort');
  });

  it('keeps both names of the service account alike', () => {
    expect(podOf({ serviceAccountName: 'a' }).spec).toMatchObject({ serviceAccount: 'a' });
    expect(podOf({ serviceAccount: 'b' }).spec).toMatchObject({ serviceAccountName: 'b' });
    expect(podOf({}).spec).not.toHaveProperty('serviceAccountName');
  });

  it('gives a template less than a pod', () => {
    const resources = { limits: { cpu: '1' } };
    const made = { spec: { containers: [{ name: 'c', image: 'i', resources }] } };
    const { spec } = defaulted(Deployment, { spec: { selector: {}, template: made } }) as unknown as Deployment;
    expect(spec?.template.spec?.containers[0]?.imagePullPolicy).toBe('Always');
    expect(spec?.template.spec?.containers[0]?.resources).toEqual(resources);
    expect(spec?.template.spec?.enableServiceLinks).toBeUndefined();
    expect(podOf({}).spec).toMatchObject({ enableServiceLinks: true });
  });
});

describe('workload defaults', () => {
  it.each([
    [
      'a deployment rolls by quarters',
      Deployment,
      { spec: { selector: {}, template } },
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } },
    ],
    [
      'half of a strategy is completed',
      Deployment,
      { spec: { selector: {}, template, strategy: { rollingUpdate: { maxSurge: 3 } } } },
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: '25%' } } },
    ],
    [
      'another strategy needs no pace',
      Deployment,
      { spec: { selector: {}, template, strategy: { type: 'Recreate' } } },
      { strategy: { type: 'Recreate' } },
    ],
    [
      'a daemon set rolls one by one',
      DaemonSet,
      { spec: { selector: {}, template } },
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
    ],
    [
      'a stateful set keeps its claims and replaces pods one by one',
      StatefulSet,
      { spec: { selector: {}, template, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] } },
      {
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        volumeClaimTemplates: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            status: { phase: 'Pending' },
          },
        ],
      },
    ],
    [
      'a replication controller selects what it makes',
      ReplicationController,
      { spec: { template: { metadata: { labels: { app: 'a' } } } } },
      { selector: { app: 'a' } },
    ],
    [
      'a policy with rules for the way out is about both ways',
      NetworkPolicy,
      { spec: { egress: [{ ports: [{ port: 53 }] }] } },
      { policyTypes: ['Ingress', 'Egress'] },
    ],
    [
      'a claim asks for one device',
      ResourceClaim,
      { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpus' } }] } } },
      { devices: { requests: [{ exactly: { allocationMode: 'ExactCount', count: 1 } }] } },
    ],
    [
      'a job runs once',
      Job,
      { spec: { template } },
      { completions: 1, parallelism: 1, backoffLimit: 6, podReplacementPolicy: 'TerminatingOrFailed' },
    ],
    [
      'a job with a limit an index has no other',
      Job,
      { spec: { template, backoffLimitPerIndex: 1 } },
      { backoffLimit: 2147483647 },
    ],
    [
      'a job with a failure policy waits for failures',
      Job,
      { spec: { template, podFailurePolicy: { rules: [] } } },
      { podReplacementPolicy: 'Failed' },
    ],
    [
      'an autoscaler keeps the processor at 80 %',
      HorizontalPodAutoscaler,
      { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } } },
      { metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } }] },
    ],
    [
      'half of a behaviour is completed',
      HorizontalPodAutoscaler,
      { spec: { maxReplicas: 3, scaleTargetRef: {}, behavior: { scaleDown: { stabilizationWindowSeconds: 9 } } } },
      {
        behavior: {
          scaleUp: { stabilizationWindowSeconds: 0 },
          scaleDown: { stabilizationWindowSeconds: 9, selectPolicy: 'Max' },
        },
      },
    ],
  ] as [string, Kind, object, object][])('%s', (_, kind, given, expected) => {
    expect(defaulted(kind, given)).toMatchObject({ spec: expected });
  });

  it('leaves the jobs of a cron job as they are: each gets its defaults when it is made', () => {
    const { spec } = defaulted(CronJob, {
      spec: { schedule: '@hourly', jobTemplate: { spec: { template } } },
    }) as never as CronJob;
    expect(Object.keys(spec?.jobTemplate.spec ?? {})).toEqual(['template']);
  });

  it('leaves completions open where only the parallelism is given', () => {
    expect(defaulted(Job, { spec: { template, parallelism: 3 } })).not.toHaveProperty('spec.completions');
  });
});

describe('service defaults', () => {
  const serviceOf = (spec: object) =>
    (defaulted(Service, { spec: { ports: [{ port: 80 }], ...spec } }) as unknown as Service).spec;

  it('sends to the same port', () => {
    expect(serviceOf({})?.ports?.[0]?.targetPort).toBe(80);
    expect(serviceOf({ ports: [{ port: 80, targetPort: 'http' }] })?.ports?.[0]?.targetPort).toBe('http');
  });

  it('lets traffic go anywhere', () => {
    expect(serviceOf({ type: 'ClusterIP' })).toMatchObject({ internalTrafficPolicy: 'Cluster' });
    expect(serviceOf({ type: 'ClusterIP' })).not.toHaveProperty('externalTrafficPolicy');
    expect(serviceOf({ type: 'NodePort' })).toMatchObject({ externalTrafficPolicy: 'Cluster' });
    expect(serviceOf({ type: 'LoadBalancer' })).toMatchObject({ allocateLoadBalancerNodePorts: true });
    expect(serviceOf({ type: 'ExternalName' })).not.toHaveProperty('internalTrafficPolicy');
  });

  it('keeps a client for three hours', () => {
    expect(serviceOf({ sessionAffinity: 'ClientIP' })).toMatchObject({
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
    });
  });
});

describe('other defaults', () => {
  it('names a namespace in a label', () => {
    expect(defaulted(Namespace, {}).metadata).toEqual({ name: 'x', labels: { 'kubernetes.io/metadata.name': 'x' } });
  });

  it('lets pods use all that a node has, unless it says otherwise', () => {
    const capacity = { cpu: '4' };
    expect(defaulted(Node, { status: { capacity } })).toMatchObject({ status: { allocatable: capacity } });
    expect(defaulted(Node, { status: { capacity, allocatable: { cpu: '3' } } })).toMatchObject({
      status: { allocatable: { cpu: '3' } },
    });
  });

  it('starts claims and volumes as pending', () => {
    expect(defaulted(PersistentVolumeClaim, {})).toMatchObject({ status: { phase: 'Pending' } });
    expect(defaulted(PersistentVolume, { status: { phase: 'Bound' } })).toMatchObject({ status: { phase: 'Bound' } });
  });

  it('completes the limits of containers only', () => {
    const limits = [
      { type: 'Container', max: { cpu: '4', memory: '4Gi' }, default: { cpu: '2' }, min: { disk: '1' } },
      { type: 'Pod', max: { cpu: '8' } },
    ];
    expect(defaulted(LimitRange, { spec: { limits } })).toMatchObject({
      spec: {
        limits: [
          {
            default: { cpu: '2', memory: '4Gi' },
            defaultRequest: { cpu: '2', memory: '4Gi', disk: '1' },
          },
          { type: 'Pod', max: { cpu: '8' } },
        ],
      },
    });
  });

  it('fills in the group of roles, users and groups', () => {
    const subjects = [
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', name: 's', namespace: 'n' },
    ];
    const binding = defaulted(RoleBinding, {
      roleRef: { kind: 'Role', name: 'r' },
      subjects,
    }) as unknown as RoleBinding;
    const group = 'rbac.authorization.k8s.io';
    expect(binding.roleRef.apiGroup).toBe(group);
    expect(binding.subjects?.map(({ apiGroup }) => apiGroup)).toEqual([group, group, undefined]);
  });

  it('names a custom kind in the singular and its list', () => {
    const names = { plural: 'widgets', kind: 'Widget' };
    expect(defaulted(CustomResourceDefinition, { spec: { names } })).toMatchObject({
      spec: { conversion: { strategy: 'None' }, names: { singular: 'widget', listKind: 'WidgetList' } },
    });
  });
});

describe('every kind', () => {
  it.each(builtinKinds.map((kind) => [kind.kind, kind] as const))('%s is not changed by a second pass', (_, kind) => {
    const spec = { containers: [], template, selector: {}, limits: [], names: { kind: 'K' }, ports: [{ port: 1 }] };
    const given = kind === APIService || !kind.schema.properties?.spec ? {} : { spec };
    const fields = { roleRef: {}, ...given };
    const once = defaulted(kind, fields);
    const twice = structuredClone(once);
    kind.applyDefaults?.(twice);
    expect(twice).toEqual(once);
  });
});
