import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  bytesQuantity,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  subtractQuantities,
  toBytes,
  toMilli,
} from './quantity.ts';

describe('canonicalQuantity', () => {
  it.each([
    ['0', '0'],
    ['0Gi', '0'],
    ['1', '1'],
    [1, '1'],
    [0.5, '500m'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1000k', '1M'],
    ['1024', '1024'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['0.1Ki', '102400m'],
    ['1025Ki', '1025Ki'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['12E', '12E'],
    ['1000E', '1000E'],
    ['1e2', '100'],
    ['100e-3', '100e-3'],
    ['+1', '1'],
    ['-1Gi', '-1Gi'],
    ['-0.5', '-500m'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['1000000u', '1'],
    [1e21, '1e21'],
  ])('%s is %s', (input, expected) => {
    expect(canonicalQuantity(input)).toBe(expected);
  });

  it.each([
    '',
    'a',
    '1.2.3',
    '1 Gi',
    ' 1',
    '1GB',
    '--1',
    '.',
    '1i',
    '1e',
    '1e1.5',
    `1${'0'.repeat(300)}`,
    '1e9999999',
    '1__',
  ])('refuses %j', (text) => {
    expect(() => parseQuantity(text)).toThrow(
      /quantities must match the regular expression|unable to parse quantity's suffix/,
    );
  });

  it('uses the words of Kubernetes', () => {
    expect(() => parseQuantity('x')).toThrow(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
    expect(() => parseQuantity('1iK')).toThrow("unable to parse quantity's suffix");
  });
});

describe('arithmetic', () => {
  it.each([
    ['1Gi', '1G', 1],
    ['1', '1000m', 0],
    ['-1', '0', -1],
    ['1Ei', '1024Pi', 0],
  ])('compares %s with %s', (a, b, sign) => {
    expect(compareQuantities(a, b)).toBe(sign);
  });

  it('keeps the form of the first that is not zero', () => {
    expect(formatQuantity(addQuantities('1Gi', '1024'))).toBe('1048577Ki');
    expect(formatQuantity(addQuantities('0', '1Gi'))).toBe('1Gi');
    expect(formatQuantity(subtractQuantities('1', '250m'))).toBe('750m');
    expect(formatQuantity(subtractQuantities('1Gi', '1Gi'))).toBe('0');
  });

  it('converts, rounding up', () => {
    expect(toBytes('1Gi')).toBe(1_073_741_824n);
    expect(toBytes('100m')).toBe(1n);
    expect(toMilli('0.1')).toBe(100n);
    expect(toMilli('1u')).toBe(1n);
    expect(toMilli('-1500u')).toBe(-1n);
  });
});

describe('laws', () => {
  const quantity = fc.record({
    nano: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    form: fc.constantFrom('binary', 'decimal', 'exponent'),
  }) as fc.Arbitrary<{ nano: bigint; form: 'binary' | 'decimal' | 'exponent' }>;

  it('what is formatted reads as the same value, and is canonical', () => {
    fc.assert(
      fc.property(quantity, (q) => {
        const text = formatQuantity(q);
        expect(parseQuantity(text).nano).toBe(q.nano);
        expect(canonicalQuantity(text)).toBe(text);
      }),
    );
  });

  it('addition commutes in value, and subtraction undoes it', () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        expect(addQuantities(a, b).nano).toBe(addQuantities(b, a).nano);
        expect(compareQuantities(subtractQuantities(addQuantities(a, b), b), a)).toBe(0);
      }),
    );
  });

  it('order is that of the values', () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        expect(compareQuantities(a, b)).toBe(-compareQuantities(b, a) + 0);
        expect(compareQuantities(a, b) < 0).toBe(a.nano < b.nano);
      }),
    );
  });
});

it.each([
  [10260 * 1024 ** 2, '10260Mi'],
  [10 * 1024 ** 3, '10Gi'],
  [1000, '1k'],
  [1536, '1536'],
])('%i bytes are the quantity %s, which is no less', (bytes, text) => {
  expect(bytesQuantity(bytes)).toBe(text);
  expect(toBytes(text)).toBe(BigInt(bytes));
});
