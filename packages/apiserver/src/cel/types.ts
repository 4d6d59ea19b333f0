/** CEL's types. Those without parameters are single objects, so that they can be compared by `===`. */

export type Kind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'typeParameter'
  | 'uint';

/** A type: BOOL, INT, … or one that listType, mapType, optionalType, structType or opaqueType made. */
export interface CelType {
  readonly kind: Kind;
  /** As `type(x)` shows it: `int`, `google.protobuf.Timestamp`, `list`. */
  readonly name: string;
  readonly parameters: readonly CelType[];
}

const simple = (kind: Kind, name: string = kind): CelType => ({ kind, name, parameters: [] });

export const BOOL = simple('bool');
export const BYTES = simple('bytes');
export const DOUBLE = simple('double');
export const DURATION = simple('duration', 'google.protobuf.Duration');
export const DYN = simple('dyn');
export const ERROR = simple('error');
export const INT = simple('int');
export const NULL = simple('null', 'null_type');
export const STRING = simple('string');
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp');
export const UINT = simple('uint');
/** The type of types. */
export const TYPE = simple('type');

/** Beyond this many types inside of each other a type is dyn: `[x].map(a, {a: a})` doubles it with every turn. */
const MAX_WEIGHT = 1000;
const weights = new WeakMap<CelType, number>();

function composite(kind: Kind, name: string, parameters: readonly CelType[]): CelType {
  const weight = parameters.reduce((sum, parameter) => sum + (weights.get(parameter) ?? 1), 1);
  if (weight > MAX_WEIGHT)
    return composite(
      kind,
      name,
      parameters.map(() => DYN),
    );
  const type = { kind, name, parameters };
  weights.set(type, weight);
  return type;
}

/** `list(element)`. */
export const listType = (element: CelType): CelType => composite('list', 'list', [element]);

/** `map(key, value)`. */
export const mapType = (key: CelType, value: CelType): CelType => composite('map', 'map', [key, value]);

/** A type whose values only its own functions understand, such as net.IP. */
export const opaqueType = (name: string, ...parameters: CelType[]): CelType => composite('opaque', name, parameters);

/** `optional_type(value)`. */
export const optionalType = (value: CelType): CelType => opaqueType('optional_type', value);

/** A type with fields, which an environment finds by its name. */
export const structType = (name: string): CelType => simple('struct', name);

/** `type(of)`: the type of the name of a type. */
export const typeType = (of: CelType): CelType => composite('type', 'type', [of]);

/** Stands for any type, but for the same one wherever it occurs in a signature. */
export const typeParameter = (name: string): CelType => simple('typeParameter', name);

export const LIST_OF_DYN = listType(DYN);
export const MAP_OF_DYN = mapType(DYN, DYN);

/** Whether the checker lets everything be done with it. */
export const isDyn = (type: CelType): boolean => type.kind === 'dyn';

export const isOptional = (type: CelType): boolean => type.kind === 'opaque' && type.name === 'optional_type';

/** The type inside of an optional; any other type as it is. */
export const unwrapOptional = (type: CelType): CelType => (isOptional(type) ? (type.parameters[0] ?? DYN) : type);

/** Whether two types are the same one. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((parameter, i) => sameType(parameter, b.parameters[i] as CelType));
}

/** As messages show it: `list(int)`, `map(string, dyn)`, `duration`. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'duration':
    case 'timestamp':
    case 'null':
      return type.kind;
    case 'error':
      return '!error!';
    default:
      if (type.parameters.length === 0) return type.name;
      return `${type.name}(${type.parameters.map(formatType).join(', ')})`;
  }
}
