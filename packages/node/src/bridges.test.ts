import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { conditionOf, Pod } from '@vireo/api';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiClient } from './testing/apiClient.ts';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorVm } from './testing/vms.ts';

const BRIDGE = `vtest${process.pid % 100_000}`;
const isRoot = process.getuid?.() === 0;
const ip = (...args: string[]): unknown => execFileSync('ip', args, { stdio: 'ignore' });
const OTHER = `vother${process.pid % 100_000}`;
const joined = (bridge = BRIDGE): Promise<string[]> => readdir(`/sys/class/net/${bridge}/brif`);

let cluster: TestCluster;

type Template = NonNullable<VirtualMachine['spec']['template']['spec']>;

const networks = [
  { name: 'default', pod: {} },
  { name: 'blue', multus: { networkName: 'blue' } },
];
const machine = (name: string): VirtualMachine => {
  const { domain } = bootSectorVm(name).spec.template.spec ?? {};
  const interfaces = [
    { name: 'default', masquerade: {} },
    { name: 'blue', bridge: {}, macAddress: '02:00:00:00:be:ef', state: 'down' },
  ];
  return bootSectorVm(name, {
    networks,
    domain: { ...domain, devices: { ...domain?.devices, interfaces } },
  } as Parameters<typeof bootSectorVm>[1]);
};

describe.runIf(isRoot)('a network of the node', () => {
  beforeAll(async () => {
    ip('link', 'add', 'name', BRIDGE, 'type', 'bridge');
    ip('link', 'add', 'name', OTHER, 'type', 'bridge');
    cluster = await startTestCluster();
  });
  afterAll(async () => {
    await cluster?.close();
    ip('link', 'del', BRIDGE);
    ip('link', 'del', OTHER);
  });

  it('that is not there is waited for, and named', async () => {
    await cluster.admin.of(VirtualMachine).create(machine('web'));
    await vi.waitFor(
      async () => {
        const { items } = await cluster.admin.of(Pod).list({ namespace: NAMESPACE });
        expect(items[0]?.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
          reason: 'CreateContainerConfigError',
          message: `network "blue": NetworkAttachmentDefinition ${NAMESPACE}/blue does not exist`,
        });
      },
      { timeout: 20_000 },
    );
  });

  it('is joined', async () => {
    const config = JSON.stringify({ cniVersion: '0.3.1', type: 'bridge', bridge: BRIDGE });
    await cluster.admin
      .of(NetworkAttachmentDefinition)
      .create({ metadata: { name: 'blue', namespace: NAMESPACE }, spec: { config } });
    const vmi = await cluster.vmis.until('web', ({ status }) => status?.phase === 'Running');
    expect(vmi.status?.interfaces).toMatchObject([
      { name: 'default', linkState: 'up', podInterfaceName: 'eth0' },
      { name: 'blue', linkState: 'down', mac: '02:00:00:00:be:ef' },
    ]);
    expect(await joined()).toHaveLength(1);
  });

  const define = (name: string, bridge: string): Promise<unknown> =>
    cluster.admin.of(NetworkAttachmentDefinition).create({
      metadata: { name, namespace: NAMESPACE },
      spec: { config: JSON.stringify({ cniVersion: '0.3.1', type: 'bridge', bridge }) },
    });
  /** Changes the card `green` of the VM, and that of the network of the same name. */
  const change = async (card: object, networkName: string): Promise<void> => {
    const { spec } = await cluster.vms.until('web');
    const { domain, networks = [] } = spec.template.spec as Template;
    const others = <T extends { name: string }>(all: readonly T[] = []) => all.filter(({ name }) => name !== 'green');
    const interfaces = [...others(domain.devices.interfaces), { name: 'green', bridge: {}, ...card }];
    const template = {
      domain: { devices: { interfaces } },
      networks: [...others(networks), { name: 'green', multus: { networkName } }],
    };
    const patch = { spec: { template: { spec: template } } };
    await cluster.admin.of(VirtualMachine).patch('web', patch, { namespace: NAMESPACE, type: 'merge' });
  };
  const green = ({ status }: VirtualMachineInstance) => status?.interfaces?.find(({ name }) => name === 'green');
  const problem = ({ status }: VirtualMachineInstance) =>
    status?.conditions?.find(({ type }) => type === 'Synchronized')?.message;
  /** Has the VMI looked at again, which happens after some seconds anyway. */
  const touch = () =>
    cluster.admin
      .of(VirtualMachineInstance)
      .patch(
        'web',
        { metadata: { annotations: { touched: `${Date.now()}` } } },
        { namespace: NAMESPACE, type: 'merge' },
      );

  it('that is missing does not harm a guest that runs, and is joined when it is there', async () => {
    await change({ macAddress: '02:00:00:00:00:77' }, 'green');
    const waiting = await cluster.vmis.until('web', (vmi) => problem(vmi) !== undefined);
    expect(problem(waiting)).toBe(
      `network interface "green" cannot be connected: network "green": NetworkAttachmentDefinition ${NAMESPACE}/green does not exist`,
    );
    expect(waiting.status?.phase).toBe('Running');
    await define('green', BRIDGE);
    await touch();
    const plugged = await cluster.vmis.until('web', (vmi) => green(vmi) !== undefined && problem(vmi) === undefined);
    expect(green(plugged)).toMatchObject({
      mac: '02:00:00:00:00:77',
      linkState: 'up',
      infoSource: 'domain, multus-status',
    });
    expect(await joined()).toHaveLength(2);
    expect(conditionOf(await cluster.vms.until('web'), 'RestartRequired')).toBeUndefined();
  });

  it('is exchanged for another while the guest has the card, and its cable is pulled out', async () => {
    await define('other', OTHER);
    await change({ macAddress: '02:00:00:00:00:77', state: 'down' }, 'other');
    await cluster.vmis.until('web', (vmi) => green(vmi)?.linkState === 'down');
    expect([await joined(), await joined(OTHER)].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('is left when the guest lets go of the card, across a restart of the agent', async () => {
    await change({ macAddress: '02:00:00:00:00:77', state: 'absent' }, 'other');
    await cluster.vmis.until(
      'web',
      ({ spec }) => !!spec.domain.devices.interfaces?.some(({ name, state }) => name === 'green' && state === 'absent'),
    );
    await cluster.restartNode();
    const api = await ApiClient.listen(() => cluster.node, dirname(cluster.layout.libvirt));
    // There is no system in this guest to let go of a card; a reset does it.
    await vi.waitFor(
      async () => {
        await api.ask('PUT', 'web', 'reset');
        expect(await joined(OTHER)).toEqual([]);
      },
      { timeout: 20_000, interval: 500 },
    );
    await api[Symbol.asyncDispose]();
    const left = ({ name }: { name?: string }): string | undefined => name;
    const { spec, status } = await cluster.vmis.until(
      'web',
      (vmi) => !green(vmi) && vmi.spec.domain.devices.interfaces?.length === 2,
    );
    expect([spec.networks?.map(left), status?.interfaces?.map(left)]).toEqual([
      ['default', 'blue'],
      ['default', 'blue'],
    ]);
    await cluster.vms.until('web', (vm) => vm.spec.template.spec?.networks?.length === 2);
  });

  it('is left without a trace when the guest ends', async () => {
    await cluster.admin.of(VirtualMachine).delete('web', { namespace: NAMESPACE });
    await cluster.vms.gone('web');
    await vi.waitFor(async () => expect(await joined()).toEqual([]));
  });
});
