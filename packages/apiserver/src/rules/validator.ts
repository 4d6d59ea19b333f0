/** Runs the rules of a custom resource's schema on its objects. */
import { type FieldError, field, type Schema, type UnknownObject } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import { schemaTypeOf, WORK_LIMIT } from '../cel/index.ts';
import { withObjectMeta } from '../cel/schema/types.ts';
import { isUnchanged } from '../schema/correlation.ts';
import { elementsByKeys } from '../schema/listElements.ts';
import type { Allowance } from './allowance.ts';
import { type CompiledRule, compileRules } from './compile.ts';
import { hasRules } from './definition.ts';
import { newRun, outOfBudget, type Run, runRules } from './run.ts';

/** After this much work others get their turn: about a fortieth of a second. */
const BREATHER = WORK_LIMIT / 2;

/** What rules have to say about an object. Warnings are about parts that were wrong before already. */
export interface RuleFindings {
  readonly errors: FieldError[];
  readonly warnings: string[];
}

/** The rules of one version of a custom resource. They are compiled when they are first needed. */
export class RuleValidator {
  readonly #schema: Schema;
  #root: Node | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Undefined for schemas without rules, so that their objects cost nothing. */
  static for(schema: Schema): RuleValidator | undefined {
    return hasRules(schema) ? new RuleValidator(schema) : undefined;
  }

  /** Runs all rules. `old`: what the object is to replace. Between rules that cost much, others get their turn. */
  async validate(object: UnknownObject, old?: UnknownObject): Promise<RuleFindings> {
    this.#root ??= nodeOf(this.#schema, true);
    const run = newRun();
    let { work } = run;
    for (const _ of this.#root ? visit(this.#root, object, old, ROOT, run) : []) {
      if (work - run.work < BREATHER) continue;
      ({ work } = run);
      await new Promise(setImmediate);
    }
    return run;
  }

  /** Runs all rules at once, on the default of a schema. */
  static onDefault(schema: Schema, value: unknown, path: string, allowance: Allowance): FieldError[] {
    if (!hasRules(schema)) return [];
    const root = nodeOf(schema, schema.embeddedResource === true, allowance);
    if (!root) return [];
    const findings = [value, undefined].map((old) => {
      const run = newRun(allowance.work);
      for (const _ of visit(root, value, old, { ...ROOT, path, ratchets: false }, run)) if (run.budget < 0) break;
      allowance.work = run.work;
      return run.errors;
    });
    return findings.find((errors) => errors.length > 0) ?? [];
  }
}

const BLOCKING = new Set<FieldError['type']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Runs the rules, unless `found` says that the object is not what they are written for. */
export function checkRules(
  rules: RuleValidator,
  object: UnknownObject,
  old: UnknownObject | undefined,
  found: readonly FieldError[],
): Promise<RuleFindings> | RuleFindings {
  if (!found.some(({ type }) => BLOCKING.has(type))) return rules.validate(object, old);
  const why =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return { errors: [field.invalid('<nil>', null, why)], warnings: [] };
}

/** A node of the schema with rules, or with such nodes below it. */
interface Node {
  readonly schema: Schema;
  /** The schema that expressions see: of a resource, with its name. */
  readonly seen: Schema;
  readonly rules: readonly CompiledRule[];
  /** Why the rules cannot be run. */
  readonly failure?: string;
  readonly items?: Node;
  readonly values?: Node;
  readonly properties?: ReadonlyMap<string, Node>;
}

function nodeOf(schema: Schema, isResource: boolean, allowance?: Allowance): Node | undefined {
  if (!hasRules(schema)) return undefined;
  const below = (child: Schema): Node | undefined => nodeOf(child, child.embeddedResource === true, allowance);
  const items = schema.items && below(schema.items);
  const values = schema.values && below(schema.values);
  const properties = new Map<string, Node>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const node = below(property.schema);
    // Fields that expressions cannot see are left out altogether.
    if (node && schemaTypeOf(property.schema, 'selfType', property.schema.embeddedResource)) properties.set(name, node);
  }
  return {
    schema,
    seen: isResource ? withObjectMeta(schema) : schema,
    ...rulesOf(schema, isResource, allowance),
    ...(items && { items }),
    ...(values && { values }),
    ...(properties.size > 0 && { properties }),
  };
}

