import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressBytes } from './certificate.ts';
import * as der from './der.ts';

describe('DER', () => {
  it.each<[string, Buffer, string]>([
    ['zero', der.unsigned(Buffer.from([0, 0])), '020100'],
    ['a number without its leading zeros', der.unsigned(Buffer.from([0, 1])), '020101'],
    ['a number whose top bit is set', der.unsigned(Buffer.from([0x80])), '02020080'],
    ['an object identifier', der.objectIdentifier('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
    [
      'a moment before 2050',
      der.time(new Date('2049-12-31T23:59:59Z')),
      `170d${Buffer.from('491231235959Z').toString('hex')}`,
    ],
    [
      'a moment from 2050 on',
      der.time(new Date('2050-01-01T00:00:00Z')),
      `180f${Buffer.from('20500101000000Z').toString('hex')}`,
    ],
  ])('writes %s', (_, written, hex) => {
    expect(written.toString('hex')).toBe(hex);
  });

  it('reads back what it wrote, of any length', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (parts) => {
        const strings = parts.map((part) => Buffer.from(part));
        const elements = der.elementsOf(der.sequence(...strings.map(der.octetString)));
        expect(elements.map(der.contentOf)).toEqual(strings);
      }),
    );
  });
});

describe('addresses', () => {
  it.each([
    ['127.0.0.1', '7f000001'],
    ['::', '00'.repeat(16)],
    ['::1', `${'00'.repeat(15)}01`],
    ['fe80::1', `fe80${'00'.repeat(13)}01`],
    ['2001:db8::', `20010db8${'00'.repeat(12)}`],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['::ffff:10.0.0.1', `${'00'.repeat(10)}ffff0a000001`],
  ])('%s', (address, hex) => {
    expect(addressBytes(address).toString('hex')).toBe(hex);
  });
});
