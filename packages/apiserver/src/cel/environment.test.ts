import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expressionText } from '../testing/expressionArbitrary.ts';
import {
  AUTHORIZER,
  authorizerValue,
  BOOL,
  CelError,
  type CelValue,
  COST_EXCEEDED,
  DYN,
  Entries,
  Environment,
  type Evaluation,
  formatType,
  fromJson,
  INT,
  jsonPatch,
  kubernetes,
  LazyObject,
  PER_CALL_LIMIT,
  type Program,
  type Question,
  RESOURCE_CHECK,
  requestResourceValue,
  type StructTypes,
  structType,
  toJson,
  WORK_LIMIT,
} from './index.ts';

function compiled(environment: Environment, source: string): Program {
  const { program, issues } = environment.compile(source);
  if (!program) throw new Error(issues);
  return program;
}

const dynamic = kubernetes.extend({ variables: { object: DYN, self: DYN } });

/** What an expression gives for some JSON. */
const evaluate = (source: string, self: unknown, limit?: number): Evaluation =>
  compiled(dynamic, source).evaluate({ self: fromJson(self), object: fromJson(self) }, limit);

const messageOf = ({ value }: Evaluation): unknown => (value instanceof CelError ? value.message : value);

describe('an environment', () => {
  it('knows the variables that it was given, and their types', () => {
    const environment = kubernetes.extend({ variables: { object: DYN, count: INT } });
    expect(formatType(compiled(environment, 'count + 1').type)).toBe('int');
    expect(compiled(environment, 'object.a > count').type).toBe(BOOL);
    expect([...compiled(environment, 'object.a > 1').references]).toEqual(['object']);
    expect(kubernetes.compile('object').issues).toContain("undeclared reference to 'object'");
  });

  it('has no functions unless it is given some', () => {
    expect(Environment.empty.compile('1 + 1').issues).toContain("undeclared reference to '_+_'");
  });

  it('finds variables of policies when they are asked for, and once', () => {
    const asked: string[] = [];
    const variable = (name: string, value: CelValue) => {
      asked.push(name);
      return value;
    };
    const variables = new LazyObject(
      new Map([
        ['x', () => variable('x', 1n)],
        ['y', () => variable('y', 2n)],
        ['z', () => variable('z', 3n)],
      ]),
    );
    const type = structType('kubernetes.variables');
    const fields: Readonly<Record<string, typeof INT>> = { x: INT, y: INT, z: INT };
    const structs: StructTypes = {
      find: (name) => (name === type.name ? { type, field: (key) => fields[key] } : undefined),
    };
    const environment = kubernetes.extend({ variables: { variables: type }, structs });
    const program = compiled(environment, 'variables.x + variables.x == variables.y || variables.z == 0');
    expect(program.evaluate({ variables }).value).toBe(true);
    expect(asked).toEqual(['x', 'y']);
    expect(environment.compile('variables.w').issues).toContain("undefined field 'w'");
  });

  it('asks what users may do', () => {
    const questions: Question[] = [];
    const ask = (question: Question) => {
      questions.push(question);
      return { allowed: question.verb === 'get', reason: 'because' };
    };
    const environment = kubernetes.extend({
      variables: { authorizer: AUTHORIZER, 'authorizer.requestResource': RESOURCE_CHECK },
    });
    const values: Record<string, CelValue> = {
      authorizer: authorizerValue(ask),
      'authorizer.requestResource': requestResourceValue(ask, {
        group: 'apps',
        resource: 'deployments',
        namespace: 'team',
        name: 'web',
      }),
    };
    const allowed = (source: string) => compiled(environment, source).evaluate(values).value;
    expect(allowed("authorizer.group('').resource('pods').namespace('a').name('b').check('get').allowed()")).toBe(true);
    expect(allowed("authorizer.path('/healthz').check('post').reason()")).toBe('because');
    expect(allowed("authorizer.requestResource.check('get').allowed()")).toBe(true);
    expect(questions[0]).toEqual({ verb: 'get', group: '', resource: 'pods', namespace: 'a', name: 'b' });
    expect(questions[2]).toMatchObject({ verb: 'get', group: 'apps', resource: 'deployments', name: 'web' });
  });

  it('makes objects of the types that it was given', () => {
    const fields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      Object: { spec: 'Object.spec' },
      'Object.spec': { replicas: 'int' },
    };
    const structs: StructTypes = {
      find: (name) =>
        fields[name] && {
          type: structType(name),
          field: (key) => {
            const type = fields[name]?.[key];
            return type === undefined ? undefined : type === 'int' ? INT : structType(type);
          },
          create: (values) => new Entries(new Map([...values].map(([key, value]) => [key, [key, value]]))),
        },
    };
    const environment = kubernetes.extend({ structs, libraries: [jsonPatch] });
    const program = compiled(environment, 'Object{spec: Object.spec{replicas: 1 + 2}}');
    expect(formatType(program.type)).toBe('Object');
    expect(toJson(program.evaluate({}).value)).toEqual({ spec: { replicas: 3 } });
    expect(environment.compile('Object{spec: 1}').issues).toContain(
      "expected type of field 'spec' is 'Object.spec' but provided type is 'int'",
    );
    expect(environment.compile('Object{other: 1}').issues).toContain("undefined field 'other'");
    expect(compiled(environment, "jsonpatch.escapeKey('a/b~c')").evaluate({}).value).toBe('a~1b~0c');
  });
});

