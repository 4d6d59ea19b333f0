import { expect, it } from 'vitest';
import {
  canonical6,
  canonicalRange6,
  contains6,
  nthAddress6,
  overlaps6,
  parseRange6,
  toAddress6,
  toBigInt,
} from './ranges6.ts';

it.each([
  ['::', 0n, '::'],
  ['::1', 1n, '::1'],
  ['FD00:0:0:1::A', 0xfd00_0000_0000_0001_0000_0000_0000_000an, 'fd00:0:0:1::a'],
  ['1:2:3:4:5:6:7:8', 0x0001_0002_0003_0004_0005_0006_0007_0008n, '1:2:3:4:5:6:7:8'],
  ['1:2:3:4:5:6:7::', 0x0001_0002_0003_0004_0005_0006_0007_0000n, '1:2:3:4:5:6:7:0'],
  ['::ffff:10.0.0.1', 0xffff_0a00_0001n, '::ffff:a00:1'],
])('%s is a number, and back', (text, value, written) => {
  expect(toBigInt(text)).toBe(value);
  expect(toAddress6(value)).toBe(written);
  expect(canonical6(text)).toBe(written);
});

it('a range is read without the bits behind its prefix', () => {
  expect(parseRange6('fd00::5/64')).toEqual({ first: toBigInt('fd00::'), size: 2n ** 64n });
});

it('a range is written as the kernel prints it', () => {
  expect(canonicalRange6('FD00:0:0:0:1::/56')).toBe('fd00::/56');
});

it.each([
  ['fd00::/64', 'fd00::ffff', true],
  ['fd00::/64', 'fd00:0:0:1::', false],
  ['::/0', 'fd00::', true],
])('%s contains %s: %s', (range, address, expected) => {
  expect(contains6(range, address)).toBe(expected);
});

it('ranges overlap where one is part of the other', () => {
  expect(overlaps6('fd00::/56', 'fd00:0:0:ff::/64')).toBe(true);
  expect(overlaps6('fd00::/56', 'fd00:0:0:100::/64')).toBe(false);
});

it('addresses are counted from the beginning of the range', () => {
  expect(nthAddress6('fd00:0:0:1::/64', 254)).toBe('fd00:0:0:1::fe');
});

it.each(['fe80::1%eth0', 'fd00::1; drop', '10.0.0.1', ''])('%j is no IPv6 address', (text) => {
  expect(() => toBigInt(text)).toThrow(/is not an IPv6 address/);
});
