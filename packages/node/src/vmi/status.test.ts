import { mergePatchBetween } from '@vireo/api';
import type { JsonObject } from '@vireo/api/json.ts';
import { UNPAUSED_CONDITION } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { applyMergePatch } from '@vireo/apiserver/patch/merge.ts';
import type { Client } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { podIn, vmiIn } from '../testing/objects.ts';
import type { DomainView } from './domainView.ts';
import type { GuestInfo } from './guestInfo.ts';
import { launcherOptions } from './launcher.ts';
import { macAddress } from './networks.ts';
import { endedContainers, endedPodStatus, gatedStatus, preparedStatus, waitingStatus } from './podStatus.ts';
import { StatusWriter } from './statusWriter.ts';
import { endedStatus, type ObservedGuest, runningStatus } from './vmiStatus.ts';

const now = new Date('2026-01-01T12:00:00Z');
const later = new Date('2026-01-01T13:00:00Z');
const time = '2026-01-01T12:00:00Z';

const MAC = '02:00:00:00:00:01';
const view: DomainView = {
  machineType: 'pc-q35-7.2',
  diskTargets: { root: 'vda' },
  drives: {},
  interfaces: { default: { mac: MAC, linkState: 'up', queueCount: 1 } },
  isAgentConnected: false,
};
const withAgent: DomainView = { ...view, isAgentConnected: true };
const observedGuest = (rest: Partial<ObservedGuest> = {}): ObservedGuest => ({
  domain: { state: 'running', reason: 'booted' },
  view,
  isEmulated: false,
  isFrozen: false,
  user: 0,
  guestInfo: undefined,
  ...rest,
});
const paused = (reason: string): ObservedGuest => observedGuest({ domain: { state: 'paused', reason } });

