import { expect, it } from 'vitest';
import type { Vm, Vmi } from '../../data/kinds.ts';
import { machineOf, vmiRow, vmRow } from '../machine.ts';
import { cardsOf } from './cards.ts';
import { addCard, macProblem, removeCard, removeObstacle, setCardState } from './changes.ts';
import { commandsFor } from './commands.ts';
import { matchesSelector, podLabels, policiesFor, servicesFor } from './services.ts';

const metadata = { name: 'web', namespace: 'shop' };
const spec = {
  domain: {
    devices: {
      interfaces: [
        { name: 'default', masquerade: {}, ports: [{ port: 22 }] },
        { name: 'lab', bridge: {} },
      ],
    },
  },
  networks: [
    { name: 'default', pod: {} },
    { name: 'lab', multus: { networkName: 'lab' } },
  ],
};
const vm: Vm = { metadata, spec: { template: { metadata: { labels: { app: 'web' } }, spec } } };
const vmi: Vmi = {
  metadata,
  spec,
  status: {
    phase: 'Running',
    interfaces: [
      { name: 'default', mac: '02:00:00:00:00:01', ipAddresses: ['10.0.0.5'], linkState: 'up', interfaceName: 'eth0' },
    ],
  },
};
const off = machineOf(vmRow(vm), undefined);
const running = machineOf(vmRow(vm), vmiRow(vmi));
const CARDS = '/spec/template/spec/domain/devices/interfaces';

it('cards have what the spec and the guest say of them', () => {
  expect(cardsOf(vm, vmi)).toMatchObject([
    {
      name: 'default',
      network: 'pod network',
      binding: 'masquerade',
      model: 'virtio',
      mac: '02:00:00:00:00:01',
      addresses: ['10.0.0.5'],
      device: 'eth0',
      ports: '22/TCP',
      state: { tone: 'ok', label: 'Link up' },
      isPod: true,
    },
    { name: 'lab', network: 'lab', binding: 'bridge', ports: 'all', state: { label: 'Being plugged in' } },
  ]);
  expect(cardsOf(vm, undefined)[0]?.state).toMatchObject({ label: 'Off' });
});

it('a card of a running machine is unplugged by its state, else it leaves the spec', () => {
  expect(removeCard(running, vm, 'lab')).toMatchObject({
    operations: [
      { op: 'test', path: `${CARDS}/1/name`, value: 'lab' },
      { op: 'add', path: `${CARDS}/1/state`, value: 'absent' },
    ],
  });
  expect(removeCard(off, vm, 'lab')).toMatchObject({
    operations: [
      {},
      { op: 'remove', path: `${CARDS}/1` },
      {},
      { op: 'remove', path: '/spec/template/spec/networks/1' },
    ],
  });
  expect(setCardState(running, vm, 'default', 'down')).toMatchObject({ operations: [{}, { value: 'down' }] });
  const [pod, lab] = cardsOf(vm, vmi);
  expect(pod && removeObstacle(pod, running)).toContain('pod network');
  expect(pod && removeObstacle(pod, off)).toBeUndefined();
  expect(lab && removeObstacle(lab, running)).toBeUndefined();
});

it('a card beside an implied pod network writes the pod network down', () => {
  const bare: Vm = { metadata, spec: { template: { spec: { domain: { devices: {} } } } } };
  expect(addCard(off, bare, { name: 'lab', network: 'lab', model: 'virtio', mac: '' })).toMatchObject({
    operations: [
      {
        path: CARDS,
        value: [
          { name: 'default', masquerade: {} },
          { name: 'lab', bridge: {} },
        ],
      },
      { path: '/spec/template/spec/networks', value: [{ name: 'default', pod: {} }, { name: 'lab' }] },
    ],
  });
});

it.each([
  ['', undefined],
  ['02:00:00:00:00:01', undefined],
  ['nonsense', 'Enter a MAC'],
  ['03:00:00:00:00:01', 'even'],
])('the MAC address %j: %s', (mac, problem) =>
  problem ? expect(macProblem(mac)).toContain(problem) : expect(macProblem(mac)).toBeUndefined(),
);

it('a Service is told with its addresses, and whether it leads here', () => {
  const service = {
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      type: 'NodePort',
      selector: { app: 'web' },
      clusterIP: '10.96.0.1',
      ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }],
    },
  };
  const slice = {
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    endpoints: [{ addresses: ['10.0.0.5'] }],
  };
  const labels = podLabels(vm, undefined);
  expect(servicesFor([service], [slice], labels, ['10.0.0.5'], ['192.0.2.1'])).toEqual([
    {
      name: 'web',
      type: 'NodePort',
      ports: ['80 → 8080/TCP'],
      isReady: true,
      addresses: [
        { from: 'from everywhere', address: '192.0.2.1:30080' },
        { from: 'from guests and nodes', address: '10.96.0.1:80' },
        { from: 'from guests', address: 'web.shop:80' },
      ],
    },
  ]);
  expect(servicesFor([service], [], labels, [])).toMatchObject([{ isReady: false }]);
  expect(servicesFor([service], [], { app: 'db' }, [])).toEqual([]);
});

it('policies say what they allow, in each direction that they restrict', () => {
  const policy = {
    metadata: { name: 'p' },
    spec: {
      podSelector: { matchLabels: { app: 'web' } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ podSelector: { matchLabels: { app: 'a' } } }], ports: [{ port: 80 }] }],
    },
  };
  expect(policiesFor([policy], { app: 'web' })).toEqual([
    { name: 'p', ingress: ['from pods with app=a in the namespace on 80/TCP'], egress: [] },
  ]);
  expect(policiesFor([policy], { app: 'db' })).toEqual([]);
});

it.each([
  ['In', { a: '1' }, true],
  ['In', {}, false],
  ['NotIn', {}, true],
  ['NotIn', { a: '1' }, false],
  ['Exists', { a: '2' }, true],
  ['DoesNotExist', { a: '2' }, false],
])('a selector with %s and labels %j: %s', (operator, labels, isSelected) => {
  expect(
    matchesSelector({ matchExpressions: [{ key: 'a', operator, values: ['1'] }] }, labels as Record<string, string>),
  ).toBe(isSelected);
});

it('lines to copy name the namespace and a port of the machine', () => {
  const lines = commandsFor({ ...metadata, isVm: true, ports: [22, 80], hasService: false }).map(({ line }) => line);
  expect(lines).toContain('vireo ssh web -n shop');
  expect(lines).toContain('vireo port-forward vm/web 8080:80 -n shop');
  expect(lines).toContain('vireo expose vm web --name web --port 80 -n shop');
});
