import { describe, expect, it } from 'vitest';
import { decodeBody } from './body.ts';
import { appliedKeyWarnings } from './fieldValidation.ts';

const read = (text: string): readonly string[] =>
  decodeBody({ bytes: Buffer.from(text), contentType: 'application/yaml' }, () => undefined).strictErrors;
const lines = (text: string): string[] =>
  read(text).flatMap((error) =>
    error
      .split('\n  ')
      .slice(1)
      .map((line) => line.replace(' already set in map', '')),
  );

describe('keys given twice in YAML are found', () => {
  it.each([
    ['on the line of the value', 'a: 1\na:\n  b: 1\n', ['line 3: key "a"']],
    ['each time', 'a: 1\na: 2\na: 3\n', ['line 2: key "a"', 'line 3: key "a"']],
    ['what lies below first', 'a: 1\na:\n  b: 1\n  b: 2\n', ['line 4: key "b"', 'line 3: key "a"']],
    ['in lists', 'a:\n- b: 1\n  b: 2\n', ['line 3: key "b"']],
    ['in braces', 'a: {b: 1,\n b: 2}\n', ['line 2: key "b"']],
    ['without a value', 'a: 1\na:\n', ['line 2: key "a"']],
    ['that are no texts', '1: 1\n1: 2\ntrue: 1\nyes: 2\n', ['line 2: key 1', 'line 4: key true']],
    ['with signs in them', '"a\\"b\\u0001": 1\n"a\\"b\\u0001": 1\n', ['line 2: key "a\\"b\\x01"']],
    ['on the line of its anchor', 'a: 1\na: &x\n  b: 1\n', ['line 2: key "a"']],
    ['where an alias repeats them', 'a: &x {b: 1, b: 2}\nc: *x\n', ['line 1: key "b"', 'line 1: key "b"']],
    ['where a merge brings them', 'a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n', ['line 4: key "b"']],
    ['where merges meet', 'a: &x {b: 1}\nd: &y {b: 2}\nc: {<<: [*x, *y]}\n', ['line 1: key "b"']],
    ['in JSON', '{"a":\n 1, "a":\n {"b": 1, "b": [\n1], "c\\"": "\\\\"}}', ['line 3: key "b"', 'line 3: key "a"']],
    ['not in different objects', '{"a": {"c": 1}, "b": {"c": 1}, "d": [{"c": 1}, {"c": 1}]}', []],
  ])('%s', (_, text, wanted) => {
    expect(lines(text)).toEqual(wanted);
  });

  it('in a time that goes with the length of the text', () => {
    const anchors = Array.from({ length: 5_000 }, (_, i) => `a${i}: &a${i} {}\nb${i}: *a${i}\n`).join('');
    expect(lines(`${anchors}a1: 1\n`)).toEqual(['line 10001: key "a1"']);
    expect(read(`{${'"a":1,'.repeat(400_000)}"b":1}`)[0]?.split('\n')).toHaveLength(1001);
  });
});

it('keys given twice in a configuration to apply are refused, warned of or ignored', () => {
  const errors = read('{"a": 1,\n"a": 2,\n"a": 3}');
  expect(() => appliedKeyWarnings(errors, 'Strict')).toThrow(
    'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 3: key "a" already set in map',
  );
  expect(appliedKeyWarnings(errors, 'Warn')).toEqual([
    'line 2: key "a" already set in map',
    'line 3: key "a" already set in map',
  ]);
  expect(appliedKeyWarnings(errors, 'Ignore')).toEqual([]);
  expect(appliedKeyWarnings([], 'Strict')).toEqual([]);
});