describe('the status of a VMI', () => {
  const interfaces = [{ name: 'default', masquerade: {} }];
  const scheduled = vmiIn(
    'Scheduled',
    {},
    {
      domain: { devices: { interfaces }, memory: { guest: '1Gi' } },
      networks: [{ name: 'default', pod: {} }],
      volumes: [{ name: 'root', containerDisk: { image: 'vireo/guest' } }],
    },
  );
  /** Conditions that say something about a VMI of the moment. */
  const momentary = ({ conditions = [] }: VmiStatus) =>
    conditions.filter(({ type }) => !type.endsWith('LiveMigratable'));

  it('of a guest that runs has phase Running, its interfaces, disks and memory', () => {
    const status = runningStatus(scheduled, observedGuest(), now);
    expect(status).toEqual({
      phase: 'Running',
      phaseTransitionTimestamps: [{ phase: 'Running', phaseTransitionTimestamp: time }],
      conditions: expect.anything(),
      interfaces: [
        {
          name: 'default',
          mac: MAC,
          infoSource: 'domain',
          queueCount: 1,
          linkState: 'up',
          podInterfaceName: 'eth0',
        },
      ],
      machine: { type: 'pc-q35-7.2' },
      volumeStatus: [{ name: 'root', target: 'vda' }],
      currentCPUTopology: { cores: 1, sockets: 1, threads: 1 },
      memory: { guestAtBoot: '1Gi', guestCurrent: '1Gi', guestRequested: '1Gi' },
      migrationMethod: 'BlockMigration',
      migrationTransport: 'Unix',
      runtimeUser: 0,
      selinuxContext: 'none',
    });
    expect(momentary(status)).toEqual([]);
  });

  it('keeps the claim info of volumes that others wrote', () => {
    const info = { claimName: 'data', accessModes: ['ReadWriteOnce'] };
    const volumes = [
      { name: 'root', containerDisk: { image: 'vireo/guest' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    ];
    const before = [{ name: 'data', target: '', persistentVolumeClaimInfo: info }];
    const vmi = { ...scheduled, spec: { ...scheduled.spec, volumes }, status: { volumeStatus: before } };
    const targets = { root: 'vda', data: 'vdb' };
    expect(runningStatus(vmi, observedGuest({ view: { ...view, diskTargets: targets } }), now).volumeStatus).toEqual([
      { name: 'data', target: 'vdb', persistentVolumeClaimInfo: info },
      { name: 'root', target: 'vda' },
    ]);
  });

  it('has claim info for every disk on a claim, fixed disks too', () => {
    const volumes = [{ name: 'root', dataVolume: { name: 'os' } }];
    const vmi = { ...scheduled, spec: { ...scheduled.spec, volumes } };
    const os = { claimName: 'os', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } };
    const claimInfo = (claim: string) => (claim === 'os' ? os : undefined);
    const observed = observedGuest({ view: { ...view, diskTargets: { root: 'vda' } }, claimInfo });
    expect(runningStatus(vmi, observed, now).volumeStatus).toEqual([
      { name: 'root', target: 'vda', persistentVolumeClaimInfo: os },
    ]);
  });

  it('stays the same while nothing changes', () => {
    const observed = observedGuest({ isEmulated: true, view: withAgent, domain: { state: 'paused', reason: 'user' } });
    const status = runningStatus(scheduled, observed, now);
    expect(mergePatchBetween(status, runningStatus({ ...scheduled, status }, observed, later))).toBeUndefined();
  });

  it.each([
    ['user', 'PausedByUser'],
    ['io-error', 'PausedIOError'],
  ])('of a guest that is paused by %s has Paused=True with reason %s', (reason, expected) => {
    const status = runningStatus(scheduled, paused(reason), now);
    expect(momentary(status)).toMatchObject([{ type: 'Paused', status: 'True', reason: expected }]);
    expect(momentary(runningStatus({ ...scheduled, status }, observedGuest(), later))).toEqual([]);
  });

  it.each(['starting-up', 'dump', 'snapshot', 'save', 'migration'])(
    'of a guest that libvirt pauses for %s has no Paused condition',
    (why) => {
      expect(momentary(runningStatus(scheduled, paused(why), now))).toEqual([]);
    },
  );

  it('has the operating system and addresses that the guest agent reports', () => {
    const iface = {
      name: 'eth0',
      mac: MAC.toUpperCase(),
      addresses: ['10.0.2.15', 'fe80::1'],
    };
    const guestInfo = { os: { id: 'debian' }, interfaces: [iface] };
    const status = runningStatus(scheduled, observedGuest({ view: withAgent, guestInfo }), now);
    expect(status).toMatchObject({
      guestOSInfo: { id: 'debian' },
      interfaces: [{ interfaceName: 'eth0', ipAddress: '10.0.2.15', ipAddresses: ['10.0.2.15', 'fe80::1'] }],
    });
    expect(momentary(status)).toMatchObject([{ type: 'AgentConnected', status: 'True' }]);
  });

  it('loses what the guest agent no longer reports', async () => {
    const telling = (os: GuestInfo['os']) => observedGuest({ view: withAgent, guestInfo: { os, interfaces: [] } });
    const status = runningStatus(scheduled, telling({ id: 'debian', versionId: '12' }), now);
    const before = { ...scheduled, status };
    const patchIfUnchanged = async (_: unknown, body: JsonObject) => applyMergePatch(before, body);
    const client = { of: () => ({ patchIfUnchanged }) } as unknown as Client;
    const writer = new StatusWriter({ client, kubelet: client });
    const after = await writer.vmiStatus(before, runningStatus(before, telling({ id: 'debian' }), later));
    expect(after.status?.guestOSInfo).toEqual({ id: 'debian' });
  });

  it('keeps conditions that others wrote', () => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'GuestNotRunning' }] as const;
    const vmi = { ...scheduled, status: { phase: 'Scheduled', conditions: [...conditions] } };
    expect(momentary(runningStatus(vmi, observedGuest(), now))).toEqual(conditions);
  });

  it('of a guest that failed to start says why, and of one that ran does not', () => {
    const message = 'there is no such bus';
    expect(endedStatus(scheduled, 'Failed', message, now)).toMatchObject({
      phase: 'Failed',
      conditions: [{ type: 'Synchronized', status: 'False', message }],
    });
    expect(endedStatus(vmiIn('Running'), 'Failed', 'the guest crashed', now).conditions).toEqual([]);
  });
});

