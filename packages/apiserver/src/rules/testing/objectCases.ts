/** Objects with rules, and what kube-apiserver 1.36 says of them. */
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { int, keyed, list, object, short, small, text, withRules } from './ruleSchemas.ts';

/** A value that rules are run on, and what is wrong with it. */
export interface ObjectCase {
  readonly what: string;
  readonly schema: JSONSchemaProps;
  readonly value: unknown;
  /** What it replaces; it may have been written before there were rules. */
  readonly old?: unknown;
  /** `field: message`, with the field told from the value on. */
  readonly causes: readonly string[];
  readonly warnings?: readonly string[];
}

export const objectCases: readonly ObjectCase[] = [
  { what: 'a rule that holds', schema: withRules(small, "self.a == 'x'"), value: { a: 'x' }, causes: [] },
  {
    what: 'a rule that does not hold',
    schema: withRules(small, "self.a == 'x'"),
    value: { a: 'y' },
    causes: [`: Invalid value: failed rule: self.a == 'x'`],
  },
  {
    what: 'a rule on a text',
    schema: withRules(text, "self == 'x'"),
    value: 'y',
    causes: [`: Invalid value: "y": failed rule: self == 'x'`],
  },
  {
    what: 'a rule on a number',
    schema: withRules(int, 'self > 5'),
    value: 3,
    causes: [': Invalid value: 3: failed rule: self > 5'],
  },
  {
    what: 'a rule on a list',
    schema: withRules(list(int), 'self.size() < 2'),
    value: [1, 2],
    causes: [': Invalid value: failed rule: self.size() < 2'],
  },
  {
    what: 'a rule on elements',
    schema: list(withRules(int, 'self > 1'), { maxItems: 9 }),
    value: [1, 2, 0],
    causes: ['[0]: Invalid value: 1: failed rule: self > 1', '[2]: Invalid value: 0: failed rule: self > 1'],
  },
  {
    what: 'a rule on values of a map',
    schema: { type: 'object', maxProperties: 9, additionalProperties: withRules(int, 'self > 1') },
    value: { x: 1, 'y.z': 2 },
    causes: ['[x]: Invalid value: 1: failed rule: self > 1'],
  },
  {
    what: 'a message',
    schema: withRules(int, { rule: 'self > 5', message: ' at least six ' }),
    value: 3,
    causes: [': Invalid value: 3: at least six'],
  },
  {
    what: 'a messageExpression',
    schema: withRules(small, { rule: 'self.n > 5', messageExpression: "self.a + ' is too small'" }),
    value: { n: 3, a: 'three' },
    causes: [': Invalid value: three is too small'],
  },
  {
    what: 'a messageExpression that fails',
    schema: withRules(small, { rule: 'self.n > 5', message: 'too small', messageExpression: 'self.a' }),
    value: { n: 3 },
    causes: [': Invalid value: too small'],
  },
  {
    what: 'a messageExpression of two lines',
    schema: withRules(small, { rule: 'self.n > 5', messageExpression: "'a\\nb'" }),
    value: { n: 3 },
    causes: [': Invalid value: failed rule: self.n > 5'],
  },
  {
    what: 'a reason',
    schema: withRules(
      int,
      { rule: 'self > 5', reason: 'FieldValueForbidden', message: 'no' },
      { rule: 'self > 6', reason: 'FieldValueRequired', message: 'please' },
      { rule: 'self > 7', reason: 'FieldValueDuplicate', message: 'twice' },
    ),
    value: 3,
    causes: [': Forbidden: no', ': Required value: please', ': Duplicate value: 3'],
  },
  {
    what: 'a fieldPath',
    schema: withRules(
      object({ o: small, m: { type: 'object', additionalProperties: int } }),
      { rule: 'false', fieldPath: '.o.a' },
      { rule: 'false', fieldPath: ".m['x y']" },
    ),
    value: { o: {}, m: {} },
    causes: ['.o.a: Invalid value: failed rule: false', '.m[x y]: Invalid value: failed rule: false'],
  },
  {
    what: 'a field that is missing',
    schema: withRules(small, "self.a == 'x'"),
    value: {},
    causes: [`: Invalid value: "object": no such key: a evaluating rule: self.a == 'x'`],
  },
  {
    what: 'an index that is too large',
    schema: withRules(list(int), 'self[3] > 1'),
    value: [1],
    causes: [': Invalid value: "array": index out of bounds: 3 evaluating rule: self[3] > 1'],
  },
  {
    what: 'a division by zero',
    schema: withRules(int, { rule: '1 / self > 0', message: 'inverse' }),
    value: 0,
    causes: [': Invalid value: "integer": division by zero evaluating rule: inverse'],
  },
  {
    what: 'an overload that is found at run time',
    schema: withRules(object({ p: { 'x-kubernetes-int-or-string': true } }), 'self.p > 1'),
    value: { p: '50%' },
    causes: [
      `: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.p > 1`,
    ],
  },
  {
    what: 'an int or text',
    schema: withRules(
      object({ p: { 'x-kubernetes-int-or-string': true } }),
      "type(self.p) == string ? self.p == '50%' : self.p < 5",
    ),
    value: { p: 7 },
    causes: [`: Invalid value: failed rule: type(self.p) == string ? self.p == '50%' : self.p < 5`],
  },
  {
    what: 'one rule that costs too much',
    schema: withRules(
      list(int, { maxItems: 1000 }),
      { rule: 'self.all(a, self.all(b, a + b >= 0))', message: 'dear' },
      'false',
    ),
    value: Array.from({ length: 1000 }, (_, i) => i),
    causes: [
      `: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: dear`,
    ],
  },
  {
    what: 'rules that cost too much together',
    schema: list(
      withRules(
        list(int, { maxItems: 300 }),
        'self.all(a, self.all(b, a + b >= 0))',
        'self.all(a, self.all(b, a + b >= -1))',
        'false',
      ),
      { maxItems: 8 },
    ),
    value: Array.from({ length: 8 }, () => Array.from({ length: 300 }, () => 1)),
    causes: [
      '[0]: Invalid value: failed rule: false',
      '[1]: Invalid value: failed rule: false',
      '[2]: Invalid value: failed rule: false',
      '[3]: Invalid value: failed rule: false',
      '[4]: Invalid value: failed rule: false',
      '[5]: Invalid value: failed rule: false',
      '[6]: Invalid value: failed rule: false',
      '[7]: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ],
  },
  {
    what: 'null where that is a value',
    schema: withRules(object({ a: { ...text, nullable: true } }), 'has(self.a)'),
    value: { a: null },
    causes: [': Invalid value: failed rule: has(self.a)'],
  },
  { what: 'a value that is not there', schema: object({ a: withRules(text, 'false') }), value: {}, causes: [] },
  {
    what: 'an object that is wrong anyhow',
    schema: withRules(object({ a: text, b: int }, ['a']), 'self.b > 5'),
    value: { b: 3 },
    causes: [
      '.a: Required value',
      '!<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ],
  },
  {
    what: 'an object that is wrong in a way that rules do not mind',
    schema: withRules(object({ b: { ...int, minimum: 4 } }), 'self.b > 5'),
    value: { b: 3 },
    causes: [
      '.b: Invalid value: 3: spec.b in body should be greater than or equal to 4',
      ': Invalid value: failed rule: self.b > 5',
    ],
  },
  {
    what: 'escaped names',
    schema: withRules(
      object({ 'a-b': int, in: int, 'x.y/z': int, a__b: int }),
      'self.a__dash__b + self.__in__ + self.x__dot__y__slash__z + self.a__underscores__b == 10',
    ),
    value: { 'a-b': 1, in: 2, 'x.y/z': 3, a__b: 5 },
    causes: [
      ': Invalid value: failed rule: self.a__dash__b + self.__in__ + self.x__dot__y__slash__z + self.a__underscores__b == 10',
    ],
  },
  {
    what: 'times and bytes',
    schema: withRules(
      object({
        t: { ...text, format: 'date-time' },
        u: { ...text, format: 'duration' },
        y: { ...text, format: 'byte' },
      }),
      "self.t.getFullYear() == 2024 && self.u < duration('1h') && self.y == b'hi'",
    ),
    value: { t: '2024-05-06T07:08:09Z', u: '61m', y: 'aGk=' },
    causes: [
      `: Invalid value: failed rule: self.t.getFullYear() == 2024 && self.u < duration('1h') && self.y == b'hi'`,
    ],
  },
  {
    what: 'a set, whose order does not count',
    schema: withRules(
      object({ a: list(short, { 'x-kubernetes-list-type': 'set', maxItems: 5 }) }),
      "self.a == ['x', 'y']",
    ),
    value: { a: ['y', 'x'] },
    causes: [],
  },
  { what: 'a rule about the past when there is none', schema: withRules(int, 'self >= oldSelf'), value: 3, causes: [] },
  {
    what: 'a rule about the past',
    schema: withRules(int, { rule: 'self >= oldSelf', message: 'must not shrink' }),
    value: 3,
    old: 4,
    causes: [': Invalid value: 3: must not shrink'],
  },
  {
    what: 'a rule about a past that is optional',
    schema: withRules(int, { rule: 'self >= oldSelf.orValue(5)', optionalOldSelf: true }),
    value: 3,
    causes: [': Invalid value: 3: failed rule: self >= oldSelf.orValue(5)'],
  },
  {
    what: 'a rule about the past of an element with a key',
    schema: list(withRules(object({ k: short, n: int }, ['k']), 'self.n >= oldSelf.n'), { ...keyed, maxItems: 5 }),
    value: [
      { k: 'new', n: 0 },
      { k: 'b', n: 1 },
      { k: 'a', n: 3 },
    ],
    old: [
      { k: 'a', n: 3 },
      { k: 'b', n: 2 },
    ],
    causes: ['[1]: Invalid value: failed rule: self.n >= oldSelf.n'],
  },
  {
    what: 'a rule about the past of a value in a map',
    schema: { type: 'object', maxProperties: 5, additionalProperties: withRules(int, 'self >= oldSelf') },
    value: { a: 1, c: 0 },
    old: { a: 2, b: 1 },
    causes: ['[a]: Invalid value: 1: failed rule: self >= oldSelf'],
  },
  {
    what: 'a field that may not be taken away',
    schema: withRules(small, '!has(oldSelf.a) || has(self.a)'),
    value: { n: 1 },
    old: { a: 'x', n: 1 },
    causes: [': Invalid value: failed rule: !has(oldSelf.a) || has(self.a)'],
  },
  {
    what: 'what was wrong before',
    schema: object({ o: withRules(small, { rule: 'self.n > 5', message: 'too small' }), x: int }),
    value: { o: { n: 3 }, x: 1 },
    old: { o: { n: 3 } },
    causes: [],
    warnings: ['.o: Invalid value: too small'],
  },
  {
    what: 'what was wrong before, beside what is wrong now',
    schema: object({
      o: withRules(small, { rule: 'self.n > 5', message: 'too small' }),
      x: withRules(int, 'self > 1'),
    }),
    value: { o: { n: 3 }, x: 1 },
    old: { o: { n: 3 } },
    causes: ['.x: Invalid value: 1: failed rule: self > 1'],
    warnings: ['.o: Invalid value: too small'],
  },
  {
    what: 'what was wrong before, and is wrong otherwise now',
    schema: object({ o: withRules(small, { rule: 'self.n > 5', message: 'too small' }) }),
    value: { o: { n: 4 } },
    old: { o: { n: 3 } },
    causes: ['.o: Invalid value: too small'],
  },
  {
    what: 'what was wrong for the schema before',
    schema: object({ n: { ...int, minimum: 5 }, s: { ...text, maxLength: 3 }, e: { ...text, enum: ['a'] }, x: int }),
    value: { n: 3, s: 'long text', e: 'b', x: 1 },
    old: { n: 3, s: 'long text', e: 'b' },
    causes: [],
  },
  {
    what: 'an element that was wrong before',
    schema: object({
      l: list(withRules(object({ k: short, n: { ...int, minimum: 2 } }, ['k']), 'self.n > 5'), {
        ...keyed,
        maxItems: 5,
      }),
    }),
    value: {
      l: [
        { k: 'b', n: 0 },
        { k: 'a', n: 1 },
      ],
    },
    old: { l: [{ k: 'a', n: 1 }] },
    causes: [
      '.l[0].n: Invalid value: 0: spec.l[0].n in body should be greater than or equal to 2',
      '.l[0]: Invalid value: failed rule: self.n > 5',
    ],
    warnings: ['.l[1]: Invalid value: failed rule: self.n > 5'],
  },
  {
    what: 'an element of a list without keys that was wrong before',
    schema: object({
      l: list(withRules(int, 'self > 5'), { maxItems: 5 }),
      m: list(withRules(int, 'self > 5'), { maxItems: 5 }),
    }),
    value: { l: [1, 7], m: [1] },
    old: { l: [1], m: [1] },
    causes: ['.l[0]: Invalid value: 1: failed rule: self > 5'],
    warnings: ['.m[0]: Invalid value: 1: failed rule: self > 5'],
  },
  {
    what: 'a rule about the past that does not hold for what did not change',
    schema: object({ n: withRules(int, 'self > oldSelf'), x: int }),
    value: { n: 3, x: 1 },
    old: { n: 3 },
    causes: ['.n: Invalid value: 3: failed rule: self > oldSelf'],
  },
];
