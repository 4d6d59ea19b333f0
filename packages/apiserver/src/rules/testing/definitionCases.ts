/** Definitions with rules that kube-apiserver 1.36 refuses. */
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { dear, int, list, object, short, small, text, withRules } from './ruleSchemas.ts';

/**
 * What is wrong, the schema, and the causes: `field: message`, where the field is told from the schema on, `#[0]`
 * stands for a rule, RULE for the rule as JSON, and HINT for how to make it cheaper.
 */
export const definitionCases: readonly (readonly [string, JSONSchemaProps, readonly string[]])[] = [
  ['a rule without text', withRules(small, { rule: ' ' }), ['#[0].rule: Required value: rule is not specified']],
  [
    'a message of spaces',
    withRules(small, { rule: 'true', message: ' ' }),
    ['#[0].message: Invalid value: " ": must be non-empty if specified'],
  ],
  [
    'a message of two lines',
    withRules(small, { rule: 'true', message: 'a\nb' }),
    ['#[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  ],
  [
    'a rule of two lines without a message',
    withRules(small, 'true &&\ntrue'),
    ['#[0].message: Required value: message must be specified if rule contains line breaks'],
  ],
  [
    'a messageExpression of spaces',
    withRules(small, { rule: 'true', messageExpression: ' ' }),
    ['#[0].messageExpression: Required value: messageExpression must be non-empty if specified'],
  ],
  [
    'an unknown reason',
    withRules(small, { rule: 'true', reason: 'Other' }),
    [
      '#[0].reason: Unsupported value: "Other": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
  ],
  [
    'a fieldPath of spaces',
    withRules(small, { rule: 'true', fieldPath: ' ' }),
    [
      '#[0].fieldPath: Invalid value: " ": must be non-empty if specified',
      '#[0].fieldPath: Invalid value: " ": must be a valid path',
    ],
  ],
  [
    'a fieldPath to a field that is not there',
    withRules(small, { rule: 'true', fieldPath: '.b' }),
    ['#[0].fieldPath: Invalid value: ".b": must be a valid path'],
  ],
  [
    'a fieldPath of two lines',
    withRules(small, { rule: 'true', fieldPath: '.a\n' }),
    [
      '#[0].fieldPath: Invalid value: ".a\\n": must not contain line breaks',
      '#[0].fieldPath: Invalid value: ".a\\n": must be a valid path',
    ],
  ],
  [
    'an unknown field',
    withRules(small, 'self.b == 1'),
    [
      `#[0].rule: Invalid value: RULE: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1\n | ....^`,
    ],
  ],
  [
    'several unknown fields',
    withRules(small, "self.b == 1 &&\n  'é' == self.c"),
    ['#[0].message: Required value: message must be specified if rule contains line breaks'],
  ],
  [
    'a syntax error',
    withRules(small, 'self.a =='),
    [
      `#[0].rule: Invalid value: RULE: compilation failed: ERROR: <input>:1:10: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.a ==\n | .........^`,
    ],
  ],
  [
    'a rule that is no bool',
    withRules(small, 'self.a'),
    ['#[0].rule: Invalid value: RULE: cel expression must evaluate to a bool'],
  ],
  [
    'types that do not fit',
    withRules(small, 'self.a > self.n'),
    [
      `#[0].rule: Invalid value: RULE: compilation failed: ERROR: <input>:1:8: found no matching overload for '_>_' applied to '(string, int)'\n | self.a > self.n\n | .......^`,
    ],
  ],
  [
    'a bad pattern',
    withRules(small, "self.a.matches('[')"),
    [
      `#[0].rule: Invalid value: RULE: compilation failed: ERROR: <input>:1:16: invalid matches argument\n | self.a.matches('[')\n | ...............^`,
    ],
  ],
  [
    'a constant that cannot be',
    withRules(small, "int('x') == self.n"),
    [`#[0].rule: Invalid value: RULE: program instantiation failed: type conversion error from 'string' to 'int'`],
  ],
  [
    'a messageExpression that does not compile',
    withRules(small, { rule: 'true', messageExpression: 'self.b' }),
    [
      `#[0].messageExpression: Invalid value: RULE: messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b\n | ....^`,
    ],
  ],
  [
    'a messageExpression that is no text',
    withRules(small, { rule: 'true', messageExpression: 'self.n' }),
    ['#[0].messageExpression: Invalid value: RULE: messageExpression must evaluate to a string'],
  ],
  [
    'an unknown function',
    withRules(small, 'self.a.reverse() == self.a'),
    [
      `#[0].rule: Invalid value: RULE: compilation failed: ERROR: <input>:1:15: found no matching overload for 'reverse' applied to 'string.()'\n | self.a.reverse() == self.a\n | ..............^`,
    ],
  ],
  [
    'a field whose name has no escape',
    withRules(object({ é: text }), 'has(self.é)'),
    [
      `#[0].rule: Invalid value: RULE: compilation failed: ERROR: <input>:1:5: invalid argument to has() macro\n | has(self.é)\n | ....^\nERROR: <input>:1:10: Syntax error: token recognition error at: 'é'\n | has(self.é)\n | .........＾\nERROR: <input>:1:11: Syntax error: no viable alternative at input '.)'\n | has(self.é)\n | .........．^`,
    ],
  ],
  [
    'a field of an unknown type',
    withRules(object({ any: { 'x-kubernetes-preserve-unknown-fields': true } }), 'has(self.any)'),
    [
      `#[0].rule: Invalid value: RULE: compilation failed: ERROR: <input>:1:4: undefined field 'any'\n | has(self.any)\n | ...^`,
    ],
  ],
  [
    'metadata other than names',
    withRules(
      object({
        r: withRules(
          { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: small } },
          'has(self.metadata.labels)',
        ),
      }),
      'true',
    ),
    [
      `.properties[r]#[0].rule: Invalid value: RULE: compilation failed: ERROR: <input>:1:4: undefined field 'labels'\n | has(self.metadata.labels)\n | ...^`,
    ],
  ],
  [
    'oldSelf in a list without keys',
    list(withRules(small, 'self == oldSelf'), { maxItems: 3 }),
    [
      '.items#[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec]',
    ],
  ],
  [
    'oldSelf below a set',
    list(withRules(short, 'self == oldSelf'), { maxItems: 3, 'x-kubernetes-list-type': 'set' }),
    [
      '.items#[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec]',
    ],
  ],
  [
    'optionalOldSelf without oldSelf',
    withRules(small, { rule: 'true', optionalOldSelf: true }),
    ['#[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule'],
  ],
  [
    'oldSelf as if it were not optional',
    withRules(small, { rule: 'oldSelf.a == self.a', optionalOldSelf: true }),
    [
      `#[0].rule: Invalid value: RULE: compilation failed: ERROR: <input>:1:11: found no matching overload for '_==_' applied to '(optional_type(string), string)'\n | oldSelf.a == self.a\n | ..........^`,
      '#[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
    ],
  ],
  [
    'a rule that costs too much',
    list(withRules(text, "self.matches('^[a-z]+$')")),
    [
      '.items#[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x HINT',
      '.items#[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      '!spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x HINT',
    ],
  ],
  [
    'a rule that costs a little too much',
    dear(7000),
    ['.items#[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.120700x HINT'],
  ],
  [
    'nested lists without a limit',
    withRules(object({ l: list(list(list(int))) }), 'self.l.all(a, a.all(b, b.all(c, c > 0)))'),
    [
      '#[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x HINT',
      '#[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      '!spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x HINT',
    ],
  ],
  [
    'a messageExpression that costs too much',
    withRules(object({ l: list(text) }), { rule: 'true', messageExpression: "self.l.map(x, x + x).join(',')" }),
    [
      '#[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of more than 100x HINT',
      '#[0].messageExpression: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      '!spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x HINT',
    ],
  ],
  [
    'rules that cost too much together',
    object(
      Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map((name, i) => [name, dear(6000 - i)]),
      ),
    ),
    [
      '.properties[a].items#[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      '.properties[b].items#[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      '.properties[c].items#[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      '.properties[d].items#[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      '!spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.055779x HINT',
    ],
  ],
  [
    'a default that breaks a rule',
    object({ n: withRules({ ...int, default: 3 }, 'self > 5') }),
    ['.properties[n].default: Invalid value: 3: failed rule: self > 5'],
  ],
  [
    'a default whose rule fails',
    object({ o: withRules({ ...small, default: {} }, 'self.a == "x"') }),
    ['.properties[o].default: Invalid value: "object": no such key: a evaluating rule: self.a == "x"'],
  ],
  [
    'rules in a combination',
    { ...small, anyOf: [withRules({}, 'true')] },
    ['.anyOf[0]#: Forbidden: must be empty to be structural'],
  ],
];
