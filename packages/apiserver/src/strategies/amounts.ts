import { compareQuantities, parseQuantity } from '@vireo/api/quantity.ts';

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

/** Whether something is left over after whole units: of 500m, but not of 2 or 2k. */
export const isFractional = (amount: Amount): boolean =>
  isQuantity(amount) && parseQuantity(amount).nano % 1_000_000_000n !== 0n;
