import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from './errors.ts';
import { fieldSelectorOf, parseFieldSelector } from './fieldSelector.ts';

const object = { 'metadata.name': 'x', 'status.phase': 'Running' };
const matches = (text: string) => parseFieldSelector(text).matches((name) => object[name as keyof typeof object]);

describe('parseFieldSelector', () => {
  it.each([
    ['', true],
    ['metadata.name=x', true],
    ['metadata.name==x', true],
    ['metadata.name!=x', false],
    ['metadata.name=x,status.phase!=Failed', true],
    ['metadata.name=x,status.phase=Failed', false],
    ['spec.nodeName=', true],
    ['spec.nodeName!=', false],
    [',metadata.name=x,', true],
  ])('%j', (text, expected) => {
    expect(matches(text)).toBe(expected);
  });

  it('reads escapes', () => {
    expect(parseFieldSelector('a=b\\,c\\=d\\\\e').requirements).toEqual([
      { field: 'a', operator: '=', value: 'b,c=d\\e' },
    ]);
  });

  it('knows the value that a field must have', () => {
    expect(parseFieldSelector('a!=b,metadata.name=x').exactValue('metadata.name')).toBe('x');
    expect(parseFieldSelector('metadata.name!=x').exactValue('metadata.name')).toBeUndefined();
  });

  it.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b=c', "invalid field selector 'a=b=c': unescaped character in value: ="],
    ['a=\\b', "invalid field selector 'a=\\b': invalid escape sequence: \\b"],
    ['a=b\\', "invalid field selector 'a=b\\': invalid escape sequence: \\"],
  ])('refuses %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });

  it('law: what is written reads back as the same', () => {
    const requirement = fc.record({
      field: fc.constantFrom('a', 'metadata.name'),
      operator: fc.constantFrom('=' as const, '!=' as const),
      value: fc.string({ unit: fc.constantFrom('a', ',', '=', '\\', '!', ' ') }),
    });
    fc.assert(
      fc.property(fc.array(requirement), (requirements) => {
        expect(parseFieldSelector(String(fieldSelectorOf(requirements))).requirements).toEqual(requirements);
      }),
    );
  });

  it('law: any text is read or refused with ApiError', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ',', '=', '\\', '!') }), (text) => {
        try {
          parseFieldSelector(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
    );
  });
});
