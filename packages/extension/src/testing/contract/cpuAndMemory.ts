import { CPU_AND_MEMORY_HOTPLUG } from '@vireo/api/kinds/harvester/names.ts';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';

const action = 'virtualmachines/cpuAndMemoryHotplug';

/** A running VM that may be changed, or not. */
const running =
  (isAllowed = true, cores = 1) =>
  async (name: string, { vms }: ContractContext) => {
    const spec = { domain: { devices: {}, cpu: { sockets: 1, cores }, memory: { guest: '64Mi' } } };
    await vms.createVm(name, 'Always', { template: { spec } });
    const annotations = { [CPU_AND_MEMORY_HOTPLUG]: String(isAllowed) };
    await vms.vms.patch(name, { metadata: { annotations } }, { ...at, type: 'merge' });
    await vms.createVmi(name, {}, { spec });
  };

const domainOf = async (name: string, { vms }: ContractContext) =>
  (await vms.vms.get(name, at)).spec.template.spec?.domain;

/** CPUs and memory of running VMs. */
export const SIZE_CASES: readonly ContractCase[] = [
  {
    action,
    is: 'success',
    given: running(),
    body: { sockets: 2, memory: '128Mi' },
    expect: { status: 204 },
    after: async (name, context) =>
      expect(await domainOf(name, context)).toMatchObject({
        cpu: { sockets: 2, cores: 1 },
        memory: { guest: '128Mi' },
      }),
  },
  {
    action,
    is: 'success',
    when: 'nothing is asked for',
    given: running(),
    body: { sockets: 0, memory: '' },
    expect: { status: 204 },
    after: async (name, context) =>
      expect(await domainOf(name, context)).toMatchObject({ cpu: { sockets: 1 }, memory: { guest: '64Mi' } }),
  },
  {
    action,
    is: 'wrong state',
    given: async (name, { vms }) => void (await vms.createVm(name)),
    body: { sockets: 2 },
    expect: { status: 409, message: 'it is not running; edit spec.template, and start it' },
  },
  {
    action,
    is: 'wrong state',
    when: 'its annotation does not allow it',
    given: running(false),
    body: { sockets: 2 },
    expect: { status: 409, message: `its annotation ${CPU_AND_MEMORY_HOTPLUG} is not "true"` },
  },
  {
    action,
    is: 'wrong state',
    when: 'its sockets have several cores',
    given: running(true, 2),
    body: { sockets: 2 },
    expect: { status: 409, message: 'its CPU sockets have more than one core or thread' },
  },
  {
    action,
    is: 'bad body',
    when: 'the memory is no quantity',
    given: running(),
    body: { memory: 'much' },
    expect: { status: 422, message: 'memory' },
  },
];
