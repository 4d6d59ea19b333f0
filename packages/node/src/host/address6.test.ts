import { expect, it } from 'vitest';
import { type AddressFacts, chooseNodeAddress6 } from './address6.ts';

const has = (device: string, address: string, isLasting = true) => ({ device, address, isLasting });
const facts: AddressFacts = {
  address: '192.0.2.1',
  interfaces: {
    lo: [{ address: '127.0.0.1', internal: true }],
    eth0: [{ address: '192.0.2.1', internal: false }],
    eth1: [{ address: '198.51.100.1', internal: false }],
  },
  addresses6: [],
  known: [],
};

it.each<[string, Partial<AddressFacts>, string | undefined]>([
  ['none, where its device has none', { addresses6: [has('eth1', '2001:db8:1::1')] }, undefined],
  [
    'that of the device that has its IPv4 address',
    { addresses6: [has('eth1', '2001:db8:1::1'), has('eth0', 'fd00::1')] },
    'fd00::1',
  ],
  [
    'a public one before a private one',
    { addresses6: [has('eth0', 'fd00::1'), has('eth0', '2001:db8::1')] },
    '2001:db8::1',
  ],
  ['none that is temporary or deprecated', { addresses6: [has('eth0', '2001:db8::9', false)] }, undefined],
  [
    'the one that it had before, while it lasts',
    { addresses6: [has('eth0', '2001:db8::1'), has('eth0', '2001:db8::2')], known: ['192.0.2.1', '2001:db8::2'] },
    '2001:db8::2',
  ],
  [
    'another than before, if that is to go',
    { addresses6: [has('eth0', '2001:db8::1'), has('eth0', '2001:db8::2', false)], known: ['2001:db8::2'] },
    '2001:db8::1',
  ],
  ['none, where others do not reach it', { address: '127.0.0.1', addresses6: [has('lo', '2001:db8::1')] }, undefined],
])('a node has the IPv6 address: %s', (_, changes, expected) => {
  expect(chooseNodeAddress6({ ...facts, ...changes })).toBe(expected);
});
