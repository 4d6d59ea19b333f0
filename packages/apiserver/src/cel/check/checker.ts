import type { FunctionDeclaration, Overload, StructTypes } from '../declarations.ts';
import type {
  Call,
  Comprehension,
  Expr,
  Ident,
  ListLiteral,
  MapLiteral,
  Select,
  StructLiteral,
} from '../syntax/ast.ts';
import { childrenOf } from '../syntax/ast.ts';
import type { Issue } from '../syntax/source.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  ERROR,
  formatType,
  INT,
  isDyn,
  isOptional,
  listType,
  mapType,
  NULL,
  optionalType,
  STRING,
  sameType,
  typeParameter,
  UINT,
  unwrapOptional,
} from '../types.ts';
import { Uint } from '../values/values.ts';
import { Bindings, mostGeneral, substitute, TooComplex } from './unify.ts';

/** What the checker looks names up in. */
export interface CheckScope {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly variables: ReadonlyMap<string, CelType>;
  /** The type of what a name of a type stands for: `int` is of `type(int)`. */
  typeNamed(name: string): CelType | undefined;
  readonly structs: StructTypes;
}

/** Finds the type of every node and the overloads of every call, and writes them into the tree. */
export function check(expr: Expr, scope: CheckScope): { issues: Issue[]; references: ReadonlySet<string> } {
  const checker = new Checker(scope);
  try {
    checker.check(expr);
    checker.finish(expr);
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    checker.issues.push({ offset: undefined, message: 'the types of the expression are too complex' });
  }
  return checker;
}

class Checker {
  readonly issues: Issue[] = [];
  /** The variables of the environment that are mentioned. */
  readonly references = new Set<string>();
  readonly #scope: CheckScope;
  /** Variables of comprehensions, innermost last. */
  readonly #locals: ReadonlyMap<string, CelType>[] = [];
  readonly #bindings = new Bindings();
  #parameters = 0;

  constructor(scope: CheckScope) {
    this.#scope = scope;
  }

  check(expr: Expr): CelType {
    // Macros use some nodes twice; they mean the same in both places.
    expr.type = this.#typeOf(expr);
    return expr.type;
  }

