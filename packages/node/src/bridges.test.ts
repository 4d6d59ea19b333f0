import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { Pod } from '@vireo/api';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorVm } from './testing/vms.ts';

const BRIDGE = `vtest${process.pid % 100_000}`;
const isRoot = process.getuid?.() === 0;
const ip = (...args: string[]): unknown => execFileSync('ip', args, { stdio: 'ignore' });
const joined = (): Promise<string[]> => readdir(`/sys/class/net/${BRIDGE}/brif`);

let cluster: TestCluster;

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
    cluster = await startTestCluster();
  });
  afterAll(async () => {
    await cluster?.close();
    ip('link', 'del', BRIDGE);
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

  it('is joined, and left without a trace', async () => {
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
    await cluster.admin.of(VirtualMachine).delete('web', { namespace: NAMESPACE });
    await cluster.vms.gone('web');
    await vi.waitFor(async () => expect(await joined()).toEqual([]));
  });
});
