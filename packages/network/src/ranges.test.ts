import { expect, it } from 'vitest';
import { blockRanges } from './policy.ts';
import { contains, guestAddresses, nthAddress, overlaps } from './ranges.ts';

it.each([
  ['10.244.0.0/16', '10.244.7.0/24', true],
  ['10.244.7.0/24', '10.244.0.0/16', true],
  ['10.244.0.0/24', '10.244.1.0/24', false],
  ['0.0.0.0/0', '192.0.2.1/32', true],
])('%s and %s overlap: %s', (one, other, expected) => {
  expect(overlaps(one, other)).toBe(expected);
});

it('the addresses of guests leave out those of the network, its gateway, its node and broadcasts', () => {
  expect([...guestAddresses('10.244.3.0/29')]).toEqual(['10.244.3.2', '10.244.3.3', '10.244.3.4', '10.244.3.5']);
  expect(nthAddress('10.244.3.9/24', 1)).toBe('10.244.3.1');
  expect(contains('10.244.3.0/24', '10.244.3.255')).toBe(true);
  expect(contains('10.244.3.0/24', '10.244.4.0')).toBe(false);
});

it.each([
  [{ cidr: '10.0.0.0/8' }, ['10.0.0.0-10.255.255.255']],
  [{ cidr: '10.0.0.0/24', except: ['10.0.0.0/25'] }, ['10.0.0.128-10.0.0.255']],
  [
    { cidr: '10.0.0.0/24', except: ['10.0.0.64/26', '10.0.0.10/32'] },
    ['10.0.0.0-10.0.0.9', '10.0.0.11-10.0.0.63', '10.0.0.128-10.0.0.255'],
  ],
  [{ cidr: '10.0.0.0/24', except: ['10.0.0.0/24'] }, []],
  [{ cidr: '10.0.0.4/30', except: ['10.0.0.0/29'] }, []],
  [{ cidr: '10.0.0.7/32' }, ['10.0.0.7']],
  [{ cidr: 'fd00::/126', except: ['fd00::1/128', '10.0.0.0/8'] }, ['fd00::', 'fd00::2-fd00::3']],
  [{ cidr: '::/0' }, ['::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']],
])('blockRanges of %j', (block, expected) => {
  expect(blockRanges(block)).toEqual(expected);
});
