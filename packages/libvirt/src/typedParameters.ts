import { array, type Codec, double, flag, hyper, int, string, uhyper, uint } from './codec.ts';
import { ProtocolError } from './errors.ts';

/** A named value whose type travels with it; libvirt's way to pass statistics and options. */
export type TypedParameter =
  | { readonly name: string; readonly type: 'int' | 'uint' | 'double'; readonly value: number }
  | { readonly name: string; readonly type: 'llong' | 'ullong'; readonly value: bigint }
  | { readonly name: string; readonly type: 'boolean'; readonly value: boolean }
  | { readonly name: string; readonly type: 'string'; readonly value: string };

/** Parameters to send: `[typed.string('migrate_uri', 'tcp://10.0.0.2'), typed.ullong('bandwidth', 64n)]`. */
export const typed = {
  int: (name: string, value: number): TypedParameter => ({ name, type: 'int', value }),
  uint: (name: string, value: number): TypedParameter => ({ name, type: 'uint', value }),
  llong: (name: string, value: bigint): TypedParameter => ({ name, type: 'llong', value }),
  ullong: (name: string, value: bigint): TypedParameter => ({ name, type: 'ullong', value }),
  double: (name: string, value: number): TypedParameter => ({ name, type: 'double', value }),
  boolean: (name: string, value: boolean): TypedParameter => ({ name, type: 'boolean', value }),
  string: (name: string, value: string): TypedParameter => ({ name, type: 'string', value }),
};

/** Parameters that were received, by name. */
export class TypedParameters implements Iterable<TypedParameter> {
  readonly #parameters: readonly TypedParameter[];
  readonly #byName: Map<string, TypedParameter>;

  constructor(parameters: readonly TypedParameter[]) {
    this.#parameters = parameters;
    this.#byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  }

  [Symbol.iterator](): Iterator<TypedParameter> {
    return this.#parameters[Symbol.iterator]();
  }

  get size(): number {
    return this.#parameters.length;
  }

  get(name: string): TypedParameter['value'] | undefined {
    return this.#byName.get(name)?.value;
  }

  /** A numeric parameter; above 2^53 only nearly exact. */
  number(name: string): number | undefined {
    const value = this.get(name);
    return typeof value === 'bigint' ? Number(value) : typeof value === 'number' ? value : undefined;
  }

  /** An integer parameter, always exact. */
  bigint(name: string): bigint | undefined {
    const value = this.get(name);
    return typeof value === 'bigint' ? value : Number.isInteger(value) ? BigInt(value as number) : undefined;
  }

  string(name: string): string | undefined {
    const value = this.get(name);
    return typeof value === 'string' ? value : undefined;
  }

  boolean(name: string): boolean | undefined {
    const value = this.get(name);
    return typeof value === 'boolean' ? value : undefined;
  }

  /** All values by name, for looking at. */
  toObject(): Record<string, TypedParameter['value']> {
    return Object.fromEntries(this.#parameters.map(({ name, value }) => [name, value]));
  }
}

/** The protocol's numbers for the types, and how their values travel. */
const types: Record<TypedParameter['type'], { number: number; codec: Codec<unknown> }> = {
  int: { number: 1, codec: int },
  uint: { number: 2, codec: uint },
  llong: { number: 3, codec: hyper },
  ullong: { number: 4, codec: uhyper },
  double: { number: 5, codec: double },
  boolean: { number: 6, codec: flag },
  string: { number: 7, codec: string },
};

const typesByNumber = new Map(
  (Object.keys(types) as TypedParameter['type'][]).map((type) => [types[type].number, { type, ...types[type] }]),
);

const typedParameter: Codec<TypedParameter> = {
  write(writer, { name, type, value }) {
    writer.string(name);
    writer.int(types[type].number);
    types[type].codec.write(writer, value);
  },
  read(reader) {
    const name = reader.string();
    const number = reader.int();
    const found = typesByNumber.get(number);
    if (!found) throw new ProtocolError(`parameter ${JSON.stringify(name)} has the unknown type ${number}`);
    return { name, type: found.type, value: found.codec.read(reader) } as TypedParameter;
  },
};

/** Parameters to send. */
export const typedParameterList = (max: number): Codec<readonly TypedParameter[]> =>
  array(typedParameter, max) as Codec<readonly TypedParameter[]>;

/** Parameters to receive. */
export const typedParameters = (max: number): Codec<TypedParameters> => {
  const list = array(typedParameter, max);
  return {
    write: (writer, parameters) => list.write(writer, [...parameters]),
    read: (reader) => new TypedParameters(list.read(reader)),
  };
};
