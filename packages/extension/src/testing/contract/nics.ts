import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';

const vm = (action: string): string => `virtualmachines/${action}`;

/** A definition of that name, of that CNI type. */
const define = ({ client }: ContractContext, name: string, type: string) =>
  client
    .of(NetworkAttachmentDefinition)
    .create({ metadata: { name, ...at }, spec: { config: JSON.stringify({ type, bridge: 'br1' }) } });

/** A running VM in the pod network and, beside it, with such a card `lab`. Its network has its name. */
const running =
  (lab?: Partial<Interface>, type = 'bridge') =>
  async (name: string, context: ContractContext) => {
    await define(context, name, type);
    const cards = [{ name: 'default', masquerade: {} }, ...(lab ? [{ name: 'lab', bridge: {}, ...lab }] : [])];
    const spec = {
      domain: { devices: { interfaces: cards }, memory: { guest: '64Mi' } },
      networks: [{ name: 'default', pod: {} }, ...(lab ? [{ name: 'lab', multus: { networkName: name } }] : [])],
    };
    await context.vms.createVm(name, 'Always', { template: { spec } });
    await context.vms.createVmi(name, {}, { spec });
  };

const off = async (name: string, context: ContractContext) => {
  await define(context, name, 'bridge');
  await context.vms.createVm(name);
};

const interfacesOf = async (name: string, { vms }: ContractContext) =>
  (await vms.vms.get(name, at)).spec.template.spec?.domain.devices.interfaces;

const pod = { name: 'default', masquerade: {} };
const NOT_RUNNING = 'it is not running; edit spec.template, and start it';

/** Network interfaces of running VMs. */
export const NIC_CASES: readonly ContractCase[] = [
  {
    action: vm('addNic'),
    is: 'success',
    given: running(),
    body: (name: string) => ({ interfaceName: 'lab', networkName: `default/${name}`, macAddress: '' }),
    expect: { status: 204 },
    after: async (name, context) => {
      expect(await interfacesOf(name, context)).toEqual([pod, { name: 'lab', model: 'virtio', bridge: {} }]);
      expect((await context.vms.vms.get(name, at)).spec.template.spec?.networks?.[1]).toEqual({
        name: 'lab',
        multus: { networkName: `default/${name}` },
      });
    },
  },
  {
    action: vm('addNic'),
    is: 'success',
    when: 'the template says nothing of networks',
    given: async (name, context) => {
      await off(name, context);
      await context.vms.createVmi(name);
    },
    body: (name: string) => ({ interfaceName: 'lab', networkName: name }),
    expect: { status: 204 },
    after: async (name, context) => {
      expect(await interfacesOf(name, context)).toMatchObject([{ name: 'default' }, { name: 'lab' }]);
    },
  },
  {
    action: vm('addNic'),
    is: 'wrong state',
    given: off,
    body: (name: string) => ({ interfaceName: 'lab', networkName: name }),
    expect: { status: 409, message: NOT_RUNNING },
  },
  {
    action: vm('addNic'),
    is: 'wrong state',
    when: 'it has an interface of that name',
    given: running({}),
    body: (name: string) => ({ interfaceName: 'lab', networkName: name }),
    expect: { status: 409, message: 'it has an interface lab already' },
  },
  {
    action: vm('addNic'),
    is: 'bad body',
    when: 'there is no such network',
    given: running(),
    body: { interfaceName: 'lab', networkName: 'nothing' },
    expect: { status: 404, message: 'network-attachment-definitions.k8s.cni.cncf.io "nothing" not found' },
  },
  {
    action: vm('addNic'),
    is: 'bad body',
    when: 'the network is not a bridge',
    given: running(undefined, 'sriov'),
    body: (name: string) => ({ interfaceName: 'lab', networkName: name }),
    expect: { status: 422, message: 'is of the CNI type "sriov"; only bridges can be plugged in' },
  },
  {
    action: vm('addNic'),
    is: 'bad body',
    when: 'the address is none',
    given: running(),
    body: (name: string) => ({ interfaceName: 'lab', networkName: name, macAddress: 'x' }),
    expect: { status: 422, message: 'macAddress: Invalid value: "x"' },
  },
  {
    action: vm('removeNic'),
    is: 'success',
    given: running({}),
    body: { interfaceName: 'lab' },
    expect: { status: 204 },
    after: async (name, context) => {
      expect(await interfacesOf(name, context)).toEqual([pod, { name: 'lab', bridge: {}, state: 'absent' }]);
    },
  },
  {
    action: vm('removeNic'),
    is: 'wrong state',
    given: running({ state: 'absent' }),
    body: { interfaceName: 'lab' },
    expect: { status: 409, message: 'interface lab is being unplugged already' },
  },
  {
    action: vm('removeNic'),
    is: 'wrong state',
    when: 'it is not a virtio card',
    given: running({ model: 'e1000' }),
    body: { interfaceName: 'lab' },
    expect: { status: 409, message: 'interface lab has the model e1000, not virtio' },
  },
  {
    action: vm('removeNic'),
    is: 'bad body',
    when: 'there is no such interface',
    given: running({}),
    body: { interfaceName: 'nothing' },
    expect: { status: 422, message: 'interfaceName: Invalid value: "nothing": the VM has no such interface' },
  },
  {
    action: vm('findHotunpluggableNics'),
    is: 'success',
    given: running({}),
    expect: { status: 200, response: { interfaces: ['lab'] } },
  },
  {
    action: vm('findHotunpluggableNics'),
    is: 'wrong state',
    given: off,
    expect: { status: 409, message: NOT_RUNNING },
  },
];
