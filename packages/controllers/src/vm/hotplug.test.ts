import { describe, expect, it } from 'vitest';
import type { Vm, Vmi } from '../kinds.ts';
import { pluggedSpec, withoutHotplug } from './hotplug.ts';
import { restartRequired } from './restartRequired.ts';

type Spec = Vmi['spec'];

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
const vmi = (plugged: Record<string, string>, known: readonly string[] = Object.keys(plugged)): Vmi => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: {},
  spec: spec(plugged),
  status: { volumeStatus: known.map((name) => ({ name, target: 'sda' })) },
});
const names = (of: ReturnType<typeof pluggedSpec>) =>
  of && [of.volumes.map(({ name }) => name), of.disks.map(({ name }) => name)];

describe('an instance follows its machine', () => {
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
  ])('%s', (_, machine, instance, expected) => {
    expect(names(pluggedSpec(machine, instance))).toEqual(expected);
  });
});

it('what comes and goes needs no restart, and nothing else is let through with it', () => {
  expect(restartRequired(vm({}), vm({ a: '1' }))).toBeUndefined();
  const other = { template: { spec: { ...spec({ a: '1' }), hostname: 'x' } } };
  expect(restartRequired(vm({}), other)).toMatchObject({ type: 'RestartRequired' });
  expect(withoutHotplug(spec({ a: '1' }))).toEqual(spec({}));
});
