import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { vmiWith } from '../testing/objects.ts';
import { pluggedSpec, withoutHotplug } from './hotplug.ts';
import { restartRequired as needed } from './restartRequired.ts';

type Spec = Vmi['spec'];

const restartRequired = (started: Vm['spec'], current: Vm['spec']) =>
  needed(started, current, vmiWith(), { isStaged: false });

const spec = (plugged: Readonly<Record<string, string>>): Spec => ({
  domain: {
    devices: { disks: ['root', ...Object.keys(plugged)].map((name) => ({ name, disk: { bus: 'scsi' } })) },
  },
  volumes: [
    { name: 'root', containerDisk: { image: 'x' } },
    ...Object.entries(plugged).map(([name, claimName]) => ({
      name,
      persistentVolumeClaim: { claimName, hotpluggable: true },
    })),
  ],
});
const vm = (plugged: Record<string, string>): Vm['spec'] => ({ template: { spec: spec(plugged) } });
const vmi = (plugged: Record<string, string>, known: readonly string[] = Object.keys(plugged)): Vmi =>
  vmiWith({ volumeStatus: known.map((name) => ({ name, target: 'sda' })) }, {}, spec(plugged));
const names = (of: ReturnType<typeof pluggedSpec>) =>
  of && [of.volumes.map(({ name }) => name), of.disks.map(({ name }) => name)];

describe('a VMI follows its VM', () => {
  it.each<[string, Vm['spec'], Vmi, unknown]>([
    ['nothing to do', vm({ a: '1' }), vmi({ a: '1' }), undefined],
    [
      'a volume comes',
      vm({ a: '1', b: '2' }),
      vmi({ a: '1' }),
      [
        ['root', 'a', 'b'],
        ['root', 'a', 'b'],
      ],
    ],
    ['a volume goes', vm({}), vmi({ a: '1' }), [['root'], ['root']]],
    ['one is exchanged: first it goes', vm({ a: '2' }), vmi({ a: '1' }), [['root'], ['root']]],
    ['and is waited for', vm({ a: '2' }), vmi({}, ['a']), undefined],
    [
      'then the other comes',
      vm({ a: '2' }),
      vmi({}),
      [
        ['root', 'a'],
        ['root', 'a'],
      ],
    ],
  ])('%s', (_, vm, vmi, expected) => {
    expect(names(pluggedSpec(vm, vmi))).toEqual(expected);
  });
});

describe('a CD-ROM drive', () => {
  const drives = (claims: Readonly<Record<string, string | undefined>>): Spec => ({
    domain: { devices: { disks: Object.keys(claims).map((name) => ({ name, cdrom: { bus: 'sata' } })) } },
    volumes: Object.entries(claims).flatMap(([name, claimName]) =>
      claimName ? [{ name, persistentVolumeClaim: { claimName, hotpluggable: true } }] : [],
    ),
  });
  const vmOf = (claims: Record<string, string | undefined>): Vm['spec'] => ({ template: { spec: drives(claims) } });
  const vmiOf = (claims: Record<string, string | undefined>, reported: readonly string[] = []): Vmi => ({
    ...vmi({}, reported),
    spec: drives(claims),
  });
  const discs = (of: ReturnType<typeof pluggedSpec>) =>
    of && [of.volumes.map((each) => each.persistentVolumeClaim?.claimName), of.disks.map(({ name }) => name)];

  it.each<[string, Vm['spec'], Vmi, unknown]>([
    ['has its disc', vmOf({ cd: 'a' }), vmiOf({ cd: 'a' }), undefined],
    ['gets a disc', vmOf({ cd: 'a' }), vmiOf({ cd: undefined }), [['a'], ['cd']]],
    ['gives it out and stays', vmOf({ cd: undefined }), vmiOf({ cd: 'a' }), [[], ['cd']]],
    ['exchanges it in one go', vmOf({ cd: 'b' }), vmiOf({ cd: 'a' }, ['cd']), [['b'], ['cd']]],
    ['takes the next while the last is leaving', vmOf({ cd: 'b' }), vmiOf({ cd: undefined }, ['cd']), [['b'], ['cd']]],
    ['gives it out when it is to go itself, and goes later', vmOf({}), vmiOf({ cd: 'a' }), [[], ['cd']]],
    ['that is new comes later, with its disc', vmOf({ cd: 'a' }), vmiOf({}), undefined],
  ])('%s', (_, wanted, running, expected) => {
    expect(discs(pluggedSpec(wanted, running))).toEqual(expected);
  });

  it('needs a restart to come or go, and says so; its discs need none', () => {
    expect(restartRequired(vmOf({ cd: undefined }), vmOf({ cd: 'a' }))).toBeUndefined();
    expect(restartRequired(vmOf({ cd: 'a' }), vmOf({ cd: 'b' }))).toBeUndefined();
    expect(restartRequired(vmOf({ cd: 'a' }), vmOf({}))?.message).toContain(
      'CD-ROM drive cd will be removed by a restart',
    );
    expect(restartRequired(vmOf({}), vmOf({ cd: 'a' }))?.message).toContain(
      'CD-ROM drive cd will be added by a restart',
    );
    const bare = { template: { spec: { domain: { devices: drives({ cd: 'a' }).domain.devices } } } };
    expect(restartRequired(bare, vmOf({ cd: 'a' }))).toBeUndefined();
  });
});

it('what comes and goes needs no restart, and nothing else is let through with it', () => {
  expect(restartRequired(vm({}), vm({ a: '1' }))).toBeUndefined();
  const other = { template: { spec: { ...spec({ a: '1' }), hostname: 'x' } } };
  expect(restartRequired(vm({}), other)).toMatchObject({ type: 'RestartRequired' });
  expect(withoutHotplug(spec({ a: '1' }))).toEqual(spec({}));
});
