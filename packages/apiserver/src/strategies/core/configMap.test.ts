import { expect, test } from 'vitest';
import { changeProblems, problems } from '../../testing/strategies.ts';
import { configMapStrategy } from './configMap.ts';

const configMap = (rest: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, ...rest });

test.each<[string, object, string[]]>([
  ['keys of both kinds', { data: { a: 'x' }, binaryData: { b: 'eA==' } }, []],
  [
    'one key of both kinds',
    { data: { a: 'x' }, binaryData: { a: 'eA==' } },
    ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  ],
  ['a dot', { data: { '.': '' } }, [`data[.]: Invalid value: ".": must not be '.'`]],
  [
    'more than a mebibyte, text and bytes together',
    { data: { a: 'x'.repeat(600_000) }, binaryData: { b: Buffer.alloc(600_000).toString('base64') } },
    ['[]: Too long: may not be more than 1048576 bytes'],
  ],
])('%s', (_, rest, expected) => {
  expect(problems(configMapStrategy, configMap(rest))).toEqual(expected);
});

test('an immutable one stays as it is', () => {
  const old = configMap({ immutable: true, data: { a: 'x' } });
  expect(changeProblems(configMapStrategy, configMap({ immutable: true, data: { a: 'y' } }), old)).toEqual([
    'data: Forbidden: field is immutable when `immutable` is set',
  ]);
  expect(changeProblems(configMapStrategy, configMap({ immutable: true }), configMap({ data: { a: 'x' } }))).toEqual(
    [],
  );
});
