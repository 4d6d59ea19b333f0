/**
 * The values of expressions. JavaScript's own where they fit: null, boolean, bigint (int), number (double), string and
 * Uint8Array (bytes). Lists and maps are read through the interfaces below, because most of them are JSON that is
 * converted only where an expression looks at it.
 */
import type { CelType } from '../types.ts';

export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | TypeValue
  | Optional
  | CelList
  | CelMap
  | OpaqueValue;

/** An error of an expression, such as `no such key: x`. It is returned, never thrown: `&&` and `||` may absorb it. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** What a part of an expression comes to. */
export type Result = CelValue | CelError;

export const NO_SUCH_OVERLOAD = new CelError('no such overload');

export const noSuchKey = (key: CelValue): CelError => new CelError(`no such key: ${displayKey(key)}`);

/** A key as messages show it. */
export const displayKey = (key: CelValue): string => (key instanceof Uint ? String(key.value) : String(key));

/** An unsigned integer. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A span of time. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A moment; nanoseconds since 1970. It is shown, and has its parts, in the zone in which it was written. */
export class Timestamp {
  readonly nanos: bigint;
  readonly minutesEast: number;

  constructor(nanos: bigint, minutesEast = 0) {
    this.nanos = nanos;
    this.minutesEast = minutesEast;
  }
}

/** A type as a value: what `type(x)` and `int` are. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value that may be missing. */
export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }

  get hasValue(): boolean {
    return this.value !== undefined;
  }
}

/** A value that only its library's functions understand. */
export abstract class OpaqueValue {
  abstract readonly type: CelType;
  abstract equals(other: OpaqueValue): boolean | CelError;

  /** Whether it equals a value of another type; most cannot be compared with one. */
  equalsOther(_other: CelValue): boolean | CelError {
    return NO_SUCH_OVERLOAD;
  }

  /** What `size` and costs go by; most are of no size. */
  get size(): number {
    return 1;
  }

  /** What `string(x)` and `%s` show; undefined: nothing. */
  toText(): string | undefined {
    return undefined;
  }
}

/** A list. Elements of lists that come from JSON may be errors, where they do not fit their schema. */
export interface CelList {
  readonly isList: true;
  /** Whether its type comes from a schema: comparing it with what is no list is an error. */
  readonly isTyped?: true;
  readonly size: number;
  get(index: number): Result;
  /** `list + other`; lists that are sets or maps by their schema do more than appending. */
  add(other: CelList): CelList;
  /** Whether the other list has the same elements, in the sense of this list's schema. */
  equals(other: CelList): boolean | CelError;
}

/** A map, or an object with fields. */
export interface CelMap {
  readonly isMap: true;
  /** Whether its type comes from a schema: comparing it with what is no map is an error. */
  readonly isTyped?: true;
  readonly size: number;
  /** Undefined: no such key. */
  find(key: CelValue): Result | undefined;
  keys(): Iterable<CelValue>;
  equals(other: CelMap): boolean | CelError;
  /** The type of objects that were made by `Name{…}`; absent: a map. */
  readonly type?: CelType;
}

export const isList = (value: Result): value is CelList => (value as Partial<CelList> | null)?.isList === true;

export const isMap = (value: Result): value is CelMap => (value as Partial<CelMap> | null)?.isMap === true;

/** The name of a value's type, as `type(x)` and errors show it. */
export function typeName(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
  }
  if (value === null) return 'null_type';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof OpaqueValue) return value.type.name;
  if (isMap(value)) return value.type?.name ?? 'map';
  return 'list';
}
