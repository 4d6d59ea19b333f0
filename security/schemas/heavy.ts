import type { Random } from '../../faults/random.ts';
import type { Case, Step } from '../../oracle/case.ts';
import {
  apply,
  CRD_PATH,
  crd,
  crdObject,
  create,
  get,
  jsonPatch,
  mergePatch,
  put,
  type Schema,
  withSpec,
} from '../../oracle/cases/steps.ts';
import { policiesThatMultiply } from './policies.ts';

const LEVELS = 900;
const MANY = 20_000;
const ITEMS = 100_000;
const string = { type: 'string' };
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const rule = (text: string, more: Schema = {}): Schema => ({
  'x-kubernetes-validations': [{ rule: text, ...more }],
});
const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more });
const repeated = <T>(times: number, make: (index: number) => T): T[] =>
  Array.from({ length: times }, (_, i) => make(i));
const members = <T>(times: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(repeated(times, (i) => [`p${i}`, make(i)]));

/** A value within so many objects. */
const within = (levels: number, value: unknown, wrap: (inner: unknown) => unknown): unknown => {
  let whole = value;
  for (let level = 0; level < levels; level++) whole = wrap(whole);
  return whole;
};

const kind = (schema: Schema, ...steps: readonly Step[]): Step[] => [crd(schema), ...steps, get()];
const ofSpec = (spec: Schema, value: unknown): Step[] =>
  kind({ type: 'object', properties: { spec } }, create({ spec: value }), put({ spec: value }));

/** Definitions and objects that are small to send and much to work on. */
const HEAVY: Readonly<Record<string, (random: Random) => readonly Step[]>> = {
  'a deep schema': () =>
    ofSpec(
      within(LEVELS / 2, string, (inner) => ({ type: 'object', properties: { a: inner } })) as Schema,
      within(LEVELS / 2, 'x', (inner) => ({ a: inner })),
    ),
  'a wide schema': () =>
    ofSpec(
      { type: 'object', properties: members(MANY, () => string) },
      members(MANY, () => 'x'),
    ),
  'a wide schema of rules': () =>
    ofSpec(
      { type: 'object', properties: members(2000, () => ({ ...string, maxLength: 5, ...rule('self != "y"') })) },
      members(2000, () => 'x'),
    ),
  'defaults that multiply': () =>
    ofSpec(
      list({ type: 'object', default: {}, properties: { a: { ...string, default: 'x'.repeat(10_000) } } }),
      repeated(ITEMS, () => ({})),
    ),
  'defaults within defaults': () =>
    ofSpec(
      within(8, { ...string, default: 'x' }, (inner) => ({
        type: 'object',
        default: {},
        properties: { a: inner, b: inner, c: inner },
      })) as Schema,
      {},
    ),
  'a long list of a set': () => ofSpec(list(string, { 'x-kubernetes-list-type': 'set' }), repeated(ITEMS, String)),
  'a long list with keys, applied': () => {
    const items = list(
      { type: 'object', required: ['k'], properties: { k: string, v: string } },
      { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    );
    const spec = (v: string) => repeated(MANY, (i) => ({ k: String(i), v }));
    return kind(
      { type: 'object', properties: { spec: items } },
      apply('one', { spec: spec('1') }),
      apply('two', { spec: spec('2') }),
      apply('two', { spec: spec('2') }, { force: true }),
    );
  },
  'errors without end': () =>
    ofSpec(
      list({ type: 'integer' }),
      repeated(ITEMS, () => 'x'),
    ),
  'unknown fields without end': () =>
    kind(
      withSpec({}),
      create({ spec: members(MANY, () => 1) }, { query: { fieldValidation: 'Strict' } }),
      create({ spec: members(MANY, () => 1) }),
    ),
  'a rule for every item': () =>
    ofSpec(
      list(
        { ...string, maxLength: 5, ...rule("self.matches('^[a-z]+$')", { messageExpression: "'no ' + self" }) },
        { maxItems: MANY },
      ),
      repeated(MANY, () => 'X'),
    ),
  'a rule without a bound': () =>
    ofSpec(list(string, rule('self.all(a, self.all(b, self.all(c, a + b != c)))')), repeated(300, String)),
  'a costly rule within its estimate': () =>
    ofSpec(
      list({ ...string, maxLength: 10 }, { maxItems: 100, ...rule('self.all(a, self.all(b, a + b != "x"))') }),
      repeated(100, String),
    ),
  'a rule that grows a text': () =>
    ofSpec(
      { ...string, maxLength: 100, ...rule(`${'('.repeat(20)}self${').replace("a", "aa")'.repeat(20)} == ""`) },
      'a'.repeat(100),
    ),
  'a message that grows': () =>
    ofSpec(
      { ...string, maxLength: 1000, ...rule('false', { messageExpression: `${'self + '.repeat(500)}self` }) },
      'a'.repeat(1000),
    ),
  'a deep rule': () => ofSpec({ ...string, ...rule(`${'('.repeat(5000)}true${')'.repeat(5000)}`) }, 'x'),
  'a rule of many operators': () =>
    ofSpec({ ...string, ...rule(repeated(5000, () => 'self == "x"').join(' || ')) }, 'y'),
  'a rule of many conditions': () =>
    ofSpec({ ...string, ...rule(`${'true ? '.repeat(2000)}true${' : false'.repeat(2000)}`) }, 'y'),
  'nested comprehensions': () =>
    ofSpec(
      list(
        { type: 'integer' },
        { maxItems: 3, ...rule(within(30, 'true', (inner) => `self.all(x, ${inner})`) as string) },
      ),
      [1, 2, 3],
    ),
  'many rules': () =>
    ofSpec(
      {
        ...string,
        maxLength: 5,
        'x-kubernetes-validations': repeated(3000, (i) => ({ rule: `self != '${i}'`, message: `${i}` })),
      },
      'x',
    ),
  'a pattern that multiplies': () => ofSpec({ ...string, pattern: '^((a{1,50}){1,50}){1,50}$' }, 'a'.repeat(50_000)),
  'a pattern that backtracks': () => ofSpec({ ...string, pattern: '^(a|aa|a*)*$' }, `${'a'.repeat(50_000)}b`),
  'a long pattern': () =>
    ofSpec({ ...string, pattern: `^(${repeated(5000, (i) => `a${i}`).join('|')})*$` }, 'a1'.repeat(20_000)),
  'every item of a long list against a pattern': () =>
    ofSpec(
      list({ ...string, pattern: '^(a|b|ab)*c?$' }),
      repeated(ITEMS, () => 'abababab'),
    ),
  'alternatives within alternatives': () =>
    ofSpec(
      { ...open, ...(within(12, { required: ['a'] }, (inner) => ({ anyOf: [inner, { not: inner }] })) as Schema) },
      { b: 1 },
    ),
  'a long enum': () => ofSpec(list({ ...string, enum: repeated(MANY, String) }), repeated(MANY, String)),
  'a long enum that nothing fits': () =>
    ofSpec(
      list({ ...string, enum: repeated(MANY, String) }),
      repeated(MANY, () => 'x'),
    ),
  'a long text that does not fit in many ways': () =>
    ofSpec({ ...string, allOf: repeated(200, (i) => ({ pattern: `^x{${i}}$` })) }, 'y'.repeat(2_500_000)),
  'objects of an enum': () =>
    ofSpec(
      list({ ...open, enum: repeated(MANY, (i) => ({ i })) }),
      repeated(MANY, (i) => ({ i })),
    ),
  'a deep object': () =>
    ofSpec(
      open,
      within(LEVELS, 1, (inner) => ({ a: inner })),
    ),
  'a wide object that several own': () =>
    kind(
      withSpec({ o: open }),
      ...repeated(5, (i) => apply(`m${i}`, { spec: { o: members(5000, (p) => p + i) } }, { force: true })),
    ),
  'copies of copies': () =>
    kind(
      withSpec({ o: open }),
      create({ spec: { o: { a: 'x'.repeat(10_000) } } }),
      jsonPatch(repeated(30, (i) => ({ op: 'copy', from: '/spec/o', path: `/spec/o/p${i}` }))),
    ),
  'policies that multiply': policiesThatMultiply,
  'defaults that come later': () => {
    const spec = (item: Schema) => ({
      type: 'object',
      properties: { spec: list({ type: 'object', properties: item }) },
    });
    const later = crdObject([{ name: 'v1', schema: spec({ a: { ...string, default: 'x'.repeat(10_000) } }) }]);
    return kind(
      spec({}),
      create({ spec: repeated(ITEMS, () => ({})) }),
      { method: 'PATCH', path: CRD_PATH, contentType: 'application/merge-patch+json', body: later },
      get(),
      { method: 'GET', path: '/apis/{group}/v1/widgets' },
      mergePatch({ metadata: { labels: { a: 'b' } } }),
    );
  },
  'managers without end': () =>
    kind(
      withSpec({ o: open }),
      ...repeated(40, (i) => apply(`m${i}`, { spec: { o: { [`p${i}`]: i } } })),
      ...repeated(20, (i) => put({ spec: { o: { x: i } } }, { manager: `u${i}` })),
    ),
};

/** The names of all of them: each is tried at least once. */
export const HEAVY_NAMES = Object.keys(HEAVY);

/** One of them by its name. */
export const heavyCase = (name: string, random: Random): Case => ({ name, area: 'crd', steps: HEAVY[name]!(random) });
