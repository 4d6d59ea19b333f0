import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { conditionOf, Event, Pod } from '@vireo/api';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { findNetwork, removeNetwork } from '@vireo/network';
import { whyNotRoot } from '@vireo/network/testing/whyNotRoot.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { networkOwner } from './network/owner.ts';
import { ApiClient } from './testing/apiClient.ts';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorVm } from './testing/vms.ts';

const ID = process.pid % 100_000;
const BRIDGE = `vtest${ID}`;
const OTHER = `vother${ID}`;
/** A bridge that does not exist. */
const LAB = `vlab${ID}`;
/** A device for macvtaps, and the other end of its cable. */
const [WIRE, PEER] = [`vwire${ID}`, `vpeer${ID}`];
const ip = (...args: string[]): string =>
  execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
/** Whether the host has IPv6, so that cards get addresses of both families. */
const hasIpv6 = existsSync('/proc/net/if_inet6');
const IPS = ['10.77.0.9', ...(hasIpv6 ? ['fd77:77::9'] : [])];
const joined = (bridge: string): Promise<string[]> => readdir(`/sys/class/net/${bridge}/brif`);
const devices = (): Promise<string[]> => readdir('/sys/class/net');

let cluster: TestCluster;

type Template = NonNullable<VirtualMachine['spec']['template']['spec']>;

interface Card {
  readonly name: string;
  readonly macAddress?: string;
  readonly state?: string;
}
const machine = (name: string, ...cards: Card[]): VirtualMachine => {
  const { domain } = bootSectorVm(name).spec.template.spec ?? {};
  const interfaces = [{ name: 'default', masquerade: {} }, ...cards.map((card) => ({ ...card, bridge: {} }))];
  const networks = cards.map((card) => ({ name: card.name, multus: { networkName: card.name } }));
  return bootSectorVm(name, {
    networks: [{ name: 'default', pod: {} }, ...networks],
    domain: { ...domain, devices: { ...domain?.devices, interfaces } },
  } as Parameters<typeof bootSectorVm>[1]);
};
const define = (name: string, config: object, annotations = {}): Promise<unknown> =>
  cluster.admin.of(NetworkAttachmentDefinition).create({
    metadata: { name, namespace: NAMESPACE, annotations },
    spec: { config: JSON.stringify({ cniVersion: '0.3.1', ...config }) },
  });
const launcherOf = async (vm: string): Promise<Pod | undefined> => {
  const { items } = await cluster.admin.of(Pod).list({ namespace: NAMESPACE });
  return items.find(({ metadata }) => metadata.labels?.['vm.kubevirt.io/name'] === vm);
};
const waits = (vm: string, message: RegExp): Promise<unknown> =>
  vi.waitFor(
    async () =>
      expect((await launcherOf(vm))?.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
        reason: 'CreateContainerConfigError',
        message: expect.stringMatching(message),
      }),
    { timeout: 20_000 },
  );
const eventsOf = async (vm: string): Promise<string[]> => {
  const { items } = await cluster.admin.of(Event).list({ namespace: NAMESPACE });
  const own = items.filter(
    ({ involvedObject }) => involvedObject?.kind === 'VirtualMachineInstance' && involvedObject.name === vm,
  );
  return own.map(({ reason, message }) => `${reason}: ${message}`);
};

