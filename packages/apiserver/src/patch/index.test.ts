import { struct } from '@vireo/api/schema.ts';
import { describe, expect, it } from 'vitest';
import { APPLY_PATCH, applyPatch, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH } from './index.ts';

const schema = struct('Any', '', {});

describe('applyPatch', () => {
  it('chooses by the media type, whatever its parameters', () => {
    expect(applyPatch(JSON_PATCH, {}, [{ op: 'add', path: '/a', value: 1 }])).toEqual({ a: 1 });
    expect(applyPatch(`${MERGE_PATCH}; charset=UTF-8`, { b: 1 }, { a: 1 })).toEqual({ a: 1, b: 1 });
    expect(applyPatch(STRATEGIC_MERGE_PATCH, { b: 1 }, { a: 1 }, schema)).toEqual({ a: 1, b: 1 });
  });

  it.each([
    ['application/json', schema, `${JSON_PATCH}, ${MERGE_PATCH}, ${STRATEGIC_MERGE_PATCH}, ${APPLY_PATCH}`],
    [STRATEGIC_MERGE_PATCH, undefined, `${JSON_PATCH}, ${MERGE_PATCH}, ${APPLY_PATCH}`],
  ])('answers 415 to %s', (type, of, types) => {
    expect(() => applyPatch(type, {}, {}, of)).toThrow(
      expect.objectContaining({
        code: 415,
        message: expect.stringMatching(new RegExp(`${types.replaceAll('+', '\\+')}$`)),
      }),
    );
  });

  it('refuses what is no object or too deep', () => {
    expect(() => applyPatch(JSON_PATCH, {}, [{ op: 'replace', path: '', value: [1] }])).toThrow(
      /json: cannot unmarshal array into Go value of type struct/,
    );
    const deep = JSON.parse(`${'{"a":'.repeat(1001)}1${'}'.repeat(1001)}`);
    expect(() => applyPatch(MERGE_PATCH, {}, deep)).toThrow(/deeper than 1000 levels/);
  });
});
