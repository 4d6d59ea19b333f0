import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  array,
  type Codec,
  double,
  flag,
  hyper,
  int,
  opaque,
  optional,
  string,
  struct,
  uhyper,
  uint,
} from './codec.ts';
import { ProtocolError } from './errors.ts';
import { domainEvents } from './events.ts';
import { TypedParameters, typedParameters } from './typedParameters.ts';
import { domain, remoteError } from './types.ts';
import { XdrReader, XdrWriter } from './xdr.ts';

const encode = <T>(codec: Codec<T>, value: T): Buffer => {
  const writer = new XdrWriter();
  codec.write(writer, value);
  return Buffer.from(writer.finish());
};

const decode = <T>(codec: Codec<T>, bytes: Buffer): T => {
  const reader = new XdrReader(bytes);
  const value = codec.read(reader);
  reader.finish();
  return value;
};

const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));

describe('XDR', () => {
  it.each<[string, Codec<unknown>, unknown, string]>([
    ['int', int, -2, 'fffffffe'],
    ['uint', uint, 0xdeadbeef, 'deadbeef'],
    ['hyper', hyper, -1n, 'ffffffffffffffff'],
    ['uhyper', uhyper, 0x0102030405060708n, '0102030405060708'],
    ['double', double, 1, '3ff0000000000000'],
    ['flag', flag, true, '00000001'],
    ['string, padded', string, 'hello', '0000000568656c6c6f000000'],
    ['bytes', opaque(8), Buffer.from([1, 2, 3, 4]), '0000000401020304'],
    ['nothing there', optional(int), undefined, '00000000'],
    ['something there', optional(int), 7, '0000000100000007'],
    ['list', array(int, 9), [1, 2], '000000020000000100000002'],
  ])('%s has the layout of RFC 4506', (_, codec, value, hex) => {
    expect(encode(codec, value).toString('hex')).toBe(hex);
    expect(decode(codec, Buffer.from(hex, 'hex'))).toEqual(value);
  });

  it('brings every value back', () => {
    const everything = struct({
      int,
      uint,
      hyper,
      uhyper,
      double,
      flag,
      string,
      bytes: opaque(1000),
      maybe: optional(string),
      list: array(struct({ name: string, value: int }), 100),
    });
    const values = fc.record({
      int: fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
      uint: fc.integer({ min: 0, max: 0xffff_ffff }),
      hyper: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      uhyper: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      double: fc.double(),
      flag: fc.boolean(),
      string: text,
      bytes: fc.uint8Array({ maxLength: 1000 }).map((bytes) => Buffer.from(bytes)),
      maybe: fc.option(text, { nil: undefined }),
      list: fc.array(fc.record({ name: text, value: fc.integer({ min: 0, max: 9 }) }), { maxLength: 100 }),
    });
    fc.assert(
      fc.property(values, (value) => {
        const bytes = encode(everything, value);
        expect(bytes.length % 4).toBe(0);
        expect(decode(everything, bytes)).toEqual(value);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, Codec<unknown>, unknown, RegExp]>([
    ['a number too large for an int', int, 2 ** 31, /2147483648 does not fit int/],
    ['a fraction', uint, 1.5, /1.5 does not fit unsigned int/],
    ['a negative unsigned number', uint, -1, /-1 does not fit/],
    ['a number too large for a hyper', hyper, 2n ** 63n, /does not fit a hyper/],
    ['NUL in a string', string, 'a\0b', /"a\\u0000b" contains NUL/],
    ['a list that is too long', array(int, 2), [1, 2, 3], /3 items are more than libvirt's limit of 2/],
    ['a UUID that is none', domain, { name: 'a', uuid: 'nonsense', id: 1 }, /"nonsense" is not a UUID/],
  ])('refuses to send %s', (_, codec, value, message) => {
    expect(() => encode(codec, value)).toThrow(message);
  });

  it.each<[string, Codec<unknown>, string, RegExp]>([
    ['a cut number', int, '0000', /4 bytes expected at byte 0, but only 2 are left/],
    ['a cut string', string, '0000000561', /5 items declared at byte 0, but only 1 bytes are left/],
    ['a string longer than any packet', string, 'ffffffff61616161', /4294967295 items declared/],
    ['a string without its padding', string, '0000000561616161616161', /8 bytes expected/],
    ['a list longer than allowed', array(int, 1), '000000020000000100000002', /2 items declared/],
    ['neither yes nor no', optional(int), '0000000200000001', /2 is not a boolean/],
    ['bytes left over', int, '0000000100000002', /4 extra bytes after byte 4/],
    [
      'an unknown type of parameter',
      typedParameters(1),
      '0000000100000001610000000000000900000000',
      /"a" has the unknown type 9/,
    ],
  ])('refuses to read %s', (_, codec, hex, message) => {
    const read = () => decode(codec, Buffer.from(hex, 'hex'));
    expect(read).toThrow(ProtocolError);
    expect(read).toThrow(message);
  });

  it('reads what a hostile daemon sends, or says that it cannot, and nothing worse', () => {
    const codecs = [...Object.values(domainEvents).map(({ payload }) => payload as Codec<unknown>), remoteError];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(...codecs), (bytes, codec) => {
        try {
          decode<unknown>(codec, Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('says so wherever a message is cut', () => {
    const lifecycle = encode(domainEvents.lifecycle.payload, {
      domain: { name: 'a domain', uuid: '01234567-89ab-cdef-0123-456789abcdef', id: 3 },
      event: 'stopped',
      detail: 'crashed',
    });
    for (let length = 0; length < lifecycle.length; length += 1) {
      expect(() => decode(domainEvents.lifecycle.payload, lifecycle.subarray(0, length))).toThrow(ProtocolError);
    }
  });
});

describe('typed parameters', () => {
  const name = text;
  const parameter = fc.oneof(
    fc.record({ name, type: fc.constant('int' as const), value: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) }),
    fc.record({ name, type: fc.constant('uint' as const), value: fc.integer({ min: 0, max: 2 ** 32 - 1 }) }),
    fc.record({ name, type: fc.constant('llong' as const), value: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n) }),
    fc.record({ name, type: fc.constant('ullong' as const), value: fc.bigInt(0n, 2n ** 64n - 1n) }),
    fc.record({ name, type: fc.constant('double' as const), value: fc.double() }),
    fc.record({ name, type: fc.constant('boolean' as const), value: fc.boolean() }),
    fc.record({ name, type: fc.constant('string' as const), value: text }),
  );

  it('come back as they were sent', () => {
    fc.assert(
      fc.property(fc.array(parameter, { maxLength: 64 }), (parameters) => {
        const codec = typedParameters(64);
        expect([...decode(codec, encode(codec, new TypedParameters(parameters)))]).toEqual(parameters);
      }),
      { numRuns: 200 },
    );
  });

  it('are found by name and type', () => {
    const parameters = new TypedParameters([
      { name: 'cpu.time', type: 'ullong', value: 2n ** 60n },
      { name: 'state.state', type: 'int', value: 1 },
      { name: 'net.0.name', type: 'string', value: 'vnet0' },
      { name: 'success', type: 'boolean', value: true },
    ]);
    expect(parameters.bigint('cpu.time')).toBe(2n ** 60n);
    expect(parameters.number('cpu.time')).toBe(2 ** 60);
    expect(parameters.bigint('state.state')).toBe(1n);
    expect(parameters.string('net.0.name')).toBe('vnet0');
    expect(parameters.boolean('success')).toBe(true);
    expect(parameters.number('net.0.name')).toBeUndefined();
    expect(parameters.string('absent')).toBeUndefined();
    expect(parameters.toObject()).toMatchObject({ 'state.state': 1, success: true });
  });
});
