/**
 * CEL as kube-apiserver 1.36 speaks it: rules of custom resources, admission policies and match conditions.
 *
 * @example
 * const environment = kubernetes.extend({ variables: { object: DYN, request: DYN } });
 * const { program, issues } = environment.compile('object.spec.replicas <= 5');
 * if (!program) throw new Error(issues); // "ERROR: <input>:1:7: undefined field …"
 * if (program.type !== BOOL) throw new Error(`must evaluate to bool but got ${formatType(program.type)}`);
 * const { value, cost } = program.evaluate({ object: fromJson(object), request: fromJson(request) });
 * if (value instanceof CelError) console.log(value.message); // "no such key: replicas"
 *
 * `variables.x` is a field of StructTypes, given by a `LazyObject`. `authorizer` is a variable of type AUTHORIZER, given
 * by `authorizerValue(ask)`. `Object{spec: Object.spec{}}` comes from StructTypes whose `create` makes the values. A
 * budget that several expressions share is a number that the caller counts down; whoever runs many expressions in a row
 * counts `work` as well, and lets others have their turn after each `WORK_LIMIT`.
 */
export {
  declare,
  type FunctionDeclaration,
  type Library,
  memberOverload,
  type Overload,
  overload,
  type StructType,
  type StructTypes,
} from './declarations.ts';
export { type Additions, type Compiled, Environment, type Evaluation, Program, type Variables } from './environment.ts';
export { kubernetes } from './kubernetes.ts';
export {
  type Answer,
  AUTHORIZER,
  authorizerValue,
  type Question,
  RESOURCE_CHECK,
  requestResourceValue,
} from './libraries/authorizer.ts';
export { jsonPatch } from './libraries/jsonPatch.ts';
export { COST_EXCEEDED, PER_CALL_LIMIT, WORK_LIMIT } from './meter.ts';
export { type SchemaType, schemaTypeOf, sizeAt, structsOf } from './schema/types.ts';
export { fromSchema } from './schema/values.ts';
export {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  formatType,
  INT,
  listType,
  mapType,
  NULL,
  opaqueType,
  optionalType,
  STRING,
  sameType,
  structType,
  TIMESTAMP,
  typeParameter,
  UINT,
} from './types.ts';
export { Entries, LazyObject, Values } from './values/collections.ts';
export { fromJson, toJson } from './values/json.ts';
export {
  CelError,
  type CelValue,
  Duration,
  OpaqueValue,
  Optional,
  type Result,
  Timestamp,
  Uint,
} from './values/values.ts';
