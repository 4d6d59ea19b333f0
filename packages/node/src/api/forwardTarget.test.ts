import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import { expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { forwardTarget } from './forwardTarget.ts';

const blue: Interface = { name: 'blue', bridge: {} };
const pod = (changes: Partial<Interface> = {}): Interface => ({ name: 'default', masquerade: {}, ...changes });
const networks = [
  { name: 'blue', multus: { networkName: 'blue' } },
  { name: 'default', pod: {} },
];

it.each<[string, Interface[], number, 'tcp' | 'udp', string | RegExp]>([
  ['whatever it listens on', [pod()], 22, 'tcp', 'default'],
  ['past cards of other networks', [blue, pod()], 53, 'udp', 'default'],
  ['not by a bridge', [blue], 22, 'tcp', /no interface on the pod network/],
  ['not by a card that is down', [pod({ state: 'down' })], 22, 'tcp', /"default" is down/],
  ['a port that is listed', [pod({ ports: [{ port: 80 }] })], 80, 'tcp', 'default'],
  ['a port of another protocol', [pod({ ports: [{ port: 80 }] })], 80, 'udp', /forwards only the ports in its list/],
  [
    'a port that is not listed',
    [pod({ ports: [{ port: 80, protocol: 'TCP' }] })],
    22,
    'tcp',
    /forwards only the ports in its list/,
  ],
  ['a range', [pod({ portRanges: [{ start: 10, end: 20, protocol: 'UDP' }] })], 20, 'udp', 'default'],
])('%s', (_, interfaces, port, protocol, expected) => {
  const target = forwardTarget(vmiIn('Running', {}, { domain: { devices: { interfaces } }, networks }), port, protocol);
  if (typeof expected === 'string') expect(target).toEqual({ iface: expected });
  else expect(target).toEqual({ refusal: expect.stringMatching(expected) });
});