describe('a run', () => {
  it.each<[string, unknown, number | undefined]>([
    ['self.all(x, self.all(y, self.all(z, x + y + z >= 0)))', Array.from({ length: 200 }, (_, i) => i), undefined],
    ['self.size() == 3', [1, 2, 3], 2],
    // What the cost of Kubernetes hardly notices.
    ['self.all(x, (object + object).size() > 0)', Array.from({ length: 9000 }, () => 'a'), undefined],
    [
      'self.b.all(x, (self.a + self.a).size() > 0)',
      { a: 'a'.repeat(1e6), b: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0] },
      undefined,
    ],
    [`self${'.map(x, x + x)'.repeat(50)}.size() > 0`, ['x'.repeat(1000)], undefined],
    ['self.matches("(a*)*(b|c){500}(a|b|c)*d{400}")', 'ab'.repeat(100_000), undefined],
    ['self.all(x, self.all(y, self == self))', Array.from({ length: 300 }, (_, i) => [i]), undefined],
    [`${'('.repeat(40)}self${').replace("a", "aa")'.repeat(40)} == ""`, 'a', undefined],
  ])('of %s ends at its limit', (source, self, limit) => {
    const evaluation = evaluate(source, self, limit);
    expect(messageOf(evaluation)).toBe(COST_EXCEEDED);
    expect(evaluation.cost).toBeGreaterThan(limit ?? PER_CALL_LIMIT);
  });

  it('gives values that can be written out, unless they are too large', () => {
    const { value } = evaluate(`${'['.repeat(30)}self${'].map(x, [x, x])[0]'.repeat(30)}`, 1);
    expect(toJson(value)).toMatchObject({ message: COST_EXCEEDED });
    const small = evaluate("{'a': [dyn(1), dyn(2.5), dyn('x'), dyn(null), dyn(b'hi'), dyn(duration('1m'))]}", 1);
    expect(toJson(small.value)).toEqual({ a: [1, 2.5, 'x', null, 'aGk=', '60s'] });
  });

  it('tells errors of the expression apart from what it gives', () => {
    expect(messageOf(evaluate('self.a.b', { a: {} }))).toBe('no such key: b');
    expect(messageOf(evaluate('self.a + 1', { a: 'x' }))).toBe('no such overload');
    expect(messageOf(evaluate('self.a > 1.5', { a: 2 }))).toBe(true);
  });
});

describe('laws of expressions', () => {
  it('law: any text is compiled or refused, and any run of it ends within its budget', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(
        expressionText(),
        fc.record({ a: json, l: fc.array(json), m: fc.dictionary(fc.string(), json) }),
        (source, self) => {
          const { program, issues } = dynamic.compile(source);
          expect(program === undefined).toBe(issues !== undefined);
          if (!program) return;
          const { value, cost, work } = program.evaluate({ self: fromJson(self), object: null });
          expect(work).toBeLessThanOrEqual(2 * WORK_LIMIT);
          if (!(value instanceof CelError && value.message === COST_EXCEEDED))
            expect(cost).toBeLessThanOrEqual(PER_CALL_LIMIT);
          // The same again: nothing is left over, and nothing depends on the time.
          expect(program.evaluate({ self: fromJson(self), object: null })).toMatchObject({ cost, work });
        },
      ),
      { numRuns: 1500 },
    );
  });
});
