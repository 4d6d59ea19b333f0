import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from './errors.ts';
import {
  EVERYTHING,
  NOTHING,
  parseLabelSelector,
  type Requirement,
  selectorFromObject,
  selectorOf,
  validateLabelSelector,
} from './labelSelector.ts';

describe('parseLabelSelector', () => {
  it.each([
    ['', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a=b'],
    [' a = b , c != d ', 'a=b,c!=d'],
    ['e in (g,f)', 'e in (f,g)'],
    ['e in(f)', 'e in (f)'],
    ['h notin (i)', 'h notin (i)'],
    ['j,!k', 'j,!k'],
    ['a=', 'a='],
    ['a in (,b)', 'a in (,b)'],
    ['n>1,m<2', 'n>1,m<2'],
    ['example.com/app=x', 'example.com/app=x'],
    ['in in (in,notin)', 'in in (in,notin)'],
  ])('reads %j', (text, expected) => {
    expect(String(parseLabelSelector(text))).toBe(expected);
  });

  it.each([
    ['a=b c', /found 'c', expected: ',' or 'end of string'/],
    ['a,', /found '', expected: identifier after ','/],
    ['=b', /found '=', expected: !, identifier, or 'end of string'/],
    ['a in b', /found 'b', expected: '\('/],
    ['a in (b', /found '', expected: ',' or '\)'/],
    ['a in (b c)', /found 'c', expected: ',' or '\)'/],
    ['a b', /found 'b', expected: =, !=, ==, in, notin, >, </],
    ['!', /found '', expected: identifier/],
    ['a===b', /found '=', expected: ',' or 'end of string'/],
    ['a>x', /values\[0\]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer/],
    ['-a=b', /key: Invalid value: "-a": name part must consist of alphanumeric characters/],
    ['a=b%', /values\[0\]\[a\]: Invalid value: "b%": a valid label must be an empty string or consist of/],
    [`a=${'x'.repeat(64)}`, /must be no more than 63 characters/],
  ])('refuses %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
    expect(() => parseLabelSelector(text)).toThrow(ApiError);
  });
});

describe('matching', () => {
  it.each([
    ['a=1', { a: '1' }, true],
    ['a=1', {}, false],
    ['a!=1', {}, true],
    ['a!=1', { a: '1' }, false],
    ['a in (1,2)', { a: '2' }, true],
    ['a notin (1,2)', { a: '2' }, false],
    ['a notin (1)', {}, true],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a>5', { a: '6' }, true],
    ['a>5', { a: 'x' }, false],
    ['a<5', { a: '-6' }, true],
    ['a<5', {}, false],
    ['constructor', {}, false],
    ['a=1,b=2', { a: '1', b: '3' }, false],
  ])('%s on %j', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  it('of the object form: missing is nothing, empty is everything', () => {
    expect(selectorFromObject(undefined)).toBe(NOTHING);
    expect(NOTHING.matches({})).toBe(false);
    expect(selectorFromObject({}).matches({ a: '1' })).toBe(true);
    expect(EVERYTHING.matches(undefined)).toBe(true);
    const selector = {
      matchLabels: { z: '1' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['2', '1'] },
        { key: 'b', operator: 'DoesNotExist' },
      ],
    };
    expect(String(selectorFromObject(selector))).toBe('a in (1,2),!b,z=1');
    expect(selectorFromObject(selector).matches({ z: '1', a: '2' })).toBe(true);
    expect(selectorFromObject(selector).matches({ z: '1', a: '2', b: '' })).toBe(false);
    expect(() => selectorFromObject({ matchExpressions: [{ key: 'a', operator: 'Near' }] })).toThrow(
      /"Near" is not a valid label selector operator/,
    );
  });
});

describe('validateLabelSelector', () => {
  it.each([
    [{ matchLabels: { a: 'b' } }, []],
    [{ matchLabels: { 'a b': 'c' } }, ['spec.selector.matchLabels: Invalid value: "a b": name part']],
    [
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      [
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      [
        "spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      ],
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'Gt', values: [] }] },
      ['spec.selector.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator'],
    ],
  ])('%j', (selector, expected) => {
    const errors = validateLabelSelector(selector, 'spec.selector').map((error) => `${error.field}: ${error.text}`);
    expect(errors).toEqual(expected.map((text) => expect.stringContaining(text)));
  });
});

describe('laws', () => {
  const key = fc.constantFrom('a', 'b', 'example.com/c', 'in', 'notin');
  const value = fc.constantFrom('', '1', '2', 'x', 'in');
  const requirement: fc.Arbitrary<Requirement> = fc.oneof(
    fc.record({ key, operator: fc.constantFrom('=' as const, '!=' as const), values: fc.tuple(value) }),
    fc.record({
      key,
      operator: fc.constantFrom('in' as const, 'notin' as const),
      values: fc.uniqueArray(value, { minLength: 1 }).map((values) => values.sort()),
    }),
    fc.record({ key, operator: fc.constantFrom('exists' as const, '!' as const), values: fc.constant([]) }),
    fc.record({
      key,
      operator: fc.constantFrom('>' as const, '<' as const),
      values: fc.tuple(fc.integer({ min: 0 }).map(String)),
    }),
  );
  const labels = fc.dictionary(key, value, { noNullPrototype: true });

  it('what is written reads back as the same', () => {
    fc.assert(
      fc.property(fc.array(requirement), (requirements) => {
        expect(parseLabelSelector(String(selectorOf(requirements))).requirements).toEqual(requirements);
      }),
    );
  });

  it('`in` is the "or" of `=`', () => {
    fc.assert(
      fc.property(key, fc.uniqueArray(value, { minLength: 1 }), labels, (name, values, object) => {
        const any = values.some((one) => parseLabelSelector(`${name}=${one}`).matches(object));
        expect(parseLabelSelector(`${name} in (${values.join(',')})`).matches(object)).toBe(any);
      }),
    );
  });

  it('negations negate', () => {
    fc.assert(
      fc.property(key, value, labels, (name, one, object) => {
        const matches = (text: string) => parseLabelSelector(text).matches(object);
        expect(matches(`${name}!=${one}`)).toBe(!matches(`${name}=${one}`));
        expect(matches(`${name} notin (${one})`)).toBe(!matches(`${name} in (${one})`));
        expect(matches(`!${name}`)).toBe(!matches(name));
      }),
    );
  });

  it('any text is read or refused with ApiError', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', '=', '!', '(', ')', ',', 'in', '<', '>', '/', '%') }),
        (text) => {
          try {
            parseLabelSelector(text);
          } catch (error) {
            expect(error).toBeInstanceOf(ApiError);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
