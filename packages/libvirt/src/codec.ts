import type { XdrReader, XdrWriter } from './xdr.ts';

/** How one type goes over the wire. Calls are described by codecs put together from those below. */
export interface Codec<T> {
  write(writer: XdrWriter, value: T): void;
  read(reader: XdrReader): T;
}

/** The value that a codec carries. */
export type ValueOf<C> = C extends Codec<infer T> ? T : never;

export const int: Codec<number> = { write: (w, v) => w.int(v), read: (r) => r.int() };
export const uint: Codec<number> = { write: (w, v) => w.uint(v), read: (r) => r.uint() };
export const hyper: Codec<bigint> = { write: (w, v) => w.hyper(v), read: (r) => r.hyper() };
export const uhyper: Codec<bigint> = { write: (w, v) => w.uhyper(v), read: (r) => r.uhyper() };
export const double: Codec<number> = { write: (w, v) => w.double(v), read: (r) => r.double() };
export const string: Codec<string> = { write: (w, v) => w.string(v), read: (r) => r.string() };

/** A 64-bit quantity as a number: exact up to 2^53, which is 8 PiB in bytes. Counters of nanoseconds are `uhyper`. */
export const quantity: Codec<number> = { write: (w, v) => w.uhyper(BigInt(v)), read: (r) => Number(r.uhyper()) };
export const signedQuantity: Codec<number> = { write: (w, v) => w.hyper(BigInt(v)), read: (r) => Number(r.hyper()) };

/** An `int` that means yes or no; any value but 0 is yes. */
export const flag: Codec<boolean> = { write: (w, v) => w.int(v ? 1 : 0), read: (r) => r.int() !== 0 };

/** Nothing at all: the arguments or the result of many calls. */
export const nothing: Codec<void> = { write: () => {}, read: () => {} };

/** Bytes with their length before them. */
export const opaque = (maxBytes: number): Codec<Buffer> => ({
  write: (w, v) => w.opaque(v),
  read: (r) => Buffer.from(r.opaque(maxBytes)),
});

/** A value that may be missing. */
export const optional = <T>(item: Codec<T>): Codec<T | undefined> => ({
  write(w, v) {
    w.uint(v === undefined ? 0 : 1);
    if (v !== undefined) item.write(w, v);
  },
  read: (r) => (r.boolean() ? item.read(r) : undefined),
});

/** Any number of values, up to the protocol's limit for this list. */
export const array = <T>(item: Codec<T>, max: number): Codec<T[]> => ({
  write(w, v) {
    if (v.length > max) throw new RangeError(`${v.length} items are more than libvirt's limit of ${max}`);
    w.uint(v.length);
    for (const one of v) item.write(w, one);
  },
  read: (r) => Array.from({ length: r.count(max) }, () => item.read(r)),
});

type Fields = Record<string, Codec<unknown>>;

/** Named values one after another, in the order of the keys. */
export function struct<F extends Fields>(fields: F): Codec<{ [K in keyof F]: ValueOf<F[K]> }> {
  const entries = Object.entries(fields) as [keyof F, Codec<unknown>][];
  return {
    write(w, v) {
      for (const [name, codec] of entries) codec.write(w, v[name]);
    },
    read(r) {
      const value: Partial<Record<keyof F, unknown>> = {};
      for (const [name, codec] of entries) value[name] = codec.read(r);
      return value as { [K in keyof F]: ValueOf<F[K]> };
    },
  };
}

/** The same bytes seen as another type. */
export const mapped = <A, B>(codec: Codec<A>, toValue: (wire: A) => B, toWire: (value: B) => A): Codec<B> => ({
  write: (w, v) => codec.write(w, toWire(v)),
  read: (r) => toValue(codec.read(r)),
});
