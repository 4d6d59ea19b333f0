import { Namespace, Node } from '@vireo/api';
import { INVENTORY_NAMESPACE, INVENTORY_READY, Inventory } from '@vireo/api/kinds/harvester/inventory.ts';
import { ignoreAlreadyExists } from '@vireo/kube';
import { expect } from 'vitest';
import type { ContractCase, ContractContext } from './case.ts';

const nodes = ({ client }: ContractContext) => client.of(Node);

const node =
  (spec: NonNullable<Node['spec']> = {}, metadata: Pick<Node['metadata'], 'labels' | 'annotations'> = {}) =>
  (name: string, context: ContractContext) =>
    nodes(context).create({ metadata: { name, ...metadata }, spec });

const cordoned = node({ unschedulable: true });
const maintained = node(
  { unschedulable: true, taints: [{ key: 'kubevirt.io/drain', effect: 'NoSchedule' }] },
  { annotations: { 'harvesterhci.io/maintain-status': 'completed' } },
);
/** The only one of its kind: whatever else there is has no role. */
const controlPlane = async (name: string, context: ContractContext) => {
  for (const { metadata } of (await nodes(context).list()).items)
    if (metadata.labels?.[CONTROL_PLANE] !== undefined) await nodes(context).delete(metadata.name);
  await node({}, { labels: { [CONTROL_PLANE]: '' } })(name, context);
};
const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

/** With a VMI that could not leave it; `strategy`: what its VM says of that. */
const withGuest = (strategy?: string) => async (name: string, context: ContractContext) => {
  await node()(name, context);
  await guest(name, context, strategy);
};

/** With a VMI that can move, and a node that takes it and no other. */
const withMobileGuest = async (name: string, context: ContractContext) => {
  await node()(name, context);
  const taint = { key: 'only', value: name, effect: 'NoSchedule' } as const;
  const labels = { 'kubevirt.io/schedulable': 'true' };
  const { metadata } = await node({ taints: [taint] }, { labels })(`${name}-other`, context);
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await nodes(context).patchStatus(metadata.name, { status: { conditions } }, { type: 'merge' });
  await guest(name, context, undefined, { tolerations: [{ ...taint, operator: 'Equal' }] });
};

const unreachable = async (name: string, context: ContractContext) => {
  await node()(name, context);
  const conditions = [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await nodes(context).patchStatus(name, { status: { conditions } }, { type: 'merge' });
};

async function guest(name: string, context: ContractContext, strategy?: string, mobile?: object): Promise<void> {
  const { metadata } = await context.vms.createVm(name, 'Always');
  const labels = { 'harvesterhci.io/maintain-mode-strategy': strategy };
  if (strategy) await context.vms.vms.patch(name, { metadata: { labels } }, { namespace: 'default', type: 'merge' });
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid: metadata.uid };
  await context.vms.createVmi(
    name,
    { nodeName: name, ...(mobile && { conditions: [{ type: 'LiveMigratable', status: 'True' }] }) },
    { metadata: { ownerReferences: [{ ...owner, controller: true }] }, spec: { domain: DOMAIN, ...mobile } },
  );
}
const DOMAIN = { devices: {}, memory: { guest: '64Mi' } };

const annotationsAre = (annotations: Record<string, string>) => async (name: string, context: ContractContext) => {
  expect((await nodes(context).get(name)).metadata.annotations ?? {}).toEqual(annotations);
};

const READY = { status: INVENTORY_READY };
/** With an Inventory, which says how its BMC is reached. */
const switchable =
  ({ make = maintained, status = READY }: { make?: typeof maintained; status?: Inventory['status'] } = {}) =>
  async (name: string, context: ContractContext) => {
    await make(name, context);
    const { client } = context;
    await client
      .of(Namespace)
      .create({ metadata: { name: INVENTORY_NAMESPACE } })
      .catch(ignoreAlreadyExists);
    const connection = { host: '192.0.2.1', authSecretRef: { name: 'bmc' } };
    const at = { namespace: INVENTORY_NAMESPACE };
    await client.of(Inventory).create({ metadata: { name, ...at }, spec: { baseboardSpec: { connection } } });
    await client.of(Inventory).patchStatus(name, { status }, { ...at, type: 'merge' });
  };

const of = (action: string): string => `nodes/${action}`;
const ASKED = { 'harvesterhci.io/drain-requested': 'true' };

