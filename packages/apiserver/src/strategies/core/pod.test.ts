import { describe, expect, test } from 'vitest';
import { changeProblems, contextOf, created, problems, updated } from '../../testing/strategies.ts';
import { podStrategy } from './pod.ts';

const container = { name: 'main', image: 'busybox' };
const pod = (spec: object = {}, rest: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default' },
  spec: { containers: [container], restartPolicy: 'Always', ...spec },
  ...rest,
});

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('a pod is refused for', () => {
  test.each<[string, object, string[]]>([
    ['nothing, when it is plain', {}, []],
    ['no containers', { containers: [] }, ['spec.containers: Required value']],
    [
      'no name and no image',
      { containers: [{}] },
      ['spec.containers[0].name: Required value', 'spec.containers[0].image: Required value'],
    ],
    [
      'a container name that is no DNS label',
      { containers: [{ name: 'Main', image: 'x' }] },
      [`spec.containers[0].name: Invalid value: "Main": ${LABEL}`],
    ],
    [
      'two containers of one name, init containers included',
      { containers: [container, container], initContainers: [container] },
      ['spec.containers[1].name: Duplicate value: "main"', 'spec.initContainers[0].name: Duplicate value: "main"'],
    ],
    [
      'white space around the image',
      { containers: [{ ...container, image: ' busybox' }] },
      ['spec.containers[0].image: Invalid value: " busybox": must not have leading or trailing whitespace'],
    ],
    [
      'unknown policies',
      { restartPolicy: 'Sometimes', dnsPolicy: 'x', containers: [{ ...container, imagePullPolicy: 'y' }] },
      [
        'spec.containers[0].imagePullPolicy: Unsupported value: "y": supported values: "Always", "IfNotPresent", "Never"',
        'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
        'spec.dnsPolicy: Unsupported value: "x": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
      ],
    ],
    [
      'a mount of a volume that is not there, and two mounts at one place',
      {
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [
          {
            ...container,
            volumeMounts: [
              { name: 'data', mountPath: '/a' },
              { name: 'other', mountPath: '/a' },
            ],
          },
        ],
      },
      [
        'spec.containers[0].volumeMounts[1].name: Not found: "other"',
        'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
      ],
    ],
    [
      'volumes of no type, of two types, and of one name',
      { volumes: [{ name: 'a' }, { name: 'a', emptyDir: {}, hostPath: { path: '/x/../y' } }] },
      [
        'spec.volumes[0]: Required value: must specify a volume type',
        'spec.volumes[1].hostPath: Forbidden: may not specify more than 1 volume type',
        'spec.volumes[1].hostPath.path: Invalid value: "/x/../y": must not contain \'..\'',
        'spec.volumes[1].name: Duplicate value: "a"',
      ],
    ],
    [
      'ports out of range and names used twice',
      {
        containers: [
          {
            ...container,
            ports: [{ name: 'web', containerPort: 70000 }, { name: 'web', containerPort: 80, protocol: 'ICMP' }, {}],
          },
        ],
      },
      [
        'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
        'spec.containers[0].ports[1].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        'spec.containers[0].ports[2].containerPort: Required value',
        'spec.containers[0].ports[1].name: Duplicate value: "web"',
      ],
    ],
    [
      'one host port twice',
      {
        containers: [
          { ...container, ports: [{ containerPort: 1, hostPort: 80, protocol: 'TCP' }] },
          { ...container, name: 'b', ports: [{ containerPort: 2, hostPort: 80, protocol: 'TCP' }] },
        ],
      },
      ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"'],
    ],
    [
      'a host port that differs on the host network',
      { hostNetwork: true, containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 81 }] }] },
      [
        'spec.containers[0].ports[0].containerPort: Invalid value: 80: must match `hostPort` when `hostNetwork` is true',
      ],
    ],
    [
      'environment variables with an equals sign or two sources',
      {
        containers: [
          {
            ...container,
            env: [
              { name: 'A=B' },
              { name: 'C', value: 'c', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'D', valueFrom: {} },
              { name: 'E', valueFrom: { fieldRef: { fieldPath: 'spec.nope' } } },
            ],
          },
        ],
      },
      [
        'spec.containers[0].env[0].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
        'spec.containers[0].env[1].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
        'spec.containers[0].env[2].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
        'spec.containers[0].env[3].valueFrom.fieldRef.fieldPath: Unsupported value: "spec.nope": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      ],
    ],
    [
      'times that cannot be',
      { terminationGracePeriodSeconds: -1, activeDeadlineSeconds: 0 },
      [
        'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
        'spec.terminationGracePeriodSeconds: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      'a probe without a handler, and a liveness probe that wants two successes',
      {
        containers: [
          {
            ...container,
            readinessProbe: {},
            livenessProbe: { successThreshold: 2, tcpSocket: { port: 80 }, exec: { command: ['x'] } },
          },
        ],
      },
      [
        'spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
        'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
        'spec.containers[0].readinessProbe: Required value: must specify a handler type',
      ],
    ],
    [
      'a probe of an init container that ends',
      { initContainers: [{ name: 'init', image: 'x', livenessProbe: { exec: { command: ['x'] } } }] },
      [
        'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      ],
    ],
    [
      'a privileged container that may not gain privileges',
      { containers: [{ ...container, securityContext: { privileged: true, allowPrivilegeEscalation: false } }] },
      [
        'spec.containers[0].securityContext: Invalid value: {"privileged":true,"allowPrivilegeEscalation":false}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      ],
    ],
    ['a hostname that is no label', { hostname: 'Host' }, [`spec.hostname: Invalid value: "Host": ${LABEL}`]],
    [
      'no name servers where the policy asks for some',
      { dnsPolicy: 'None' },
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is "None"'],
    ],
    [
      'ephemeral containers from the beginning',
      { ephemeralContainers: [{ name: 'debug', image: 'x' }] },
      ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
    ],
    [
      'a node while gates are closed',
      { nodeName: 'n', schedulingGates: [{ name: 'g' }] },
      ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
    ],
  ])('%s', (_, spec, expected) => {
    expect(problems(podStrategy, pod(spec))).toEqual(expected);
  });

  test('a missing spec', () => {
    expect(problems(podStrategy, { ...pod(), spec: undefined })).toEqual(['spec.containers: Required value']);
  });
});

