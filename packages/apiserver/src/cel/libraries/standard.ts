/** The functions that are part of the language: sizes, conversions, texts and times. */
import { declare, type Library, memberOverload, overload } from '../declarations.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  NULL,
  STRING,
  TIMESTAMP,
  TYPE,
  typeParameter,
  typeType,
  UINT,
} from '../types.ts';
import { toBool, toBytes, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from '../values/convert.ts';
import { sizeOfText } from '../values/text.ts';
import {
  type CelList,
  type CelMap,
  type CelValue,
  NO_SUCH_OVERLOAD,
  type Result,
  TypeValue,
  typeName,
} from '../values/values.ts';
import { matchesPattern } from './patterns.ts';

const A = typeParameter('A');
const B = typeParameter('B');

const sizes: readonly (readonly [string, CelType, (value: never) => Result])[] = [
  ['bytes', BYTES, (bytes: Uint8Array) => BigInt(bytes.length)],
  ['list', listType(A), (list: CelList) => BigInt(list.size)],
  ['map', mapType(A, B), (map: CelMap) => BigInt(map.size)],
  ['string', STRING, (text: string) => BigInt(sizeOfText(text))],
];

const size = declare(
  'size',
  ...sizes.flatMap(([name, type, call]) => [
    overload(`size_${name}`, [type], INT, call),
    memberOverload(`${name}_size`, [type], INT, call),
  ]),
);

const conversion = (
  name: string,
  result: CelType,
  convert: (value: CelValue) => Result,
  ...from: [string, CelType][]
) => declare(name, ...from.map(([id, type]) => overload(id, [type], result, convert)));

const text = (name: string, test: (text: string, part: string) => boolean) =>
  declare(name, {
    ...memberOverload(`${lowerSnake(name)}_string`, [STRING, STRING], BOOL, (whole: CelValue, part: CelValue) =>
      typeof whole === 'string' && typeof part === 'string' ? test(whole, part) : NO_SUCH_OVERLOAD,
    ),
    unguarded: true,
  });

const lowerSnake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Sizes, conversions and tests of texts. */
export const standard: Library = {
  functions: [
    size,
    declare(
      'type',
      overload('type', [A], typeType(A), (value: CelValue) => new TypeValue(typeName(value))),
    ),
    conversion('bool', BOOL, toBool, ['bool_to_bool', BOOL], ['string_to_bool', STRING]),
    conversion('bytes', BYTES, toBytes, ['bytes_to_bytes', BYTES], ['string_to_bytes', STRING]),
    conversion(
      'double',
      DOUBLE,
      toDouble,
      ['double_to_double', DOUBLE],
      ['int64_to_double', INT],
      ['string_to_double', STRING],
      ['uint64_to_double', UINT],
    ),
    conversion('duration', DURATION, toDuration, ['duration_to_duration', DURATION], ['string_to_duration', STRING]),
    declare(
      'dyn',
      overload('to_dyn', [A], DYN, (value: CelValue) => value),
    ),
    conversion(
      'int',
      INT,
      toInt,
      ['int64_to_int64', INT],
      ['double_to_int64', DOUBLE],
      ['duration_to_int64', DURATION],
      ['string_to_int64', STRING],
      ['timestamp_to_int64', TIMESTAMP],
      ['uint64_to_int64', UINT],
    ),
    conversion(
      'string',
      STRING,
      toText,
      ['string_to_string', STRING],
      ['bool_to_string', BOOL],
      ['bytes_to_string', BYTES],
      ['double_to_string', DOUBLE],
      ['duration_to_string', DURATION],
      ['int64_to_string', INT],
      ['timestamp_to_string', TIMESTAMP],
      ['uint64_to_string', UINT],
    ),
    conversion(
      'timestamp',
      TIMESTAMP,
      toTimestamp,
      ['timestamp_to_timestamp', TIMESTAMP],
      ['int64_to_timestamp', INT],
      ['string_to_timestamp', STRING],
    ),
    conversion(
      'uint',
      UINT,
      toUint,
      ['uint64_to_uint64', UINT],
      ['double_to_uint64', DOUBLE],
      ['int64_to_uint64', INT],
      ['string_to_uint64', STRING],
    ),
    text('contains', (whole, part) => whole.includes(part)),
    text('startsWith', (whole, part) => whole.startsWith(part)),
    text('endsWith', (whole, part) => whole.endsWith(part)),
    declare(
      'matches',
      overload('matches', [STRING, STRING], BOOL, matchesPattern),
      memberOverload('matches_string', [STRING, STRING], BOOL, matchesPattern),
    ),
  ],
  types: [BOOL, BYTES, DOUBLE, INT, listType(DYN), mapType(DYN, DYN), NULL, STRING, TYPE, UINT, DURATION, TIMESTAMP],
};
