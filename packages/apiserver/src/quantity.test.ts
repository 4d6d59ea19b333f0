import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  quantityMillis,
  quantityUnits,
  subtractQuantities,
} from './quantity.ts';

describe('quantities', () => {
  it.each([
    ['500m', '500m'],
    ['0.5', '500m'],
    ['1000m', '1'],
    [2, '2'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1000', '1k'],
    ['1e3', '1e3'],
    ['0', '0'],
    ['100Ki', '100Ki'],
    ['1000Ki', '1000Ki'],
    ['.5', '500m'],
    ['-1Gi', '-1Gi'],
    ['1500', '1500'],
  ])('%s prints as %s', (text, canonical) => {
    expect(formatQuantity(parseQuantity(text))).toBe(canonical);
  });

  it.each(['', 'abc', '1 Gi', '1gi', '1Kii', 'Gi', '--1'])('%j is refused', (text) => {
    expect(() => parseQuantity(text)).toThrow('quantity');
  });

  it('adds and subtracts across suffixes and keeps the first format', () => {
    expect(formatQuantity(addQuantities(parseQuantity('1Gi'), parseQuantity('512Mi')))).toBe('1536Mi');
    expect(formatQuantity(subtractQuantities(parseQuantity('2'), parseQuantity('500m')))).toBe('1500m');
  });

  it('rounds up to the unit asked for', () => {
    expect(quantityMillis(parseQuantity('1u'))).toBe(1);
    expect(quantityMillis(parseQuantity('250m'))).toBe(250);
    expect(quantityUnits(parseQuantity('1500m'))).toBe(2);
    expect(quantityUnits(parseQuantity('1Ki'))).toBe(1024);
  });
});