function rulesOf(
  schema: Schema,
  isResource: boolean,
  allowance: Allowance | undefined,
): Pick<Node, 'rules' | 'failure'> {
  if (!schema.validations?.length) return { rules: [] };
  const type = schemaTypeOf(schema, 'selfType', isResource);
  if (type) return { rules: compileRules(schema, type, allowance) };
  const failure = 'rule compiler initialization error: failed to convert to declType for CEL validation rules';
  return { rules: [], failure };
}

/** Where a value stands, and whether errors of it are forgiven. */
interface Place {
  readonly path: string;
  /** Whether they are, if the value is what it was before. */
  readonly ratchets: boolean;
  /** Whether they are because the list around the value, whose elements have no keys, is what it was before. */
  readonly isInsideUnchanged: boolean;
}

const ROOT: Place = { path: '', ratchets: true, isInsideUnchanged: false };

/** Runs the rules from the top down. Gives way after each of them. */
function* visit(node: Node, value: unknown, old: unknown, place: Place, run: Run): Generator<Run, void> {
  if (value === null || value === undefined || run.budget < 0) return;
  yield* checkNode(node, value, old, place, run);
  if (Array.isArray(value)) yield* visitItems(node, value, old, place, run);
  else if (isObject(value)) yield* visitFields(node, value, old, place, run);
}

function* checkNode(node: Node, value: unknown, old: unknown, place: Place, run: Run): Generator<Run, void> {
  const { rules, failure, schema } = node;
  const at = place.path === '' ? '<nil>' : place.path;
  if (failure !== undefined) run.errors.push(field.invalid(at, schema.type ?? '', failure));
  if (rules.length === 0) return;
  if (run.budget === 0) {
    run.errors.push(outOfBudget(at, schema));
    run.budget = -1;
    return;
  }
  let forgiven: boolean | undefined;
  const forgives = (): boolean => {
    forgiven ??= place.isInsideUnchanged || (place.ratchets && old !== undefined && isUnchanged(value, old, schema));
    return forgiven;
  };
  yield* runRules(rules, node.seen, value, old, place.path, forgives, run);
}

/** Elements of lists have an old value only where they have keys. Where they have none, the list as a whole counts. */
function* visitItems(node: Node, list: readonly unknown[], old: unknown, place: Place, run: Run): Generator<Run, void> {
  const { items, schema } = node;
  if (!items) return;
  const before = elementsByKeys(old, schema);
  const isInsideUnchanged =
    place.isInsideUnchanged || (!before && place.ratchets && old !== undefined && isUnchanged(list, old, schema));
  for (const [i, element] of list.entries()) {
    const at = { path: `${place.path}[${i}]`, ratchets: place.ratchets, isInsideUnchanged };
    yield* visit(items, element, before?.(element), at, run);
  }
}

function* visitFields(
  { properties, values }: Node,
  object: Record<string, unknown>,
  old: unknown,
  place: Place,
  run: Run,
): Generator<Run, void> {
  const before = (key: string): unknown => (isObject(old) ? own(old, key) : undefined);
  for (const key of Object.keys(object)) {
    const property = properties?.get(key);
    const child = property ?? values;
    if (!child) continue;
    const path = property ? `${place.path === '' ? '' : `${place.path}.`}${key}` : `${place.path}[${key}]`;
    // The old object is read in the version of the request, so these two cannot have been wrong before.
    const ratchets = place.ratchets && !(place.path === '' && (key === 'apiVersion' || key === 'kind'));
    yield* visit(child, object[key], before(key), { ...place, path, ratchets }, run);
  }
}
