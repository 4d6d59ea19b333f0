import type { Persisted, Pod } from '@vireo/api';
import type { Condition } from '@vireo/api/kinds/kubevirt/conditions.ts';
import { UNPAUSED_CONDITION } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith } from '../testing/objects.ts';
import { podWith } from '../testing/pods.ts';
import { canWait, unpausedStatus, vmiStatus } from './status.ts';

const now = new Date('2026-01-01T12:00:00Z');
const gist = (vmi: Vmi, pod?: Persisted<Pod>, failure?: Condition) =>
  (vmiStatus(vmi, pod, failure, now).conditions ?? []).map(({ type, status, reason }) =>
    [type, status, reason].filter(Boolean).join(' '),
  );
const phase = (name: string, status: VmiStatus = {}): Vmi => vmiWith({ phase: name, ...status });
const ready = podWith({
  phase: 'Running',
  containerStatuses: [{ ready: true }],
  conditions: [{ type: 'Ready', status: 'True' }],
});
const unready = podWith({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' }],
});
const unschedulable = podWith({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available' }],
});
const pulling = podWith({
  phase: 'Pending',
  containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }],
});
const configless = podWith({
  phase: 'Pending',
  containerStatuses: [{ state: { waiting: { reason: 'CreateContainerConfigError', message: 'no such secret' } } }],
});
const creating = podWith({
  phase: 'Pending',
  containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
});
const unmounted = podWith({
  phase: 'Pending',
  containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating', message: 'volume data cannot be had' } } }],
});
const missing: Condition = { type: 'Synchronized', status: 'False', reason: 'FailedPvcNotFound' };
const complained = { conditions: [missing, { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] };

describe('conditions', () => {
  it.each<[string, string[], Vmi, Persisted<Pod> | undefined, Condition | undefined]>([
    ['no launcher', ['Ready False PodNotExists'], phase('Pending'), undefined, undefined],
    [
      'a claim is missing',
      ['Ready False PodNotExists', 'Synchronized False FailedPvcNotFound'],
      phase('Pending'),
      undefined,
      missing,
    ],
    ['the launcher waits', ['Ready False GuestNotRunning'], phase('Pending'), podWith({ phase: 'Pending' }), undefined],
    [
      'no node fits',
      ['Ready False GuestNotRunning', 'PodScheduled False Unschedulable'],
      phase('Scheduling'),
      unschedulable,
      undefined,
    ],
    [
      'an image is missing',
      ['Ready False GuestNotRunning', 'Synchronized False ImagePullBackOff'],
      phase('Scheduling'),
      pulling,
      undefined,
    ],
    [
      'a secret is missing',
      ['Ready False GuestNotRunning', 'Synchronized False CreateContainerConfigError'],
      phase('Scheduling'),
      configless,
      undefined,
    ],
    [
      'a volume cannot be had',
      ['Ready False GuestNotRunning', 'Synchronized False ContainerCreating'],
      phase('Scheduling'),
      unmounted,
      undefined,
    ],
    ['the launcher is being made', ['Ready False GuestNotRunning'], phase('Scheduling'), creating, undefined],
    ['all is well again', ['Ready False GuestNotRunning'], phase('Scheduling', complained), ready, undefined],
    ['the guest runs', ['Ready True'], phase('Running'), ready, undefined],
    ['the guest is paused', ['Ready False ReadinessGatesNotReady'], phase('Running'), unready, undefined],
    [
      'the kubelet has said nothing',
      ['Ready False PodConditionMissing'],
      phase('Running'),
      podWith({ phase: 'Running' }),
      undefined,
    ],
    [
      'the launcher goes',
      ['Ready False PodTerminating'],
      phase('Running'),
      podWith({ phase: 'Running' }, deleting),
      undefined,
    ],
    [
      'what a node said of sync stays',
      ['Synchronized False Node', 'Ready True'],
      phase('Running', { conditions: [{ ...missing, reason: 'Node' }] }),
      ready,
      undefined,
    ],
  ])('%s', (_, expected, vmi, pod, failure) => {
    expect(gist(vmi, pod, failure)).toEqual(expected);
  });
});

it('a VMI whose guest shuts down says until when that may take, and how to end it now', () => {
  const running = phase('Running');
  const going = {
    ...running,
    metadata: { ...running.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    spec: { ...running.spec, terminationGracePeriodSeconds: 600 },
  };
  const launcher = podWith({ phase: 'Running' }, deleting);
  const [condition] = vmiStatus(going, launcher, undefined, now).conditions ?? [];
  expect(condition?.message).toBe(
    'virt-launcher pod is terminating: the guest has until 2026-01-01T00:10:00Z to shut down before it is powered off; to power it off now: kubectl delete --grace-period=0 --force',
  );
});

describe('what is known of the launcher', () => {
  const launcher = podWith(
    { phase: 'Running', qosClass: 'Burstable', containerStatuses: [{ ready: true }] },
    { annotations: { 'kubevirt.io/memory-overhead-bytes': '1000' } },
  );

  it('goes into the status when the VMI is handed over', () => {
    const status = vmiStatus(phase('Pending', { memory: { guestAtBoot: '1Gi' } }), launcher, undefined, now);
    expect(status).toMatchObject({
      phase: 'Scheduled',
      nodeName: 'n1',
      activePods: { 'pod-uid': 'n1' },
      qosClass: 'Burstable',
      launcherContainerImageVersion: 'launcher:1',
      memory: { guestAtBoot: '1Gi', memoryOverhead: '1000' },
    });
  });

  it('is left alone after that', () => {
    const { conditions: _, ...rest } = vmiStatus(phase('Running'), launcher, undefined, now);
    expect(rest).toEqual({ phase: 'Running' });
  });

  it('gives the reason why it ended before the guest ran', () => {
    const evicted = podWith({ phase: 'Failed', reason: 'Evicted' });
    expect(vmiStatus(phase('Scheduling'), evicted, undefined, now)).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
    });
  });
});

describe('a change that can wait', () => {
  it.each<[boolean, string, Vmi, Persisted<Pod>]>([
    [true, 'that a launcher exists', phase('Pending'), podWith({ phase: 'Pending' })],
    [false, 'that no node fits', phase('Pending'), unschedulable],
    [false, 'that an image is missing', phase('Pending'), pulling],
    [false, 'that a claim is there now', phase('Pending', { conditions: [missing] }), podWith({ phase: 'Pending' })],
    [false, 'that it is ready', phase('Pending'), ready],
    [false, 'what comes later', phase('Scheduling'), ready],
  ])('%s: %s', (expected, _, vmi, pod) => {
    expect(canWait(vmi, vmiStatus(vmi, pod, undefined, now))).toBe(expected);
  });
});

describe('the readiness gate', () => {
  const paused = [{ type: 'Paused', status: 'True' }];
  const saying = (status: string) => podWith({ conditions: [{ type: UNPAUSED_CONDITION, status }] });
  it.each<[string, Vmi, Persisted<Pod>, string | undefined]>([
    ['opens when the guest runs', phase('Running'), podWith(), 'True'],
    ['stays open', phase('Running'), saying('True'), undefined],
    ['closes when the guest is paused', phase('Running', { conditions: paused }), saying('True'), 'False'],
    ['opens again', phase('Running'), saying('False'), 'True'],
    ['is no matter before the guest runs', phase('Scheduled'), podWith(), undefined],
    ['is no matter for a launcher that goes', phase('Running'), podWith({}, deleting), undefined],
  ])('%s', (_, vmi, pod, expected) => {
    expect(unpausedStatus(vmi, pod, UNPAUSED_CONDITION)).toBe(expected);
  });
});