  /** Replaces what is left of type parameters. */
  finish(expr: Expr): void {
    if (expr.type) expr.type = substitute(this.#bindings, expr.type, true);
    for (const child of childrenOf(expr)) this.finish(child);
  }

  #report(offset: number, message: string): CelType {
    this.issues.push({ offset, message });
    return ERROR;
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.value);
      case 'ident':
        return this.#ident(expr);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return this.#comprehension(expr);
    }
  }

  #local(name: string): CelType | undefined {
    for (let i = this.#locals.length - 1; i >= 0; i--) {
      const type = this.#locals[i]?.get(name);
      if (type) return type;
    }
    return undefined;
  }

  #global(name: string): CelType | undefined {
    const variable = this.#scope.variables.get(name);
    if (variable) this.references.add(name);
    return variable ?? this.#scope.typeNamed(name);
  }

  #ident(expr: Ident): CelType {
    const known = this.#local(expr.name) ?? this.#global(expr.name.replace(/^\./, ''));
    return known ?? this.#undeclared(expr.offset, expr.name);
  }

  #undeclared(offset: number, name: string): CelType {
    return this.#report(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #select(expr: Select): CelType {
    const name = expr.testOnly ? undefined : qualifiedName(expr);
    if (name !== undefined && !this.#local(name.split('.', 1)[0] as string)) {
      const global = this.#global(name.replace(/^\./, ''));
      if (global) {
        expr.variable = name.replace(/^\./, '');
        return global;
      }
    }
    const type = this.#field(expr.offset, expr.operand, expr.field, false);
    return expr.testOnly ? BOOL : substitute(this.#bindings, type, false);
  }

  #field(offset: number, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = substitute(this.#bindings, this.check(operand), false);
    const target = unwrapOptional(operandType);
    const type = this.#fieldOf(offset, target, field);
    return optional || isOptional(operandType) ? optionalType(type) : type;
  }

  #fieldOf(offset: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.parameters[1] as CelType;
      case 'struct':
        if (!this.#scope.structs.find(target.name))
          return this.#report(offset, `unexpected failed resolution of '${target.name}'`);
        return this.#structField(offset, target.name, field) ?? ERROR;
      case 'typeParameter':
        this.#assign(DYN, target);
        return DYN;
      case 'dyn':
      case 'error':
        return DYN;
      default:
        this.#report(offset, `type '${formatType(target)}' does not support field selection`);
        return DYN;
    }
  }

  #structField(offset: number, struct: string, field: string): CelType | undefined {
    const type = this.#scope.structs.find(struct)?.field(field);
    if (!type) this.#report(offset, `undefined field '${field}'`);
    return type;
  }

  #call(expr: Call): CelType {
    if (expr.function === '_?._') return this.#optionalField(expr);
    for (const arg of expr.args) this.check(arg);
    if (!expr.target) return this.#namedCall(expr, expr.function);
    const prefix = qualifiedName(expr.target);
    const name = prefix === undefined ? undefined : `${prefix}.${expr.function}`.replace(/^\./, '');
    if (name !== undefined && this.#scope.functions.has(name)) {
      expr.target = undefined;
      return this.#namedCall(expr, name);
    }
    this.check(expr.target);
    return this.#namedCall(expr, expr.function);
  }

  #optionalField(expr: Call): CelType {
    const [operand, field] = expr.args as [Expr, Expr];
    expr.overloads = ['select_optional_field'];
    this.check(field);
    const name = field.kind === 'literal' ? String(field.value) : '';
    return substitute(this.#bindings, this.#field(expr.offset, operand, name, true), false);
  }

  #namedCall(expr: Call, name: string): CelType {
    const declared = this.#scope.functions.get(name.replace(/^\./, ''));
    if (!declared) return this.#undeclared(expr.offset, name);
    expr.function = declared.name;
    if (declared.name === '_&&_' || declared.name === '_||_') return this.#logical(expr, declared.overloads[0]!.id);
    const args = expr.target ? [expr.target, ...expr.args] : expr.args;
    return this.#resolve(
      expr,
      declared,
      args.map((arg) => arg.type as CelType),
    );
  }

  #logical(expr: Call, id: string): CelType {
    expr.overloads = [id];
    const wrong = expr.args.filter((arg) => {
      if (this.#assign(arg.type as CelType, BOOL)) return false;
      this.#mismatch(arg.offset, BOOL, arg.type as CelType);
      return true;
    });
    return wrong.length > 0 ? ERROR : BOOL;
  }

  #resolve(expr: Call, declared: FunctionDeclaration, argTypes: readonly CelType[]): CelType {
    let result: CelType | undefined;
    const ids: string[] = [];
    for (const candidate of declared.overloads) {
      if (candidate.member !== (expr.target !== undefined)) continue;
      const { parameters, result: resultType } = this.#instantiate(candidate);
      if (!this.#bindings.unify(argTypes, parameters)) continue;
      ids.push(candidate.id);
      const type = substitute(this.#bindings, resultType, false);
      if (!result) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = DYN;
    }
    expr.overloads = ids;
    if (result) return result;
    const shown = argTypes.map((type) => formatType(substitute(this.#bindings, type, true)));
    const signature = expr.target ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    return this.#report(expr.offset, `found no matching overload for '${declared.name}' applied to '${signature}'`);
  }

  /** The signature with type parameters of its own, so that those of two calls are not confused. */
  #instantiate({ parameters, result }: Overload): { parameters: readonly CelType[]; result: CelType } {
    if (![...parameters, result].some(hasParameter)) return { parameters, result };
    const known = new Map<string, CelType>();
    const fresh = (name: string): CelType => {
      const type = known.get(name) ?? this.#newParameter();
      known.set(name, type);
      return type;
    };
    return { parameters: parameters.map((type) => renamed(type, fresh)), result: renamed(result, fresh) };
  }

  #newParameter(): CelType {
    return typeParameter(`_var${this.#parameters++}`);
  }

  #assign(from: CelType, to: CelType): boolean {
    return this.#bindings.unify([from], [to]);
  }

  #mismatch(offset: number, expected: CelType, actual: CelType): CelType {
    return this.#report(offset, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);
  }

  /** The type of elements so far and one more. Whether they may differ is looked at later. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    return this.#assign(previous, current) ? mostGeneral(previous, current) : DYN;
  }

  /** The type inside of what is marked as optional. */
  #unwrapped(at: Expr, type: CelType): CelType {
    if (!isOptional(type) && !isDyn(type)) this.#mismatch(at.offset, optionalType(type), type);
    return unwrapOptional(type);
  }

  #list(expr: ListLiteral): CelType {
    let type: CelType | undefined;
    for (const [i, element] of expr.elements.entries()) {
      const elementType = this.check(element);
      type = this.#join(type, expr.optional[i] ? this.#unwrapped(element, elementType) : elementType);
    }
    return listType(type ?? this.#newParameter());
  }

  #map(expr: MapLiteral): CelType {
    let keyType: CelType | undefined;
    let valueType: CelType | undefined;
    for (const { key, value, optional } of expr.entries) {
      keyType = this.#join(keyType, this.check(key));
      const type = this.check(value);
      valueType = this.#join(valueType, optional ? this.#unwrapped(value, type) : type);
    }
    return mapType(keyType ?? this.#newParameter(), valueType ?? this.#newParameter());
  }

  #struct(expr: StructLiteral): CelType {
    const name = expr.typeName.replace(/^\./, '');
    const struct = this.#scope.structs.find(name);
    if (!struct) {
      const named = this.#scope.typeNamed(name);
      if (!named) return this.#undeclared(expr.offset, expr.typeName);
      this.#report(expr.offset, `'${named.parameters[0]?.name}' is not a message type`);
    }
    for (const field of expr.fields) {
      const valueType = this.check(field.value);
      const fieldType = this.#structField(field.offset, name, field.name) ?? ERROR;
      const type = field.optional ? this.#unwrapped(field.value, valueType) : valueType;
      if (this.#assign(fieldType, type)) continue;
      this.#report(
        field.offset,
        `expected type of field '${field.name}' is '${formatType(fieldType)}' but provided type is '${formatType(type)}'`,
      );
    }
    return struct?.type ?? ERROR;
  }

  #comprehension(expr: Comprehension): CelType {
    const rangeType = substitute(this.#bindings, this.check(expr.range), false);
    const accumulatorType = this.check(expr.initial);
    this.#locals.push(new Map([[expr.accumulator, accumulatorType]]));
    this.#locals.push(this.#loopVariables(expr, rangeType));
    this.check(expr.condition);
    this.#assert(expr.condition, BOOL);
    this.check(expr.step);
    this.#assert(expr.step, accumulatorType);
    this.#locals.pop();
    const type = this.check(expr.result);
    this.#locals.pop();
    return substitute(this.#bindings, type, false);
  }

  #assert(expr: Expr, type: CelType): void {
    if (!this.#assign(type, expr.type as CelType)) this.#mismatch(expr.offset, type, expr.type as CelType);
  }

  #loopVariables({ range, variable, variable2 }: Comprehension, rangeType: CelType): ReadonlyMap<string, CelType> {
    const [first, second] = this.#elementTypes(range, rangeType, variable2 !== undefined);
    const variables = new Map([[variable, first]]);
    if (variable2 !== undefined) variables.set(variable2, second);
    return variables;
  }

  #elementTypes(range: Expr, type: CelType, two: boolean): readonly [CelType, CelType] {
    const [first = DYN, second = DYN] = type.parameters;
    switch (type.kind) {
      case 'list':
        return two ? [INT, first] : [first, first];
      case 'map':
        return [first, second];
      case 'dyn':
      case 'error':
      case 'typeParameter':
        this.#assign(DYN, type);
        return [DYN, DYN];
      default:
        this.#report(
          range.offset,
          `expression of type '${formatType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [ERROR, ERROR];
    }
  }
}

function literalType(value: unknown): CelType {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
  }
  if (value === null) return NULL;
  return value instanceof Uint ? UINT : BYTES;
}

const hasParameter = (type: CelType): boolean => type.kind === 'typeParameter' || type.parameters.some(hasParameter);

/** The type with other type parameters. */
function renamed(type: CelType, rename: (name: string) => CelType): CelType {
  if (type.kind === 'typeParameter') return rename(type.name);
  if (type.parameters.length === 0) return type;
  return { ...type, parameters: type.parameters.map((parameter) => renamed(parameter, rename)) };
}

/** `a.b.c` as one name; undefined where it is more than names and dots. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
