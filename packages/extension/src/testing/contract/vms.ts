import { PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { expect } from 'vitest';
import { PAUSED } from '../harvester.ts';
import { at, type ContractCase, type ContractContext } from './case.ts';

const off = (name: string, { vms }: ContractContext) => vms.createVm(name);

const running =
  (runStrategy = 'Always', status: object = {}) =>
  async (name: string, { vms }: ContractContext) => {
    await vms.createVm(name, runStrategy);
    await vms.createVmi(name, status);
  };

const strategyIs =
  (strategy: string) =>
  async (name: string, { vms }: ContractContext) => {
    expect((await vms.vms.get(name, at)).spec.runStrategy).toBe(strategy);
  };

const askedOfNode =
  (what: string) =>
  async (name: string, { node }: ContractContext) => {
    expect(node.asked).toContain(`PUT /v1/namespaces/default/virtualmachineinstances/${name}/${what}`);
  };

const claimOf = (name: string): string => `${name}-data`;

/** A claim that nothing gives a volume. */
const claim = ({ client }: ContractContext, name: string, storageClassName: string) =>
  client.of(PersistentVolumeClaim).create({
    metadata: { name: claimOf(name), ...at },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } },
  });

/** The same of a class whose claims get their volumes when a VM needs them. */
async function lateClaim(context: ContractContext, name: string): Promise<void> {
  const classes = context.client.of(StorageClass);
  await classes.create({
    metadata: { name },
    provisioner: 'example.org/none',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await claim(context, name, name);
}

const volumesOf = async (name: string, { vms }: ContractContext) =>
  (await vms.vms.get(name, at)).spec.template.spec?.volumes ?? [];

/** A VM with one disk that can be unplugged. */
const withDisk = (name: string, { vms }: ContractContext, hotpluggable = true) =>
  vms.createVm(name, 'Halted', {
    template: {
      spec: {
        domain: { devices: { disks: [{ name: 'data', disk: { bus: 'scsi' } }] }, memory: { guest: '64Mi' } },
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claimOf(name), hotpluggable } }],
      },
    },
  });

const vm = (action: string): string => `virtualmachines/${action}`;

/** Actions on VMs that are done with what KubeVirt has. */
export const VM_CASES: readonly ContractCase[] = [
  { action: vm('start'), is: 'success', given: off, expect: { status: 204 }, after: strategyIs('Always') },
  {
    action: vm('start'),
    is: 'success',
    when: 'the VM was stopped',
    given: (name, { vms }) =>
      vms.vms.create({
        metadata: { name, ...at, annotations: { 'harvesterhci.io/vmRunStrategy': 'RerunOnFailure' } },
        spec: {
          runStrategy: 'Halted',
          template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } },
        },
      }),
    expect: { status: 204 },
    after: strategyIs('RerunOnFailure'),
  },
  {
    action: vm('start'),
    is: 'wrong state',
    given: running(),
    expect: { status: 409, message: 'VM is already running' },
  },
  {
    action: vm('start'),
    is: 'wrong state',
    when: 'a claim is missing',
    given: (name, context) => withDisk(name, context, false),
    expect: { status: 409, message: 'which does not exist' },
    after: strategyIs('Halted'),
  },
  { action: vm('stop'), is: 'success', given: running(), expect: { status: 204 }, after: strategyIs('Halted') },
  {
    action: vm('stop'),
    is: 'success',
    when: 'it is off',
    given: off,
    expect: { status: 204 },
    after: strategyIs('Halted'),
  },
  {
    action: vm('restart'),
    is: 'success',
    given: running(),
    expect: { status: 204 },
    after: async (name, { vms }) => {
      const { status } = await vms.vms.get(name, at);
      expect(status?.stateChangeRequests?.map(({ action }) => action)).toEqual(['Stop', 'Start']);
    },
  },
  {
    action: vm('restart'),
    is: 'wrong state',
    given: off,
    expect: { status: 409, message: 'Halted does not support manual restart requests' },
  },
  { action: vm('pause'), is: 'success', given: running(), expect: { status: 204 }, after: askedOfNode('pause') },
  {
    action: vm('pause'),
    is: 'wrong state',
    given: running('Always', PAUSED),
    expect: { status: 409, message: 'VMI is already paused' },
  },
  {
    action: vm('unpause'),
    is: 'success',
    given: running('Always', PAUSED),
    expect: { status: 204 },
    after: askedOfNode('unpause'),
  },
  {
    action: vm('unpause'),
    is: 'wrong state',
    given: running(),
    expect: { status: 409, message: 'VMI is not paused' },
  },
  {
    action: vm('softreboot'),
    is: 'success',
    given: running(),
    expect: { status: 204 },
    after: askedOfNode('softreboot'),
  },
  { action: vm('softreboot'), is: 'wrong state', given: off, expect: { status: 409, message: 'VM is not running' } },
  {
    action: vm('forceStop'),
    is: 'success',
    given: running(),
    expect: { status: 204 },
    after: async (name, context) => {
      await strategyIs('Halted')(name, context);
      expect((await context.vms.vmis.get(name, at)).spec.terminationGracePeriodSeconds).toBe(0);
    },
  },
  {
    action: vm('addVolume'),
    is: 'success',
    given: async (name, context) => {
      await lateClaim(context, name);
      await off(name, context);
    },
    // The names of fields are written in any case, as Harvester takes them.
    body: (name: string) => ({ DiskName: 'data', volumeSourceName: claimOf(name) }),
    expect: { status: 204 },
    after: async (name, context) => {
      expect(await volumesOf(name, context)).toEqual([
        { name: 'data', persistentVolumeClaim: { claimName: claimOf(name), hotpluggable: true } },
      ]);
    },
  },
  {
    action: vm('addVolume'),
    is: 'wrong state',
    given: async (name, context) => {
      await claim(context, name, 'at-once');
      await off(name, context);
    },
    body: (name: string) => ({ diskName: 'data', volumeSourceName: claimOf(name) }),
    expect: { status: 409, message: 'it is Pending; wait until it is Bound' },
  },
  {
    action: vm('addVolume'),
    is: 'bad body',
    when: 'there is no such claim',
    given: off,
    body: { diskName: 'data', volumeSourceName: 'nothing' },
    expect: { status: 404, message: 'persistentvolumeclaims "nothing" not found' },
  },
  {
    action: vm('removeVolume'),
    is: 'success',
    given: withDisk,
    body: { diskName: 'data' },
    expect: { status: 204 },
    after: async (name, context) => {
      expect(await volumesOf(name, context)).toEqual([]);
    },
  },
  {
    action: vm('removeVolume'),
    is: 'wrong state',
    given: off,
    body: { diskName: 'data' },
    expect: { status: 409, message: 'Unable to remove volume [data] because it does not exist' },
  },
];