const cpuManaged = node({}, { labels: { 'kubevirt.io/cpumanager': 'true' } });
/** With a VMI that has CPUs to itself. */
const dedicating = async (name: string, context: ContractContext) => {
  await cpuManaged(name, context);
  await guest(name, context, undefined, {
    domain: { ...DOMAIN, cpu: { cores: 1, dedicatedCpuPlacement: true }, memory: { guest: '64Mi' } },
  });
};
const CPU_MANAGER = 'harvesterhci.io/cpu-manager-update-status';
const updating = node({}, { annotations: { [CPU_MANAGER]: '{"status":"requested","policy":"static"}' } });

/** Actions on nodes. */
export const NODE_CASES: readonly ContractCase[] = [
  {
    action: of('cordon'),
    is: 'success',
    given: node(),
    expect: { status: 204 },
    after: async (name, context) => {
      expect((await nodes(context).get(name)).spec?.unschedulable).toBe(true);
    },
  },
  { action: of('cordon'), is: 'wrong state', given: cordoned, expect: { status: 409, message: 'already cordoned' } },
  {
    action: of('uncordon'),
    is: 'success',
    given: cordoned,
    expect: { status: 204 },
    after: async (name, context) => {
      expect((await nodes(context).get(name)).spec?.unschedulable).toBeUndefined();
    },
  },
  { action: of('uncordon'), is: 'wrong state', given: node(), expect: { status: 409, message: 'already uncordoned' } },
  {
    action: of('uncordon'),
    is: 'wrong state',
    when: 'it is maintained',
    given: maintained,
    expect: { status: 409, message: 'call disableMaintenanceMode' },
  },
  { action: of('maintenancePossible'), is: 'success', given: node(), expect: { status: 204 } },
  {
    action: of('maintenancePossible'),
    is: 'success',
    when: 'its VM can move',
    given: withMobileGuest,
    expect: { status: 204 },
  },
  {
    action: of('maintenancePossible'),
    is: 'wrong state',
    when: 'a VM cannot leave it',
    given: withGuest(),
    expect: { status: 409, message: 'cannot move to another node' },
    after: async (name, { client }) => {
      const path = `/apis/subresources.harvesterhci.io/v1beta1/nodes/${name}/maintenancePossible`;
      await client.call({ method: 'GET', path, query: { force: 'true' } });
    },
  },
  {
    action: of('maintenancePossible'),
    is: 'wrong state',
    given: controlPlane,
    expect: { status: 409, message: 'it is the only control-plane node' },
  },
  {
    action: of('maintenancePossible'),
    is: 'wrong state',
    when: 'it is maintained',
    given: maintained,
    expect: { status: 409, message: 'it is already in maintenance' },
  },
  {
    action: of('maintenancePossible'),
    is: 'wrong state',
    when: 'it is unreachable',
    given: unreachable,
    expect: { status: 409, message: 'it is unreachable, so its VMs can neither move nor shut down' },
  },
  {
    action: of('enableMaintenanceMode'),
    is: 'success',
    when: 'its VM can move',
    given: withMobileGuest,
    expect: { status: 204 },
    after: annotationsAre(ASKED),
  },
  {
    action: of('listUnhealthyVM'),
    is: 'success',
    when: 'its VM can move',
    given: withMobileGuest,
    expect: { status: 200, response: [] },
  },
  {
    action: of('enableMaintenanceMode'),
    is: 'success',
    given: node(),
    body: {},
    expect: { status: 204 },
    after: annotationsAre(ASKED),
  },
  {
    action: of('enableMaintenanceMode'),
    is: 'success',
    when: 'its VM may be shut down',
    given: withGuest('Shutdown'),
    expect: { status: 204 },
    after: annotationsAre(ASKED),
  },
  {
    action: of('enableMaintenanceMode'),
    is: 'success',
    when: 'it is forced',
    given: withGuest(),
    body: { force: 'true' },
    expect: { status: 204 },
    after: annotationsAre({ ...ASKED, 'harvesterhci.io/drain-forced': 'true' }),
  },
  {
    action: of('enableMaintenanceMode'),
    is: 'wrong state',
    when: 'a VM cannot leave it',
    given: withGuest(),
    expect: { status: 409, message: 'cannot move to another node' },
    after: annotationsAre({}),
  },
  {
    action: of('enableMaintenanceMode'),
    is: 'wrong state',
    given: maintained,
    expect: { status: 409, message: 'it is already in maintenance' },
  },
  {
    action: of('enableMaintenanceMode'),
    is: 'bad body',
    given: node(),
    body: { force: 7 },
    expect: { status: 422, message: 'force' },
  },
  {
    action: of('enableMaintenanceMode'),
    is: 'bad body',
    when: 'it says neither yes nor no',
    given: node(),
    body: { force: 'yes' },
    expect: { status: 422, message: 'force: Unsupported value: "yes"' },
    after: annotationsAre({}),
  },
  {
    action: of('disableMaintenanceMode'),
    is: 'success',
    given: maintained,
    expect: { status: 204 },
    after: async (name, context) => {
      await annotationsAre({})(name, context);
      const { spec } = await nodes(context).get(name);
      expect(spec?.unschedulable).toBeUndefined();
      expect(spec?.taints?.map(({ key }) => key) ?? []).not.toContain('kubevirt.io/drain');
    },
  },
  {
    action: of('disableMaintenanceMode'),
    is: 'wrong state',
    given: node(),
    expect: { status: 409, message: 'it is not in maintenance' },
  },
  {
    action: of('listUnhealthyVM'),
    is: 'success',
    given: withGuest(),
    expect: { status: 200, response: [{ message: 'NodeSchedulingRequirementsNotMet' }] },
  },
  {
    action: of('enableCPUManager'),
    is: 'success',
    given: node(),
    expect: { status: 204 },
    after: annotationsAre({ [CPU_MANAGER]: '{"status":"requested","policy":"static"}' }),
  },
  {
    action: of('enableCPUManager'),
    is: 'wrong state',
    given: cpuManaged,
    expect: { status: 409, message: 'its CPU manager is enabled already' },
  },
  {
    action: of('enableCPUManager'),
    is: 'wrong state',
    when: 'it has not done yet what it was asked for',
    given: updating,
    expect: { status: 409, message: 'the policy of its CPU manager is being changed' },
  },
  {
    action: of('disableCPUManager'),
    is: 'success',
    given: cpuManaged,
    expect: { status: 204 },
    after: annotationsAre({ [CPU_MANAGER]: '{"status":"requested","policy":"none"}' }),
  },
  {
    action: of('disableCPUManager'),
    is: 'wrong state',
    given: node(),
    expect: { status: 409, message: 'its CPU manager is disabled already' },
  },
  {
    action: of('disableCPUManager'),
    is: 'wrong state',
    when: 'a VM has CPUs of it to itself',
    given: dedicating,
    expect: { status: 409, message: 'stop or migrate them first: default/' },
    after: annotationsAre({}),
  },
  {
    action: of('powerActionPossible'),
    is: 'success',
    given: switchable(),
    expect: { status: 204 },
  },
  {
    action: of('powerActionPossible'),
    is: 'wrong state',
    when: 'nobody has said how its BMC is reached',
    given: node(),
    expect: { status: 424, message: 'there is no Inventory harvester-system/' },
  },
  {
    action: of('powerActionPossible'),
    is: 'wrong state',
    when: 'its BMC does not answer',
    given: switchable({ status: { conditions: [{ type: 'machineNotContactable', status: 'True', message: 'away' }] } }),
    expect: { status: 409, message: 'its BMC is not ready: away' },
  },
  {
    action: of('powerAction'),
    is: 'success',
    given: switchable(),
    body: { operation: 'reboot' },
    expect: { status: 204 },
    after: async (name, { client }) => {
      const { spec } = await client.of(Inventory).get(name, { namespace: INVENTORY_NAMESPACE });
      expect(spec.powerActionRequested).toBe('reboot');
    },
  },
  {
    action: of('powerAction'),
    is: 'success',
    when: 'the host is to come up, and nobody maintains it',
    given: switchable({ make: node() }),
    body: { operation: 'poweron' },
    expect: { status: 204 },
  },
  {
    action: of('powerAction'),
    is: 'wrong state',
    when: 'nobody has said how its BMC is reached',
    given: maintained,
    body: { operation: 'reboot' },
    expect: { status: 424, message: 'there is no Inventory harvester-system/' },
  },
  {
    action: of('powerAction'),
    is: 'wrong state',
    when: 'VMs may run there',
    given: switchable({ make: node() }),
    body: { operation: 'shutdown' },
    expect: { status: 409, message: 'it is not in maintenance' },
  },
  {
    action: of('powerAction'),
    is: 'wrong state',
    when: 'another operation is under way',
    given: switchable({
      status: { ...READY, powerAction: { actionStatus: 'running', lastActionRequested: 'shutdown' } },
    }),
    body: { operation: 'poweron' },
    expect: { status: 409, message: 'its power operation shutdown is not finished' },
  },
  {
    action: of('powerAction'),
    is: 'bad body',
    given: node(),
    body: { operation: 'explode' },
    expect: { status: 422, message: 'operation' },
  },
];