describe.skipIf(whyNotRoot)('a network of the node', { meta: { whySkipped: whyNotRoot } }, () => {
  beforeAll(async () => {
    for (const bridge of [BRIDGE, OTHER]) ip('link', 'add', 'name', bridge, 'type', 'bridge');
    ip('link', 'add', 'name', WIRE, 'type', 'veth', 'peer', 'name', PEER);
    for (const link of [WIRE, PEER]) ip('link', 'set', link, 'up');
    cluster = await startTestCluster();
  });
  afterAll(async () => {
    const owner = cluster && networkOwner(dirname(cluster.layout.libvirt));
    await cluster?.close();
    if (owner) await removeNetwork(owner);
    for (const link of [BRIDGE, OTHER, WIRE]) ip('link', 'del', link);
  });

  it('that is not there, or cannot be had, is waited for and named', async () => {
    await define('tagged', { type: 'bridge', bridge: BRIDGE, vlan: 5 });
    await define('device', { type: 'sriov' });
    await cluster.admin.of(VirtualMachine).create(machine('tagged', { name: 'tagged' }));
    await cluster.admin.of(VirtualMachine).create(machine('device', { name: 'device' }));
    const web = machine(
      'web',
      { name: 'blue', macAddress: '02:00:00:00:be:ef', state: 'down' },
      { name: 'lab' },
      { name: 'wire' },
    );
    await cluster.admin.of(VirtualMachine).create(web);
    await waits('web', new RegExp(`^network "blue": NetworkAttachmentDefinition ${NAMESPACE}/blue does not exist$`));
    await waits('tagged', /the kernel has no VLAN filtering|does not keep VLANs apart/);
    await waits('device', /type is "sriov", which gives each guest a network device of the host/);
    await vi.waitFor(async () =>
      expect(await eventsOf('device')).toContainEqual(expect.stringMatching(/^CreateContainerConfigError: .* "sriov"/)),
    );
    for (const name of ['tagged', 'device'])
      await cluster.admin.of(VirtualMachine).delete(name, { namespace: NAMESPACE });
  });

  it('is joined, and made if that is asked for', async () => {
    await define(
      'wire',
      { type: 'macvtap', mtu: 1400 },
      { 'k8s.v1.cni.cncf.io/resourceName': `macvtap.network.kubevirt.io/${WIRE}` },
    );
    const range = { subnet: '10.77.0.0/24', rangeStart: '10.77.0.9', rangeEnd: '10.77.0.9' };
    const range6 = { subnet: 'fd77:77::/64', rangeStart: 'fd77:77::9', rangeEnd: 'fd77:77::9' };
    const ipam = { type: 'host-local', ranges: hasIpv6 ? [[range], [range6]] : [[range]] };
    await define(
      'lab',
      { type: 'bridge', bridge: LAB, macspoofchk: true, ipam, tint: 'blue' },
      { 'vireo.dev/create-bridge': 'true' },
    );
    await define('blue', { type: 'bridge', bridge: BRIDGE });
    const vmi = await cluster.vmis.until('web', ({ status }) => status?.phase === 'Running');
    expect(vmi.status?.interfaces).toMatchObject([
      { name: 'default', linkState: 'up', podInterfaceName: 'eth0' },
      { name: 'blue', linkState: 'down', mac: '02:00:00:00:be:ef' },
      { name: 'lab', linkState: 'up', ipAddress: '10.77.0.9', ipAddresses: IPS, infoSource: 'domain, multus-status' },
      { name: 'wire', linkState: 'up' },
    ]);
    expect(await joined(BRIDGE)).toHaveLength(1);
    expect(await joined(LAB)).toHaveLength(1);
    const status = (await launcherOf('web'))?.metadata.annotations?.['k8s.v1.cni.cncf.io/network-status'] ?? '';
    expect(JSON.parse(status)).toMatchObject([
      { interface: 'eth0', default: true },
      { name: `${NAMESPACE}/blue`, mac: '02:00:00:00:be:ef' },
      { name: `${NAMESPACE}/lab`, ips: IPS },
      { name: `${NAMESPACE}/wire` },
    ]);
    expect(ip('-d', 'link', 'show', 'type', 'macvtap')).toContain(
      `@${WIRE}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400`,
    );
    expect((await eventsOf('web')).filter((each) => each.startsWith('NetworkWarning'))).toEqual([
      expect.stringContaining(`the bridge "${BRIDGE}" is down`),
      expect.stringContaining('tint is not supported and is ignored'),
    ]);
  });

  it('whose addresses are all taken says so', async () => {
    await cluster.admin.of(VirtualMachine).create(machine('late', { name: 'lab' }));
    await waits('late', /ipam: all addresses of 10\.77\.0\.9–10\.77\.0\.9 on this node are taken/);
    await cluster.admin.of(VirtualMachine).delete('late', { namespace: NAMESPACE });
    await cluster.vms.gone('late');
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

  /** There is no system in this guest to let go of a card; a reset does it. */
  const resetUntil = async (isSo: () => Promise<void>): Promise<void> => {
    const api = await ApiClient.listen(() => cluster.node, dirname(cluster.layout.libvirt));
    await vi.waitFor(
      async () => {
        await api.ask('PUT', 'web', 'reset');
        await isSo();
      },
      { timeout: 20_000, interval: 500 },
    );
    await api[Symbol.asyncDispose]();
  };

  it('that is missing does not harm a guest that runs, and is joined when it is there', async () => {
    await change({ macAddress: '02:00:00:00:00:77' }, 'green');
    const waiting = await cluster.vmis.until('web', (vmi) => problem(vmi) !== undefined);
    expect(problem(waiting)).toBe(
      `network interface "green" cannot be connected: network "green": NetworkAttachmentDefinition ${NAMESPACE}/green does not exist`,
    );
    expect(waiting.status?.phase).toBe('Running');
    await define('green', { type: 'bridge', bridge: BRIDGE });
    await touch();
    const plugged = await cluster.vmis.until('web', (vmi) => green(vmi) !== undefined && problem(vmi) === undefined);
    expect(green(plugged)).toMatchObject({
      mac: '02:00:00:00:00:77',
      linkState: 'up',
      infoSource: 'domain, multus-status',
    });
    expect(await joined(BRIDGE)).toHaveLength(2);
    expect(conditionOf(await cluster.vms.until('web'), 'RestartRequired')).toBeUndefined();
  });

  it('is exchanged for another while the guest has the card, and its cable is pulled out', async () => {
    await define('other', { type: 'bridge', bridge: OTHER });
    await change({ macAddress: '02:00:00:00:00:77', state: 'down' }, 'other');
    await cluster.vmis.until('web', (vmi) => green(vmi)?.linkState === 'down');
    expect([await joined(BRIDGE), await joined(OTHER)].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('is exchanged for one that libvirt cannot move the card to, when the guest lets go of it', async () => {
    await define('filtered', { type: 'bridge', bridge: OTHER, macspoofchk: true });
    await change({ macAddress: '02:00:00:00:00:77' }, 'filtered');
    await resetUntil(async () => expect(await joined(OTHER)).toEqual([expect.stringMatching(/^vt/)]));
    await cluster.vmis.until('web', (vmi) => green(vmi)?.linkState === 'up');
    // A tap of ours changes its bridge with the guest's card on it.
    await define('filtered-here', { type: 'bridge', bridge: BRIDGE, macspoofchk: true });
    await change({ macAddress: '02:00:00:00:00:77' }, 'filtered-here');
    await vi.waitFor(async () =>
      expect([await joined(BRIDGE), await joined(OTHER)].map(({ length }) => length)).toEqual([2, 0]),
    );
  });

  it('is left when the guest lets go of the card, across a restart of the agent', async () => {
    await change({ macAddress: '02:00:00:00:00:77', state: 'absent' }, 'filtered-here');
    await cluster.vmis.until(
      'web',
      ({ spec }) => !!spec.domain.devices.interfaces?.some(({ name, state }) => name === 'green' && state === 'absent'),
    );
    await cluster.restartNode();
    await resetUntil(async () => expect(await joined(BRIDGE)).toHaveLength(1));
    const left = ({ name }: { name?: string }): string | undefined => name;
    const { spec, status } = await cluster.vmis.until(
      'web',
      (vmi) => !green(vmi) && vmi.spec.domain.devices.interfaces?.length === 4,
    );
    expect([spec.networks?.map(left), status?.interfaces?.map(left)]).toEqual([
      ['default', 'blue', 'lab', 'wire'],
      ['default', 'blue', 'lab', 'wire'],
    ]);
    await cluster.vms.until('web', (vm) => vm.spec.template.spec?.networks?.length === 4);
  });

  it('keeps its cards while the agent restarts, gets back what it lost, and is left without a trace', async () => {
    const network = (await findNetwork(networkOwner(dirname(cluster.layout.libvirt)))) ?? '';
    const rules = (): string => execFileSync('nft', ['list', 'table', 'netdev', network], { encoding: 'utf8' });
    const [tap = ''] = await joined(LAB);
    await cluster.stopNode();
    const before = rules();
    execFileSync('nft', ['delete', 'table', 'netdev', network]);
    ip('link', 'add', 'name', `${network}-new`, 'type', 'bridge');
    await cluster.restartNode();
    expect(await joined(LAB)).toEqual([tap]);
    expect(await devices()).not.toContain(`${network}-new`);
    // The port of the DHCP server is another one.
    const portless = (text: string): string => text.replace(/dport set \d+/g, 'dport set PORT');
    expect(portless(rules())).toBe(portless(before));
    expect(rules()).toContain('fwd to "lo"');
    expect(await readFile(`/sys/class/net/${tap}/ifalias`, 'utf8')).toBe(
      `${NAMESPACE}/web: secondary card of ${network}\n`,
    );
    await cluster.admin.of(VirtualMachine).delete('web', { namespace: NAMESPACE });
    await cluster.vms.gone('web');
    await vi.waitFor(async () => expect(await joined(BRIDGE)).toEqual([]));
    await vi.waitFor(async () => expect(await devices()).not.toContain(LAB));
    await vi.waitFor(() => expect(ip('link', 'show', 'type', 'macvtap')).not.toContain(WIRE));
    expect(rules()).not.toContain('chain');
  });
});
