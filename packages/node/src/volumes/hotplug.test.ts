import type { Pod } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { describe, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { type HotplugProblems, hotplugPlan, withHotplug } from './hotplug.ts';

const vmi = (names: readonly string[], plugged: readonly string[] = [], claimName = 'data'): VirtualMachineInstance => {
  const base = vmiIn(
    'Running',
    {},
    {
      domain: { devices: { disks: ['root', ...names].map((name) => ({ name, disk: { bus: 'scsi' } })) } },
      volumes: [
        { name: 'root', persistentVolumeClaim: { claimName: 'root' } },
        ...names.map((name) => ({ name, dataVolume: { name, hotpluggable: true } })),
      ],
    },
  );
  const volumeStatus = plugged.map((name) => ({
    name,
    target: 'sdb',
    hotplugVolume: {},
    persistentVolumeClaimInfo: { claimName },
  }));
  return { ...base, status: { ...base.status, volumeStatus: [{ name: 'root', target: 'sda' }, ...volumeStatus] } };
};

const plan = (of: VirtualMachineInstance, targets: Record<string, string>) => {
  const { attach, detach } = hotplugPlan(of, targets);
  return [attach.map(({ name }) => name), detach];
};

describe('what is done', () => {
  it.each([
    ['a new volume is plugged in', vmi(['data']), { root: 'sda' }, [['data'], []]],
    ['one that is there is left alone', vmi(['data'], ['data']), { root: 'sda', data: 'sdb' }, [[], []]],
    ['one that was removed is taken out', vmi([], ['data']), { root: 'sda', data: 'sdb' }, [[], ['data']]],
    ['one that is out is forgotten', vmi([], ['data']), { root: 'sda' }, [[], []]],
    ['what the VM was started with stays', vmi([]), { root: 'sda', other: 'sdb' }, [[], []]],
  ])('%s', (_, of, targets, expected) => {
    expect(plan(of, targets as Record<string, string>)).toEqual(expected);
  });
});

it('a disk that is exchanged under its name is out before the other comes in, which then stays', () => {
  let exchanged = vmi(['data'], ['data'], 'other');
  let targets: Record<string, string> = { root: 'sda', data: 'sdb' };
  const asked = new Set<string>();
  /** What a node does in a report: it plugs, and tells what the guest has then. Before it the guest may let go. */
  const report = (letsGo: boolean) => {
    if (letsGo) targets = Object.fromEntries(Object.entries(targets).filter(([name]) => !asked.delete(name)));
    const { attach, detach } = hotplugPlan(exchanged, targets);
    for (const name of detach) asked.add(name);
    for (const { name } of attach) targets = { ...targets, [name]: 'sdc' };
    const volumeStatus = withHotplug(exchanged, exchanged.status?.volumeStatus ?? [], targets, {});
    exchanged = { ...exchanged, status: { ...exchanged.status, volumeStatus } };
    const reported = volumeStatus.find(({ name }) => name === 'data');
    const done = [...attach.map(({ name }) => `plug ${name}`), ...detach.map((name) => `unplug ${name}`)];
    return [...done, reported?.phase, reported?.persistentVolumeClaimInfo?.claimName].join(' ').trim();
  };
  expect([false, false, true, true, true, true].map(report)).toEqual([
    'unplug data Detaching other',
    'unplug data Detaching other',
    '',
    'plug data Ready data',
    'Ready data',
    'Ready data',
  ]);
});

it('a disk whose predecessor has just left the guest waits until the status no longer has that one', () => {
  const exchanged = vmi(['data'], ['data'], 'other');
  expect(plan(exchanged, { root: 'sda' })).toEqual([[], []]);
});

it('a CD-ROM drive is not taken out with its disc', () => {
  const ejected = vmi([], ['cd']);
  expect(hotplugPlan(ejected, { cd: 'sdb' }, { cd: {} }).detach).toEqual([]);
  expect(hotplugPlan(ejected, { cd: 'sdb' }).detach).toEqual(['cd']);
});

describe('what is said', () => {
  const phases = (of: VirtualMachineInstance, targets: Record<string, string>, hotplugProblems = {}) =>
    withHotplug(of, of.status?.volumeStatus ?? [], targets, hotplugProblems).map(({ name, phase, target }) =>
      [name, phase, target].join(' '),
    );

  it('follows a volume from the claim to the guest and out again', () => {
    const waiting = { data: { phase: 'Pending', reason: 'PVCNotReady', message: 'x' } };
    expect(phases(vmi(['data']), { root: 'sda' }, waiting)).toEqual(['data Pending ', 'root  sda']);
    expect(phases(vmi(['data']), { root: 'sda' })).toEqual(['data MountedToPod ', 'root  sda']);
    expect(phases(vmi(['data'], ['data']), { root: 'sda', data: 'sdb' })).toEqual(['data Ready sdb', 'root  sda']);
    expect(phases(vmi([], ['data']), { root: 'sda', data: 'sdb' })).toEqual(['data Detaching sdb', 'root  sda']);
    expect(phases(vmi([], ['data']), { root: 'sda' })).toEqual(['root  sda']);
  });

  const pod = (name: string, metadata: object = {}): Pod =>
    ({
      metadata: { name, uid: `uid of ${name}`, ...metadata },
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
      status: { phase: 'Running' },
    }) as unknown as Pod;
  const data = (
    of: VirtualMachineInstance,
    targets: Record<string, string>,
    hotplugProblems: HotplugProblems,
    pods: Pod[],
  ) =>
    withHotplug(of, of.status?.volumeStatus ?? [], targets, hotplugProblems, pods).find(({ name }) => name === 'data');

  it('names the attachment pod that a volume is taken from', () => {
    const hotplugVolume = { attachPodName: 'hp-volume-1', attachPodUID: 'uid of hp-volume-1' };
    expect(data(vmi(['data'], ['data']), { data: 'sdb' }, {}, [pod('hp-volume-1')])).toMatchObject({ hotplugVolume });
    expect(data(vmi(['data'], ['data']), { data: 'sdb' }, {}, [])).toMatchObject({ phase: 'Ready', hotplugVolume: {} });
  });

  it('nothing is said while an attachment pod may come at any moment', () => {
    expect(data(vmi(['data']), {}, { data: 'expected' }, [])).toBeUndefined();
  });

  it('a volume that is out is unmounted until no pod names it', () => {
    const going = pod('hp-volume-1', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const out = { target: '', phase: 'UnMountedFromPod' };
    expect(data(vmi([], ['data']), {}, {}, [pod('hp-volume-1')])).toMatchObject({
      ...out,
      reason: 'VolumeUnMountedFromPod',
    });
    expect(data(vmi([], ['data']), {}, {}, [going])).toMatchObject({
      ...out,
      reason: 'SuccessfulDelete',
      message: 'Deleted hotplug attachment pod hp-volume-1, for volume data',
    });
    expect(data(vmi([], ['data']), {}, {}, [])).toBeUndefined();
  });
});