describe('the status of a launcher pod', () => {
  it('is Ready once its domain can start', () => {
    const status = preparedStatus(podIn('Pending'), '192.0.2.1', now);
    expect(status).toMatchObject({
      phase: 'Running',
      podIP: '192.0.2.1',
      startTime: time,
      containerStatuses: [{ name: 'compute', ready: true, state: { running: { startedAt: time } } }],
    });
    const types = ['Initialized', 'ContainersReady', 'Ready', UNPAUSED_CONDITION];
    expect(status.conditions?.map(({ type, status: is }) => [type, is])).toEqual(types.map((type) => [type, 'True']));
  });

  it('has the reason why its container waits', () => {
    expect(waitingStatus(podIn('Pending'), 'ErrImagePull', 'no such image', now)).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ ready: false, state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } } }],
    });
  });

  it('is Ready only while its readiness gate is True', () => {
    const prepared = podIn('Running', {}, preparedStatus(podIn('Pending'), '192.0.2.1', now));
    expect(gatedStatus(prepared, now)).toBeUndefined();
    const conditions = prepared.status?.conditions?.map((each) =>
      each.type === UNPAUSED_CONDITION ? { ...each, status: 'False' } : each,
    );
    const held = podIn('Running', {}, { conditions });
    expect(gatedStatus(held, later)?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'the guest is paused',
    });
    const unset = podIn('Running', {}, { conditions: [{ type: 'Ready', status: 'True' }] });
    expect(gatedStatus(unset, later)?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      message: 'the readiness gate "kubevirt.io/virtual-machine-unpaused" is not set yet',
    });
  });

  it('is not Ready once one of its containers has ended, for good', () => {
    const prepared = podIn('Running', {}, preparedStatus(podIn('Pending'), '192.0.2.1', now));
    expect(endedContainers(prepared, [], later)).toBeUndefined();
    const status = endedContainers(prepared, ['compute'], later);
    expect(status?.containerStatuses).toMatchObject([{ name: 'compute', ready: false, state: { terminated: {} } }]);
    const said = { status: 'False', message: 'containers with unready status: [compute]' };
    for (const type of ['ContainersReady', 'Ready'])
      expect(status?.conditions?.find((each) => each.type === type)).toMatchObject(said);
    const ended = podIn('Running', {}, { ...prepared.status, ...status });
    expect(endedContainers(ended, ['compute'], later)).toBeUndefined();
    expect(gatedStatus(ended, later)).toBeUndefined();
  });

  it.each([
    [true, 'Succeeded', 0, 'Completed'],
    [false, 'Failed', 1, 'Error'],
  ])(
    'of a guest that ended (well: %s) has phase %s, exit code %i and reason %s',
    (hasSucceeded, phase, exitCode, reason) => {
      const running = podIn('Running', {}, preparedStatus(podIn('Pending'), '192.0.2.1', now));
      expect(endedPodStatus(running, hasSucceeded, later)).toMatchObject({
        phase,
        containerStatuses: [
          {
            ready: false,
            state: { terminated: { exitCode, reason, startedAt: time, finishedAt: '2026-01-01T13:00:00Z' } },
          },
        ],
      });
    },
  );

  it.each([
    [['launcher', '--hypervisor', 'stub'], { hypervisor: 'stub', useEmulation: false, shouldCrash: false }],
    [
      ['launcher', '--hypervisor', 'kvm', '--allow-emulation'],
      { hypervisor: 'kvm', useEmulation: true, shouldCrash: false },
    ],
    [['launcher'], { hypervisor: 'kvm', useEmulation: false, shouldCrash: false }],
    [['launcher', '--simulate-crash'], { hypervisor: 'kvm', useEmulation: false, shouldCrash: true }],
  ])('a launcher pod with command %j has the options %j', (command, choice) => {
    const pod = podIn('Running');
    expect(launcherOptions({ ...pod, spec: { containers: [{ name: 'compute', command }] } })).toEqual(choice);
  });
});

describe('MAC addresses', () => {
  it('belong to one interface of one VMI each', () => {
    const vmi = vmiIn('Running');
    expect(macAddress(vmi, 'a')).toMatch(/^02(:[\da-f]{2}){5}$/);
    expect(macAddress(vmi, 'a')).toBe(macAddress(vmi, 'a'));
    expect(macAddress(vmi, 'a')).not.toBe(macAddress(vmi, 'b'));
    expect(macAddress(vmiIn('Running', { uid: 'other' }), 'a')).not.toBe(macAddress(vmi, 'a'));
  });
});
