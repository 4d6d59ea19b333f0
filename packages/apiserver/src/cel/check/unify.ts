/** Which types fit which, with type parameters standing for types that are found out on the way. */
import { type CelType, DYN, isDyn, listType, mapType, opaqueType, sameType, typeType } from '../types.ts';

/** Thrown where the types of an expression are beyond any use. */
export class TooComplex {}

/** A rule of a thousand characters takes about ten thousand. */
const MAX_STEPS = 3_000_000;

/**
 * What type parameters have been found to be. What a failed attempt has found out is undone, so that trying the
 * overloads of a function costs no more than looking at them.
 */
export class Bindings {
  #steps = 0;
  readonly #types = new Map<string, CelType>();
  readonly #changes: (readonly [string, CelType | undefined])[] = [];

  get(name: string): CelType | undefined {
    return this.#types.get(name);
  }

  set(name: string, type: CelType): void {
    this.#changes.push([name, this.#types.get(name)]);
    this.#types.set(name, type);
  }

  /** Counts a look at a type. Types of types can be made so large that looking at all of one would take for ever. */
  step(): void {
    if (++this.#steps > MAX_STEPS) throw new TooComplex();
  }

  /** Whether every type of `from` can be given where that of `to` is wanted. If so, what that takes is remembered. */
  unify(from: readonly CelType[], to: readonly CelType[]): boolean {
    const before = this.#changes.length;
    if (assignableLists(this, from, to)) return true;
    while (this.#changes.length > before) {
      const [name, type] = this.#changes.pop() as readonly [string, CelType | undefined];
      if (type) this.#types.set(name, type);
      else this.#types.delete(name);
    }
    return false;
  }
}

function assignableLists(bindings: Bindings, from: readonly CelType[], to: readonly CelType[]): boolean {
  return from.length === to.length && from.every((type, i) => assignable(bindings, type, to[i] as CelType));
}

function assignable(bindings: Bindings, from: CelType, to: CelType): boolean {
  bindings.step();
  if (to.kind === 'typeParameter') {
    const { valid, bound } = bind(bindings, from, to);
    if (valid) return true;
    if (bound) return false;
  }
  if (from.kind === 'typeParameter') return bind(bindings, to, from).valid;
  if (isWild(from) || isWild(to)) return true;
  if (from.kind === 'null') return isNullable(to);
  if (to.kind === 'null') return isNullable(from);
  switch (from.kind) {
    case 'type':
      return to.kind === 'type';
    case 'opaque':
    case 'list':
    case 'map':
      return (
        from.kind === to.kind && from.name === to.name && assignableLists(bindings, from.parameters, to.parameters)
      );
    default:
      return sameType(from, to);
  }
}

const isWild = (type: CelType): boolean => isDyn(type) || type.kind === 'error';

const isNullable = ({ kind }: CelType): boolean =>
  kind === 'null' || kind === 'opaque' || kind === 'struct' || kind === 'duration' || kind === 'timestamp';

/** Whether the parameter may stand for the type, and whether it stood for one before. */
function bind(bindings: Bindings, type: CelType, parameter: CelType): { valid: boolean; bound: boolean } {
  if (sameType(type, parameter)) return { valid: true, bound: true };
  const known = bindings.get(parameter.name);
  if (known) {
    if (sameType(type, known)) return { valid: true, bound: true };
    if (!assignable(bindings, type, known)) return { valid: false, bound: true };
    const general = mostGeneral(type, known);
    if (!occursIn(bindings, parameter, general)) bindings.set(parameter.name, general);
    return { valid: true, bound: true };
  }
  if (occursIn(bindings, parameter, type)) return { valid: false, bound: false };
  bindings.set(parameter.name, type);
  return { valid: true, bound: false };
}

/** A parameter cannot stand for a type that contains it. */
function occursIn(bindings: Bindings, parameter: CelType, type: CelType): boolean {
  bindings.step();
  if (sameType(parameter, type)) return true;
  if (type.kind === 'typeParameter') {
    const known = bindings.get(type.name);
    return known !== undefined && occursIn(bindings, parameter, known);
  }
  return type.parameters.some((inner) => occursIn(bindings, parameter, inner));
}

/** The less specific of two types that fit each other. */
export const mostGeneral = (a: CelType, b: CelType): CelType => (isLessSpecific(a, b) ? a : b);

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'typeParameter') return true;
  if (isDyn(b) || b.kind === 'typeParameter' || a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'type':
      return true;
    case 'opaque':
    case 'list':
    case 'map':
      return (
        a.name === b.name &&
        a.parameters.length === b.parameters.length &&
        a.parameters.every((parameter, i) => isLessSpecific(parameter, b.parameters[i] as CelType))
      );
    default:
      return sameType(a, b);
  }
}

/** The type with its parameters replaced by what they stand for; unknown ones by dyn where `toDyn`. */
export function substitute(bindings: Pick<Bindings, 'get' | 'step'>, type: CelType, toDyn: boolean): CelType {
  bindings.step();
  if (type.kind === 'typeParameter') {
    const known = bindings.get(type.name);
    if (known) return substitute(bindings, known, toDyn);
    return toDyn ? DYN : type;
  }
  if (type.parameters.length === 0) return type;
  const parameters = type.parameters.map((parameter) => substitute(bindings, parameter, toDyn));
  const [first = DYN, second = DYN] = parameters;
  switch (type.kind) {
    case 'list':
      return listType(first);
    case 'map':
      return mapType(first, second);
    case 'type':
      return typeType(first);
    default:
      return opaqueType(type.name, ...parameters);
  }
}
