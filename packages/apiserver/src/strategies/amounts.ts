import { compareQuantities, parseQuantity, toBytes } from '@vireo/api/quantity.ts';

export type Amount = string | number;
export type Amounts = Readonly<Record<string, Amount>>;

/** Whether text is a quantity at all; decoding a request has seen to that, a plug-in's change may not have. */
export function isQuantity(amount: Amount): boolean {
  try {
    parseQuantity(amount);
    return true;
  } catch {
    return false;
  }
}

export const isNegative = (amount: Amount): boolean => compareQuantities(amount, 0) < 0;
export const isPositive = (amount: Amount): boolean => isQuantity(amount) && compareQuantities(amount, 0) > 0;

/** Whether nothing is left over after whole units: 2 and 2k are, 500m is not. */
export const isWhole = (amount: Amount): boolean => compareQuantities(amount, Number(toBytes(amount))) === 0;
