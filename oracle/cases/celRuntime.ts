import type { Case } from '../case.ts';
import { celCase, judged, rules } from './celCases.ts';
import { crd, create, edit, get, mergePatch, withSpec } from './steps.ts';

const string = { type: 'string', maxLength: 20 };

/** CEL rules at work on objects. */
export const CEL_RUNTIME: readonly Case[] = [
  judged(
    'messages',
    [
      'self.i > 3',
      { rule: 'self.i > 4', message: 'too small' },
      { rule: 'self.i > 5', message: '  trimmed  ' },
      { rule: 'self.i > 6', message: 'm', reason: 'FieldValueForbidden' },
      { rule: 'self.i > 7', reason: 'FieldValueRequired', fieldPath: '.i' },
      { rule: 'self.i > 8', reason: 'FieldValueDuplicate', fieldPath: '.o.a' },
      { rule: 'self.i > 9', reason: 'FieldValueInvalid', fieldPath: ".map['k']" },
      { rule: 'self.i > 10', messageExpression: "'s is ' + self.s" },
      { rule: 'self.i > 11', messageExpression: "''", message: 'fallback' },
      { rule: 'self.i > 12', messageExpression: "'a\\nb'", message: 'fallback' },
      { rule: 'self.i > 13', messageExpression: "'   '" },
      { rule: 'self.i > 14', messageExpression: "'  padded '" },
      { rule: 'self.i > 15', messageExpression: 'self.strings[9]', message: 'fallback' },
      { rule: 'self.i > 16', messageExpression: 'self.strings[9]' },
      { rule: 'self.i >\n 17', message: 'two lines' },
      { rule: 'self.i > 18', fieldPath: '.nested.nope', message: 'x' },
    ].filter((rule) => typeof rule === 'string' || rule.fieldPath !== '.nested.nope'),
  ),
  judged('values of different types', [
    "quantity('2') == quantity('1').add(1)",
    "quantity('1').add(1) == quantity('2') && self.i > 3",
    "quantity('1').add(1) == quantity('1').add(1)",
    "quantity('1').add(1) in [quantity('2')] && self.i > 3",
    "quantity('2') in [quantity('1').add(1)]",
    "dyn(ip('::1')) == 1",
    "dyn(ip('::1')) == 1 || self.i > 3",
    "dyn(ip('::1')) != 1 && self.i > 3",
    'dyn(self.list) != 1 && self.i > 3',
    "[dyn(ip('::1'))] == [dyn(1)] && self.i > 3",
    "[dyn(ip('::1'))] + [dyn(2)] == [dyn(1), dyn(2)]",
    "{'a': dyn(self.list)} == {'a': dyn(1)} && self.i > 3",
    "dyn(1) in [dyn(ip('::1'))]",
    "dyn(ip('::1')) in [dyn(1)]",
    "dyn(ip('::1')) in self.list",
    "[dyn(1.5), dyn(['x'])].max() == 1.5",
    "[dyn(1), dyn('x')].max() == 1 && self.i > 3",
    "[dyn(1), dyn(['x'])].isSorted()",
  ]),
  judged('errors while evaluating', [
    'self.list[9] == 1',
    'self.list[-1] == 1',
    "self.map['nope'] == 1",
    '1 / (self.i - 3) == 1',
    '1 % (self.i - 3) == 1',
    'self.objects[1].value == 1',
    'int(self.s) == 1',
    'double(self.s) == 1.0',
    'timestamp(self.s) == self.time',
    'duration(self.s) == self.duration',
    'self.i + 9223372036854775807 > 0',
    'self.i * 9223372036854775807 > 0',
    '-9223372036854775807 - self.i > 0',
    "quantity(self.s) == quantity('1')",
    'ip(self.s).family() == 4',
    'cidr(self.s).prefixLength() == 4',
    "url(self.s).getHost() == 'x'",
    'semver(self.s).major() == 1',
    "self.s.charAt(10) == 'x'",
    "self.s.substring(2, 1) == 'x'",
    "self.ios.startsWith('x')",
    "dyn(self.i) == dyn('x')",
    "dyn(self.i) + dyn('x') == 1",
    'uint(-self.i) == 1u',
    'self.list.min() == self.list.max() && [].min() == 1',
    'optional.none().value() == 1',
    "self.s.matches(self.o.a + '(')",
    { rule: 'self.list[8] == 1', message: 'a message' },
    { rule: 'self.list[7] == 1', messageExpression: "'never'" },
    'self.list[9] == 1 || true',
    'true || self.list[9] == 1',
    'self.list[9] == 1 && false',
    'self.list.exists_one(x, self.list[x + 5] == 1)',
  ]),
  celCase(
    'values at every type of node',
    crd(
      withSpec({
        s: { type: 'string', ...rules(["self == 'never'"]) },
        i: { type: 'integer', ...rules(['self == 99']) },
        d: { type: 'number', ...rules(['self == 99.5']) },
        b: { type: 'boolean', ...rules(['!self && self']) },
        ios: { 'x-kubernetes-int-or-string': true, ...rules(['self == 99']) },
        list: {
          type: 'array',
          maxItems: 3,
          items: { type: 'string', maxLength: 9, ...rules(["self == 'never'"]) },
          ...rules(['self.size() > 9']),
        },
        map: {
          type: 'object',
          maxProperties: 3,
          additionalProperties: { type: 'integer', ...rules(['self == 99']) },
          ...rules(['self.size() > 9']),
        },
        o: {
          type: 'object',
          properties: { a: { type: 'string', ...rules(["self == 'never'"]) } },
          ...rules(['has(self.b)'].slice(1)),
        },
        time: { type: 'string', format: 'date-time', ...rules(["self < timestamp('2000-01-01T00:00:00Z')"]) },
        maybe: { type: 'string', nullable: true, maxLength: 9, ...rules(["self == 'never'"]) },
        resource: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          ...rules(["self.metadata.name == 'never'"]),
        },
      }),
    ),
    create({
      spec: {
        s: 'x',
        i: 1,
        d: 1.5,
        b: true,
        ios: 'x',
        list: ['a', 'b'],
        map: { k: 1, 'l.m/n': 2 },
        o: { a: 'x' },
        time: '2026-01-01T00:00:00Z',
        maybe: null,
        resource: { apiVersion: 'v1', kind: 'X', metadata: { name: 'r' } },
      },
    }),
    create({ spec: { ios: 5, list: [], map: {}, maybe: 'x' } }),
  ),
  celCase(
    'rules at the root',
    crd({
      ...withSpec({ i: { type: 'integer' } }),
      ...rules([
        "self.metadata.name == 'never'",
        "self.kind == 'Widget'",
        "self.apiVersion == 'x'",
        'self.spec.i > 5',
        "self.metadata.generateName == 'x'",
      ]),
    }),
    create({ spec: { i: 1 } }),
    { ...crd({ ...withSpec({}), ...rules(["self.metadata.namespace == 'x'"]) }), query: { dryRun: 'All' } },
    { ...crd({ ...withSpec({}), ...rules(['self.metadata.labels.size() == 1']) }), query: { dryRun: 'All' } },
  ),
  celCase(
    'rules are skipped when the schema fails',
    crd(
      withSpec(
        {
          i: { type: 'integer', maximum: 5 },
          s: { type: 'string', maxLength: 2 },
          e: { type: 'string', enum: ['a'] },
          r: { type: 'object', required: ['q'], properties: { q: { type: 'string' } } },
          l: { type: 'array', items: { type: 'string' }, maxItems: 1 },
        },
        rules(['self.i > 9']),
      ),
    ),
    create({ spec: { i: 6 } }),
    create({ spec: { i: 1, s: 'abc' } }),
    create({ spec: { i: 1, e: 'b' } }),
    create({ spec: { i: 1, r: {} } }),
    create({ spec: { i: 1, l: ['a', 'b'] } }),
    create({ spec: { i: 'x' } }),
    create({ spec: { s: 'ab' } }),
  ),
  celCase(
    'transition rules',
    crd(
      withSpec(
        {
          fixed: { type: 'string', maxLength: 9, ...rules([{ rule: 'self == oldSelf', message: 'is immutable' }]) },
          grows: { type: 'integer', ...rules(['self >= oldSelf']) },
          once: {
            type: 'string',
            maxLength: 9,
            ...rules([{ rule: '!oldSelf.hasValue() || oldSelf.value() == self', optionalOldSelf: true }]),
          },
          list: {
            type: 'array',
            maxItems: 5,
            items: {
              type: 'object',
              required: ['k'],
              properties: { k: string, v: { type: 'integer', ...rules(['self >= oldSelf']) } },
            },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
          },
          map: {
            type: 'object',
            maxProperties: 5,
            additionalProperties: { type: 'integer', ...rules(['self >= oldSelf']) },
          },
          both: {
            type: 'string',
            maxLength: 9,
            ...rules([
              {
                rule: 'self == oldSelf',
                messageExpression: "'was ' + oldSelf + ', would be ' + self",
                reason: 'FieldValueForbidden',
              },
            ]),
          },
        },
        rules(['!has(oldSelf.fixed) || has(self.fixed)']),
      ),
    ),
    create({ spec: { fixed: 'a', grows: 1, list: [{ k: 'one', v: 1 }], map: { a: 1 }, both: 'x' } }),
    mergePatch({ spec: { fixed: 'b' } }),
    mergePatch({ spec: { fixed: null } }),
    mergePatch({ spec: { grows: 0, map: { a: 0, b: 0 }, both: 'y' } }),
    mergePatch({
      spec: {
        list: [
          { k: 'two', v: 0 },
          { k: 'one', v: 0 },
        ],
      },
    }),
    mergePatch({ spec: { once: 'first' } }),
    mergePatch({ spec: { once: 'second' } }),
    mergePatch({ spec: { once: null } }),
    edit({ spec: { grows: 5 } }),
  ),
  celCase(
    'ratcheting',
    crd(
      withSpec({
        s: { type: 'string', maxLength: 9 },
        t: { type: 'string', maxLength: 9 },
        l: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 9 } },
        m: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer' } },
      }),
    ),
    create({ spec: { s: 'bad', t: 'x', l: ['bad', 'ok'], m: { a: 1, b: 2 } } }),
    {
      method: 'PATCH',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{group}',
      contentType: 'application/json-patch+json',
      body: [
        {
          op: 'replace',
          path: '/spec/versions/0/schema/openAPIV3Schema',
          value: withSpec(
            {
              s: { type: 'string', maxLength: 2, ...rules(["self != 'bad'"]) },
              t: { type: 'string', maxLength: 9 },
              l: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 9, ...rules(["self != 'bad'"]) } },
              m: {
                type: 'object',
                maxProperties: 5,
                additionalProperties: { type: 'integer', minimum: 2, ...rules(['self > 1']) },
              },
            },
            rules(["self.t != 'x'"]),
          ),
        },
      ],
    },
    mergePatch({ metadata: { labels: { a: 'b' } } }),
    mergePatch({ spec: { t: 'y' } }),
    mergePatch({ spec: { t: 'x' } }),
    mergePatch({ spec: { t: 'z', l: ['bad', 'ok', 'more'] } }),
    mergePatch({ spec: { m: { b: 3 } } }),
    mergePatch({ spec: { m: { a: 0 } } }),
    mergePatch({ spec: { s: 'also bad' } }),
    edit({}),
    get(),
  ),
  celCase(
    'an evaluation that costs too much',
    crd(
      withSpec({
        l: {
          type: 'array',
          maxItems: 1100,
          items: { type: 'integer' },
          ...rules(['self.all(x, self.all(y, x == y || x != y))']),
        },
      }),
    ),
    create({ spec: { l: Array.from({ length: 100 }, (_, index) => index) } }),
    create({ spec: { l: Array.from({ length: 300 }, (_, index) => index) } }),
    create({ spec: { l: Array.from({ length: 1100 }, (_, index) => index) } }),
  ),
  celCase(
    'an object whose rules cost too much',
    crd(
      withSpec(
        Object.fromEntries(
          Array.from({ length: 15 }, (_, index) => [
            `l${index}`,
            {
              type: 'array',
              maxItems: 600,
              items: { type: 'integer' },
              ...rules(['self.all(x, self.all(y, x == y || x != y))']),
            },
          ]),
        ),
      ),
    ),
    create({
      spec: Object.fromEntries(
        Array.from({ length: 15 }, (_, index) => [`l${index}`, Array.from({ length: 550 }, (_, n) => n)]),
      ),
    }),
  ),
];
