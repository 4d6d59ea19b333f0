import { Namespace } from '@vireo/api';
import { HarvesterQuota, QUOTA_NAME } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { ignoreNotFound } from '@vireo/kube';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';
import { boundClaim } from './claims.ts';

const GIBIBYTE = 1024 ** 3;
const INSUFFICIENT = 'harvesterhci.io/insufficient-resource-quota';

const off = (name: string, { vms }: ContractContext) => vms.createVm(name);
const space = (name: string, { client }: ContractContext) => client.of(Namespace).create({ metadata: { name } });

const limitsOf = async (namespace: string, { client }: ContractContext) =>
  (await client.of(HarvesterQuota).find(QUOTA_NAME, { namespace }))?.spec?.snapshotLimit;

/** Limits what snapshots of the VM may take, which the other cases' VMs are not told by. */
async function limit(vm: string, bytes: number, { client }: ContractContext): Promise<void> {
  const quotas = client.of(HarvesterQuota);
  const snapshotLimit = { vmTotalSnapshotSizeQuota: { [vm]: bytes } };
  await quotas
    .patch(QUOTA_NAME, { spec: { snapshotLimit } }, { ...at, type: 'merge' })
    .catch(ignoreNotFound)
    .then((found) => found ?? quotas.create({ metadata: { name: QUOTA_NAME, ...at }, spec: { snapshotLimit } }));
}

/** A VM with a disk of 1Gi. */
const withDisk = async (name: string, context: ContractContext): Promise<void> => {
  await boundClaim(name, context);
  await context.vms.createVm(name, 'Halted', {
    template: {
      spec: {
        domain: { devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] }, memory: { guest: '64Mi' } },
        volumes: [{ name: 'root', persistentVolumeClaim: { claimName: name } }],
      },
    },
  });
};

const update = (quantity: string) => ({ totalSnapshotSizeQuota: quantity });

/** How much snapshots may take. */
export const QUOTA_CASES: readonly ContractCase[] = [
  {
    action: 'virtualmachines/updateResourceQuota',
    is: 'success',
    given: off,
    body: update('20Gi'),
    expect: { status: 204 },
    after: async (name, context) => {
      const limits = await limitsOf('default', context);
      expect(limits?.vmTotalSnapshotSizeQuota?.[name]).toBe(20 * GIBIBYTE);
    },
  },
  {
    action: 'virtualmachines/updateResourceQuota',
    is: 'bad body',
    when: 'it is no quantity',
    given: off,
    body: update('much'),
    expect: { status: 422, message: 'totalSnapshotSizeQuota: Invalid value: "much": must be a quantity' },
  },
  {
    action: 'virtualmachines/updateResourceQuota',
    is: 'bad body',
    when: 'it is less than nothing',
    given: off,
    body: update('-1Gi'),
    expect: { status: 422, message: 'must not be negative' },
  },
  {
    action: 'virtualmachines/updateResourceQuota',
    is: 'bad body',
    when: 'it is no whole number',
    given: off,
    body: update('1500m'),
    expect: { status: 422, message: 'must be a whole number of bytes' },
  },
  {
    action: 'virtualmachines/deleteResourceQuota',
    is: 'success',
    given: async (name, context) => {
      await off(name, context);
      await limit(name, GIBIBYTE, context);
    },
    expect: { status: 204 },
    after: async (name, context) => {
      expect((await limitsOf('default', context))?.vmTotalSnapshotSizeQuota ?? {}).not.toHaveProperty(name);
    },
  },
  {
    action: 'namespaces/updateResourceQuota',
    is: 'success',
    given: space,
    body: update('1Gi'),
    expect: { status: 200 },
    after: async (name, context) => {
      expect(await limitsOf(name, context)).toEqual({ namespaceTotalSnapshotSizeQuota: GIBIBYTE });
    },
  },
  {
    action: 'namespaces/updateResourceQuota',
    is: 'success',
    when: 'no limit, where there is none',
    given: space,
    body: update('0'),
    expect: { status: 200 },
    after: async (name, context) => expect(await limitsOf(name, context)).toBeUndefined(),
  },
  {
    action: 'namespaces/deleteResourceQuota',
    is: 'success',
    given: async (name, context) => {
      await space(name, context);
      await context.client.of(HarvesterQuota).create({
        metadata: { name: QUOTA_NAME, namespace: name },
        spec: { snapshotLimit: { namespaceTotalSnapshotSizeQuota: 5, vmTotalSnapshotSizeQuota: { web: 7 } } },
      });
    },
    expect: { status: 200 },
    after: async (name, context) => {
      const left = { namespaceTotalSnapshotSizeQuota: 0, vmTotalSnapshotSizeQuota: { web: 7 } };
      expect(await limitsOf(name, context)).toEqual(left);
    },
  },
  {
    action: 'namespaces/deleteResourceQuota',
    is: 'success',
    when: 'there is none',
    given: space,
    expect: { status: 200 },
    after: async (name, context) => expect(await limitsOf(name, context)).toBeUndefined(),
  },
  {
    action: 'virtualmachines/snapshot',
    is: 'success',
    when: 'the quota has room for it',
    given: async (name, context) => {
      await withDisk(name, context);
      await limit(name, GIBIBYTE, context);
    },
    body: (name: string) => ({ name: `${name}-snap` }),
    expect: { status: 204 },
  },
  {
    action: 'virtualmachines/snapshot',
    is: 'wrong state',
    when: 'the quota has no room for it',
    given: async (name, context) => {
      await withDisk(name, context);
      await limit(name, GIBIBYTE - 1, context);
    },
    body: (name: string) => ({ name: `${name}-snap` }),
    expect: { status: 403, message: 'requested: 1Gi, used: 0, limited: 1073741823' },
  },
  {
    action: 'persistentvolumeclaims/snapshot',
    is: 'wrong state',
    when: 'the quota of its VM has no room for it',
    given: async (name, context) => {
      await withDisk(name, context);
      await limit(name, 1, context);
    },
    body: (name: string) => ({ name: `${name}-snap` }),
    expect: { status: 403, message: 'exceeded quota of snapshots of VirtualMachine default/' },
  },
  {
    action: 'virtualmachines/dismissInsufficientResourceQuota',
    is: 'success',
    given: async (name, context) => {
      await off(name, context);
      const metadata = { annotations: { [INSUFFICIENT]: 'exceeded quota' } };
      await context.client.of(VirtualMachine).patch(name, { metadata }, { ...at, type: 'merge' });
    },
    expect: { status: 204 },
    after: async (name, { client }) => {
      const { metadata } = await client.of(VirtualMachine).get(name, at);
      expect(metadata.annotations ?? {}).not.toHaveProperty([INSUFFICIENT]);
    },
  },
  {
    action: 'virtualmachines/dismissInsufficientResourceQuota',
    is: 'wrong state',
    given: off,
    expect: { status: 409, message: 'no quota is in its way' },
  },
];
