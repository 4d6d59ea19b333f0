/** Kubernetes' library of quantities. */
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  subtractQuantities,
} from '@vireo/api/quantity.ts';
import { declare, type Library, memberOverload, overload } from '../declarations.ts';
import { partsWork } from '../meter.ts';
import { BOOL, DOUBLE, INT, STRING, structType } from '../types.ts';
import { CelError, NO_SUCH_OVERLOAD, OpaqueValue, type Result } from '../values/values.ts';

const QUANTITY = structType('kubernetes.Quantity');
const NANO = 1_000_000_000n;

class QuantityValue extends OpaqueValue {
  readonly type = QUANTITY;
  readonly quantity: Quantity;
  /** A sum or difference. kube-apiserver makes it a pointer, which it does not know again right of `==`. */
  readonly isComputed: boolean;

  constructor(quantity: Quantity, isComputed = false) {
    super();
    this.quantity = quantity;
    this.isComputed = isComputed;
  }

  equals(other: OpaqueValue): boolean | CelError {
    if (!(other instanceof QuantityValue) || other.isComputed) return NO_SUCH_OVERLOAD;
    return other.quantity.nano === this.quantity.nano;
  }
}

function toQuantity(text: string): QuantityValue | CelError {
  partsWork();
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    return new CelError((error as Error).message);
  }
}

/** The whole number, where it is one that fits. */
function wholeOf({ nano }: Quantity): bigint | undefined {
  const whole = nano / NANO;
  return nano % NANO === 0n && BigInt.asIntN(64, whole) === whole ? whole : undefined;
}

const ofInt = (value: bigint): Quantity => ({ nano: value * NANO, form: 'exponent' });

const compare = (a: QuantityValue, b: QuantityValue): number => compareQuantities(a.quantity, b.quantity);

const asInteger = ({ quantity }: QuantityValue): Result =>
  wholeOf(quantity) ?? new CelError('cannot convert value to integer');

/** Sums and differences of quantities and whole numbers. */
const arithmetic = (name: 'add' | 'sub', operate: (a: Quantity, b: Quantity) => Quantity) =>
  declare(
    name,
    memberOverload(
      `quantity_${name}`,
      [QUANTITY, QUANTITY],
      QUANTITY,
      (a: QuantityValue, b: QuantityValue) => new QuantityValue(operate(a.quantity, b.quantity), true),
    ),
    memberOverload(
      `quantity_${name}_int`,
      [QUANTITY, INT],
      QUANTITY,
      (a: QuantityValue, b: bigint) => new QuantityValue(operate(a.quantity, ofInt(b)), true),
    ),
  );

/** `quantity('1Gi')` and what can be done with it. */
export const quantities: Library = {
  functions: [
    declare('quantity', overload('string_to_quantity', [STRING], QUANTITY, toQuantity)),
    declare(
      'isQuantity',
      overload('is_quantity_string', [STRING], BOOL, (text: string) => !(toQuantity(text) instanceof CelError)),
    ),
    // Kubernetes' pages say `q.sign()`; its server knows `sign(q)` only.
    declare(
      'sign',
      overload('quantity_sign', [QUANTITY], INT, ({ quantity }: QuantityValue) =>
        BigInt(compareQuantities(quantity, ofInt(0n))),
      ),
    ),
    declare(
      'isGreaterThan',
      memberOverload(
        'quantity_is_greater_than',
        [QUANTITY, QUANTITY],
        BOOL,
        (a: QuantityValue, b: QuantityValue) => compare(a, b) > 0,
      ),
    ),
    declare(
      'isLessThan',
      memberOverload(
        'quantity_is_less_than',
        [QUANTITY, QUANTITY],
        BOOL,
        (a: QuantityValue, b: QuantityValue) => compare(a, b) < 0,
      ),
    ),
    declare(
      'compareTo',
      memberOverload('quantity_compare_to', [QUANTITY, QUANTITY], INT, (a: QuantityValue, b: QuantityValue) =>
        BigInt(compare(a, b)),
      ),
    ),
    declare(
      'asApproximateFloat',
      memberOverload(
        'quantity_get_float',
        [QUANTITY],
        DOUBLE,
        ({ quantity }: QuantityValue) => Number(quantity.nano) / 1e9,
      ),
    ),
    declare('asInteger', memberOverload('quantity_get_int', [QUANTITY], INT, asInteger)),
    declare(
      'isInteger',
      memberOverload(
        'quantity_is_integer',
        [QUANTITY],
        BOOL,
        ({ quantity }: QuantityValue) => wholeOf(quantity) !== undefined,
      ),
    ),
    arithmetic('add', addQuantities),
    arithmetic('sub', subtractQuantities),
  ],
};
