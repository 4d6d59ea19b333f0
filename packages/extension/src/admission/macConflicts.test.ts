import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { Client, parseWarnings } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';
import { deviceOf } from './macConflicts.ts';

const at = { namespace: 'default' };
const POD = undefined;

let installation: Installation;
let warnings: readonly string[] = [];
let vms: ReturnType<typeof clientOf>;
const clientOf = (client: Client) => client.of(VirtualMachine);

/** A VM with one card of that address. */
const vm = (name: string, macAddress: string | undefined, network: string | typeof POD) => ({
  metadata: { name, ...at },
  spec: {
    runStrategy: 'Halted',
    template: {
      spec: {
        domain: {
          memory: { guest: '64Mi' },
          devices: { interfaces: [{ name: 'card', ...(network ? { bridge: {} } : { masquerade: {} }), macAddress }] },
        },
        networks: [network ? { name: 'card', multus: { networkName: network } } : { name: 'card', pod: {} }],
      },
    },
  },
});
const define = (name: string, config: object, labels: Record<string, string> = {}) =>
  installation.server.client
    .of(NetworkAttachmentDefinition)
    .create({ metadata: { name, ...at, labels }, spec: { config: JSON.stringify(config) } });

beforeAll(async () => {
  installation = await install();
  const { server } = installation;
  const transport = server.inProcess();
  const warned: typeof transport = {
    ...transport,
    call: async (request) => {
      const response = await transport.call(request);
      warnings = parseWarnings(response.headers.warning);
      return response;
    },
  };
  vms = clientOf(new Client(warned));
  await define('one', { type: 'bridge', bridge: 'br1' });
  await define('same', { plugins: [{ type: 'bridge', bridge: 'br1' }] });
  await define('vlan', { type: 'bridge', bridge: 'br1', vlan: 5 });
  await define('labelled', { type: 'bridge', bridge: 'a' }, { 'network.harvesterhci.io/clusternetwork': 'mgmt' });
  await define('sibling', { type: 'bridge', bridge: 'b' }, { 'network.harvesterhci.io/clusternetwork': 'mgmt' });
  await vms.create(vm('first', '02:00:00:00:00:01', 'one'));
  await vms.create(vm('second', '02:00:00:00:00:02', 'labelled'));
  await vms.create(vm('third', '02:00:00:00:00:03', POD));
});
afterAll(() => installation?.close());

describe('a MAC address that another VM has', () => {
  it.each([
    ['on the same definition', '02:00:00:00:00:01', 'one'],
    ['written otherwise', '02-00-00-00-00-01', 'default/one'],
    ['on another definition of the same bridge', '02:00:00:00:00:01', 'same'],
    ['on another network of the same cluster network', '02:00:00:00:00:02', 'sibling'],
  ])('%s is refused', async (_, mac, network) => {
    await vi.waitFor(() =>
      expect(vms.create(vm('new', mac, network), { dryRun: true })).rejects.toMatchObject({
        code: 422,
        message: expect.stringMatching(/is the MAC address of VirtualMachine (first|second) on the same network/),
        status: {
          details: {
            causes: [
              {
                reason: 'FieldValueDuplicate',
                field: 'spec.template.spec.domain.devices.interfaces[0].macAddress',
              },
            ],
          },
        },
      }),
    );
  });

  it.each([
    ['in another VLAN', '02:00:00:00:00:01', 'vlan'],
    ['on a network that does not exist yet', '02:00:00:00:00:01', 'later'],
    ['of another address', '02:00:00:00:00:09', 'one'],
    ['that says none', undefined, 'one'],
  ])('is no conflict: %s', async (_, mac, network) => {
    await vms.create(vm('new', mac, network), { dryRun: true });
    expect(warnings).toEqual([]);
  });

  it('in the pod network is warned of', async () => {
    await vms.create(vm('new', '02:00:00:00:00:03', POD), { dryRun: true });
    expect(warnings).toEqual([
      'spec.template.spec.domain.devices.interfaces[0].macAddress: 02:00:00:00:00:03 is also the MAC address of ' +
        'VirtualMachine third: they cannot both use the pod network of a node.',
    ]);
  });

  it('is left to controllers, which restore VMs; and is no reason to refuse other changes', async () => {
    const username = 'system:serviceaccount:kubevirt:kubevirt-controller';
    const controllers = installation.server.inProcess({ username, groups: ['system:masters'] });
    await clientOf(new Client(controllers)).create(vm('restored', '02:00:00:00:00:01', 'one'));
    await vms.patch('restored', { spec: { runStrategy: 'Manual' } }, { ...at, type: 'merge' });
    await vms.patch('first', { spec: { runStrategy: 'Manual' } }, { ...at, type: 'merge' });
  });
});

it.each([
  [{ type: 'bridge', bridge: 'br1' }, 'device br1 0'],
  [{ plugins: [{ type: 'bridge', bridge: 'br1', vlan: 7 }] }, 'device br1 7'],
  [{ type: 'macvtap', master: 'eth1' }, 'device eth1 0'],
  [{ type: 'other' }, undefined],
  ['{', undefined],
])('%j is on %s', (config, expected) => {
  expect(deviceOf(typeof config === 'string' ? config : JSON.stringify(config))).toBe(expected);
});