describe('a new pod', () => {
  test('is Pending, whatever it says of itself', () => {
    expect(created(podStrategy, pod({}, { status: { phase: 'Running', podIP: '10.0.0.1' } })).status).toEqual({
      phase: 'Pending',
      qosClass: 'BestEffort',
    });
  });

  test('with closed gates says why it is not scheduled', () => {
    expect(created(podStrategy, pod({ schedulingGates: [{ name: 'wait' }] }))).toMatchObject({
      status: {
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'SchedulingGated',
            message: 'Scheduling is blocked due to non-empty scheduling gates',
          },
        ],
      },
    });
  });
});

describe('of a pod that is there', () => {
  const ONLY =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,' +
    '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing ' +
    'tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  const toleration = { key: 'a', operator: 'Exists', effect: 'NoExecute' };

  test.each<[string, object, object, string[]]>([
    ['the image may change', {}, { containers: [{ ...container, image: 'other' }] }, []],
    ['a deadline may be set', {}, { activeDeadlineSeconds: 5 }, []],
    ['a deadline may be shortened', { activeDeadlineSeconds: 9 }, { activeDeadlineSeconds: 5 }, []],
    [
      'a deadline may not be moved out',
      { activeDeadlineSeconds: 5 },
      { activeDeadlineSeconds: 9 },
      ['spec.activeDeadlineSeconds: Invalid value: 9: must be less than or equal to previous value'],
    ],
    [
      'a deadline may not be taken away',
      { activeDeadlineSeconds: 5 },
      {},
      ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
    ],
    [
      'tolerations may be added',
      { tolerations: [toleration] },
      { tolerations: [toleration, { operator: 'Exists' }] },
      [],
    ],
    [
      'how long a taint is tolerated may change',
      { tolerations: [toleration] },
      { tolerations: [{ ...toleration, tolerationSeconds: 5 }] },
      [],
    ],
    [
      'tolerations may not be removed',
      { tolerations: [toleration] },
      {},
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    [
      'gates may be opened',
      { schedulingGates: [{ name: 'a' }, { name: 'b' }] },
      { schedulingGates: [{ name: 'b' }] },
      [],
    ],
    [
      'gates may not be added',
      { schedulingGates: [{ name: 'a' }] },
      { schedulingGates: [{ name: 'a' }, { name: 'b' }] },
      ["spec.schedulingGates: Forbidden: only deletion is allowed, but found new scheduling gate 'b'"],
    ],
    [
      'a gated pod may be narrowed down',
      { schedulingGates: [{ name: 'a' }] },
      { schedulingGates: [{ name: 'a' }], nodeSelector: { disk: 'ssd' } },
      [],
    ],
    [
      'a gated pod may not be sent elsewhere',
      { schedulingGates: [{ name: 'a' }], nodeSelector: { disk: 'ssd' } },
      { schedulingGates: [{ name: 'a' }] },
      ['spec.nodeSelector: Invalid value: {}: only additions to nodeSelector are allowed (no mutations or deletions)'],
    ],
    [
      'a negative grace period may be mended',
      { terminationGracePeriodSeconds: -1 },
      { terminationGracePeriodSeconds: 1 },
      [],
    ],
    [
      'containers may not come or go',
      {},
      { containers: [container, { name: 'b', image: 'x' }] },
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'nothing else may change, and the message says what did',
      { nodeName: 'a' },
      { nodeName: 'b', containers: [{ ...container, command: ['sh'] }] },
      [`${ONLY}\nspec.containers[0].command: not set -> ["sh"]\nspec.nodeName: "a" -> "b"`],
    ],
  ])('%s', (_, before, now, expected) => {
    expect(changeProblems(podStrategy, pod(now), pod(before))).toEqual(expected);
  });

  test('/ephemeralcontainers adds containers and touches nothing else', () => {
    const context = contextOf({ subresource: 'ephemeralcontainers' });
    const debug = { name: 'debug', image: 'x' };
    const old = pod({ nodeName: 'n' }, { status: { phase: 'Running' } });
    const now = updated(
      podStrategy,
      pod({ nodeName: 'm', ephemeralContainers: [debug] }, { status: {} }),
      old,
      context,
    );
    expect(now).toEqual({ ...old, spec: { ...old.spec, ephemeralContainers: [debug] } });
    expect(changeProblems(podStrategy, now, old, context)).toEqual([]);
    expect(changeProblems(podStrategy, pod(), pod({ ephemeralContainers: [debug] }), context)).toEqual([
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be removed\n',
    ]);
  });

  test('/status keeps the quality of service and is not held to the spec', () => {
    const context = contextOf({ subresource: 'status' });
    const old = pod({}, { status: { phase: 'Pending', qosClass: 'Burstable' } });
    const now = updated(podStrategy, pod({}, { status: { phase: 'Running' } }), old, context);
    expect(now).toMatchObject({ status: { phase: 'Running', qosClass: 'Burstable' } });
    expect(problems(podStrategy, pod({ containers: [] }), context)).toEqual([]);
  });
});

describe('seconds a pod gets to end', () => {
  const grace = (spec: object, rest: object, requested?: number) =>
    podStrategy.graceSeconds?.(pod({ nodeName: 'n', ...spec }, rest), requested);
  const deleting = {
    metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 20 },
  };

  test.each<[string, number | undefined, number]>([
    ['thirty, if nobody says otherwise', grace({}, {}), 30],
    ['what its spec says', grace({ terminationGracePeriodSeconds: 5 }, {}), 5],
    ['what the request says', grace({ terminationGracePeriodSeconds: 5 }, {}, 7), 7],
    ['one, for a negative request', grace({}, {}, -1), 1],
    ['none on no node', grace({ nodeName: undefined }, {}), 0],
    ['none when it has succeeded', grace({}, { status: { phase: 'Succeeded' } }), 0],
    ['none when it has failed', grace({}, { status: { phase: 'Failed' } }, 9), 0],
    ['fewer by a second request', grace({}, deleting, 3), 3],
    ['never more by a second request', grace({}, deleting, 60), 20],
    ['the same by a second request that does not say', grace({}, deleting), 20],
  ])('%s', (_, seconds, expected) => {
    expect(seconds).toBe(expected);
  });
});

test('warnings name what will surprise', () => {
  const object = pod({
    nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
    containers: [{ ...container, env: [{ name: 'A' }, { name: 'A' }], resources: { requests: { memory: '100m' } } }],
  });
  expect(podStrategy.warnings?.(object, contextOf())).toEqual([
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
  ]);
});
