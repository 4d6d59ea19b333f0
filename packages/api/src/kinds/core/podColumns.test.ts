import { describe, expect, it } from 'vitest';
import type { ContainerStatus } from './containerStatus.ts';
import type { Pod } from './pod.ts';
import { podColumns, summarizePod } from './podColumns.ts';

type PodParts = { spec?: Partial<NonNullable<Pod['spec']>>; status?: Pod['status']; metadata?: Pod['metadata'] };

const podOf = ({ spec, status, metadata }: PodParts): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', ...metadata },
  spec: { containers: [{ name: 'main' }], ...spec },
  status,
});

const container = (name: string, rest: Partial<ContainerStatus>): ContainerStatus => ({
  name,
  image: 'i',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...rest,
});

const running = (name: string, rest: Partial<ContainerStatus> = {}) =>
  container(name, { ready: true, state: { running: {} }, ...rest });
const waiting = (name: string, reason: string) => container(name, { state: { waiting: { reason } } });
const ended = (name: string, exitCode: number, rest: { reason?: string; signal?: number } = {}) =>
  container(name, { state: { terminated: { exitCode, ...rest } } });

const two = { containers: [{ name: 'a' }, { name: 'b' }] };
const init = { initContainers: [{ name: 'i' }, { name: 'j' }] };
const sidecar = { initContainers: [{ name: 's', restartPolicy: 'Always' }] };
const gone = { deletionTimestamp: '2030-01-01T00:00:00Z' };

const cases: [string, PodParts, string, string][] = [
  ['nothing is known yet', { status: {} }, '0/1', ''],
  ['the phase is all there is', { status: { phase: 'Pending' } }, '0/1', 'Pending'],
  ['a reason overrules the phase', { status: { phase: 'Failed', reason: 'Evicted' } }, '0/1', 'Evicted'],
  [
    'a gate holds it back',
    {
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    },
    '0/1',
    'SchedulingGated',
  ],
  ['a container runs', { status: { phase: 'Running', containerStatuses: [running('main')] } }, '1/1', 'Running'],
  [
    'a container runs but is not ready',
    { status: { phase: 'Running', containerStatuses: [running('main', { ready: false })] } },
    '0/1',
    'Running',
  ],
  [
    'a container waits',
    { status: { phase: 'Pending', containerStatuses: [waiting('main', 'ImagePullBackOff')] } },
    '0/1',
    'ImagePullBackOff',
  ],
  [
    'the first of two reasons counts',
    { spec: two, status: { phase: 'Running', containerStatuses: [waiting('a', 'CrashLoopBackOff'), ended('b', 1)] } },
    '0/2',
    'CrashLoopBackOff',
  ],
  ['it ended with a code', { status: { phase: 'Failed', containerStatuses: [ended('main', 3)] } }, '0/1', 'ExitCode:3'],
  [
    'it ended by a signal',
    { status: { phase: 'Failed', containerStatuses: [ended('main', 137, { signal: 9 })] } },
    '0/1',
    'Signal:9',
  ],
  [
    'it completed',
    { status: { phase: 'Succeeded', containerStatuses: [ended('main', 0, { reason: 'Completed' })] } },
    '0/1',
    'Completed',
  ],
  [
    'one completed, one runs, the pod is ready',
    {
      spec: two,
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [ended('a', 0, { reason: 'Completed' }), running('b')],
      },
    },
    '1/2',
    'Running',
  ],
  [
    'one completed, one runs, the pod is not ready',
    {
      spec: two,
      status: { phase: 'Running', containerStatuses: [ended('a', 0, { reason: 'Completed' }), running('b')] },
    },
    '1/2',
    'NotReady',
  ],
  [
    'the first init container runs',
    { spec: init, status: { phase: 'Pending', initContainerStatuses: [running('i', { ready: false })] } },
    '0/1',
    'Init:0/2',
  ],
  [
    'the second init container waits for its turn',
    {
      spec: init,
      status: { phase: 'Pending', initContainerStatuses: [ended('i', 0), waiting('j', 'PodInitializing')] },
    },
    '0/1',
    'Init:1/2',
  ],
  [
    'an init container cannot start',
    { spec: init, status: { phase: 'Pending', initContainerStatuses: [waiting('i', 'ErrImagePull')] } },
    '0/1',
    'Init:ErrImagePull',
  ],
  [
    'an init container failed',
    { spec: init, status: { phase: 'Pending', initContainerStatuses: [ended('i', 2)] } },
    '0/1',
    'Init:ExitCode:2',
  ],
  [
    'an init container failed and says why',
    { spec: init, status: { phase: 'Pending', initContainerStatuses: [ended('i', 2, { reason: 'OOMKilled' })] } },
    '0/1',
    'Init:OOMKilled',
  ],
  [
    'a sidecar counts as a container',
    {
      spec: sidecar,
      status: {
        phase: 'Running',
        initContainerStatuses: [running('s', { started: true })],
        containerStatuses: [running('main')],
      },
    },
    '2/2',
    'Running',
  ],
  [
    'it is going',
    { metadata: gone, status: { phase: 'Running', containerStatuses: [running('main')] } },
    '1/1',
    'Terminating',
  ],
  ['it ended before it goes', { metadata: gone, status: { phase: 'Succeeded' } }, '0/1', 'Succeeded'],
  [
    'it is going, and its node is lost',
    { metadata: gone, status: { phase: 'Running', reason: 'NodeLost' } },
    '0/1',
    'Unknown',
  ],
];

describe('summarizePod', () => {
  it.each(cases)('%s', (_, parts, ready, status) => {
    const summary = summarizePod(podOf(parts));
    expect([`${summary.ready}/${summary.total}`, summary.status]).toEqual([ready, status]);
  });
});

describe('pod columns', () => {
  const now = new Date('2030-01-01T01:00:00Z');
  const cell = (pod: Pod, name: string) => podColumns.find((column) => column.name === name)?.value?.(pod, now);

  it('says how often and when containers were restarted', () => {
    const lastState = { terminated: { exitCode: 1, finishedAt: '2030-01-01T00:30:00Z' } };
    const older = { terminated: { exitCode: 1, finishedAt: '2030-01-01T00:10:00Z' } };
    const pod = podOf({
      spec: two,
      status: {
        containerStatuses: [
          running('a', { restartCount: 2, lastState }),
          running('b', { restartCount: 1, lastState: older }),
        ],
      },
    });
    expect(cell(pod, 'Restarts')).toBe('3 (30m ago)');
  });

  it('forgets the restarts of init containers once they are done', () => {
    const pod = podOf({
      spec: init,
      status: {
        initContainerStatuses: [container('i', { restartCount: 4, state: { terminated: { exitCode: 0 } } })],
        containerStatuses: [running('main')],
      },
    });
    expect(cell(pod, 'Restarts')).toBe('0');
  });

  it('shows the wide columns', () => {
    const pod = podOf({
      spec: { nodeName: 'n1', readinessGates: [{ conditionType: 'x' }, { conditionType: 'y' }] },
      status: { podIPs: [{ ip: '10.0.0.7' }], conditions: [{ type: 'y', status: 'True' }] },
    });
    const wide = podColumns.filter(({ priority }) => priority === 1).map(({ name }) => [name, cell(pod, name)]);
    expect(wide).toEqual([
      ['IP', '10.0.0.7'],
      ['Node', 'n1'],
      ['Nominated Node', '<none>'],
      ['Readiness Gates', '1/2'],
    ]);
  });
});
