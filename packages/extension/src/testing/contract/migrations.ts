import { isConditionTrue, Node, Pod } from '@vireo/api';
import { MIGRATION_TARGET_NODE } from '@vireo/api/kinds/harvester/names.ts';
import { isFinalMigration, Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';

const vm = (action: string): string => `virtualmachines/${action}`;
const other = (name: string): string => `${name}-other`;

/** A running VM, and one more node that would take it. */
async function movable(name: string, { client, vms }: ContractContext, nodeName = 'n1'): Promise<void> {
  const labels = { for: name, 'kubernetes.io/hostname': other(name), 'kubevirt.io/schedulable': 'true' };
  await client.of(Node).create({ metadata: { name: other(name), labels } });
  const now = new Date().toISOString();
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now }];
  await client.of(Node).patchStatus(other(name), { status: { conditions } }, { type: 'merge' });
  const spec = { nodeSelector: { for: name }, domain: { devices: {}, memory: { guest: '64Mi' } } };
  await vms.createVm(name, 'Always', { template: { spec } });
  const vmi = await vms.createVmi(name, { nodeName, conditions: [{ type: 'Ready', status: 'True' }] }, { spec });
  await client.of(Pod).create({
    metadata: { name: `virt-launcher-${name}`, ...at, labels: { 'kubevirt.io/created-by': vmi.metadata.uid } },
    spec: { containers: [{ name: 'compute', image: 'i' }], nodeSelector: { for: name } },
  });
}

const moving = async (name: string, context: ContractContext): Promise<void> => {
  await movable(name, context);
  await context.client.of(Migration).create({ metadata: { name, ...at }, spec: { vmiName: name } });
};

const off = (name: string, { vms }: ContractContext) => vms.createVm(name);

const migrationOf = async (name: string, { client }: ContractContext) =>
  (await client.of(Migration).list(at)).items.find(
    ({ spec, ...rest }) => spec.vmiName === name && !isFinalMigration({ spec, ...rest }),
  );

/** VMs that move to other nodes. */
export const MIGRATION_CASES: readonly ContractCase[] = [
  {
    action: vm('migrate'),
    is: 'success',
    given: movable,
    body: { nodeName: '' },
    expect: { status: 204 },
    after: async (name, context) => {
      const migration = await migrationOf(name, context);
      expect(migration?.metadata.name).toMatch(new RegExp(`^${name}-`));
      expect(migration?.spec).toEqual({ vmiName: name });
    },
  },
  {
    action: vm('migrate'),
    is: 'success',
    when: 'a node is chosen',
    given: movable,
    body: (name: string) => ({ nodeName: other(name) }),
    expect: { status: 204 },
    after: async (name, context) => {
      const migration = await migrationOf(name, context);
      expect(migration?.spec.addedNodeSelector).toEqual({ 'kubernetes.io/hostname': other(name) });
      // Its controller, which does not run here, tells it on the VMI.
      expect(migration?.metadata.annotations?.[MIGRATION_TARGET_NODE]).toBe(other(name));
      const vmi = await context.vms.vmis.get(name, at);
      expect(vmi.metadata.annotations ?? {}).not.toHaveProperty([MIGRATION_TARGET_NODE]);
      expect(isConditionTrue(vmi, 'Ready')).toBe(true);
    },
  },
  {
    action: vm('migrate'),
    is: 'bad body',
    when: 'no such node would take it',
    given: movable,
    body: { nodeName: 'moon' },
    expect: { status: 422, message: 'nodeName' },
  },
  {
    action: vm('migrate'),
    is: 'wrong state',
    given: off,
    expect: { status: 409, message: 'it is not running' },
  },
  {
    action: vm('abortMigration'),
    is: 'success',
    given: moving,
    expect: { status: 204 },
    after: async (name, { client }) => {
      // Its controller lets it go, which does not run here.
      expect((await client.of(Migration).get(name, at)).metadata.deletionTimestamp).toBeDefined();
    },
  },
  {
    action: vm('abortMigration'),
    is: 'wrong state',
    given: movable,
    expect: { status: 409, message: 'it is not being migrated' },
  },
  {
    action: vm('findMigratableNodes'),
    is: 'success',
    given: movable,
    expect: { status: 200 },
    after: async (name, { client }) => {
      const path = `/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/${name}/findMigratableNodes`;
      expect(await client.call({ method: 'GET', path })).toEqual({ nodes: [other(name)] });
    },
  },
  {
    action: vm('findMigratableNodes'),
    is: 'success',
    when: 'no other node has the processor that the guest has seen',
    given: async (name, context) => {
      const source = `${name}-source`;
      const labels = { 'cpu-vendor.node.kubevirt.io/AMD': 'true' };
      await context.client.of(Node).create({ metadata: { name: source, labels } });
      await movable(name, context, source);
    },
    expect: { status: 200, response: { nodes: [] } },
  },
  {
    action: vm('findMigratableNodes'),
    is: 'wrong state',
    given: off,
    expect: { status: 409, message: 'it is not running' },
  },
];
