import { expect, it } from 'vitest';
import { normalize } from './normalize.ts';
import { splitWords } from './splitWords.ts';

it('writes the same age for every object, and keeps columns where they were', () => {
  expect(normalize('NAME   AGE\na      3s\nb      4m12s')).toBe('NAME   AGE\na      1s\nb      1s');
  expect(normalize('NAME   AGE     NODE\na      4m12s   n1\nb      3s      10s')).toBe(
    'NAME   AGE   NODE\na      1s    n1\nb      1s    10s',
  );
});

it('leaves an age alone that is none', () => {
  expect(normalize('NAME   AGE\na      <unknown>\n')).toBe('NAME   AGE\na      <unknown>\n');
});

it('finds a table in each paragraph', () => {
  expect(normalize('NAME\na\n\nLAST SEEN   REASON\n2s          Killed')).toBe(
    'NAME\na\n\nLAST SEEN   REASON\n1s          Killed',
  );
});

it('hides how often an event came', () => {
  expect(normalize('LAST SEEN             TYPE\n2m (x3 over 4m12s)    Normal\n1s                    Normal')).toBe(
    'LAST SEEN         TYPE\n1s (x3 over 1s)   Normal\n1s                Normal',
  );
  expect(
    normalize(
      'Events:\n  Type     Reason  Age                From  Message\n  ----     ------  ----               ----  -------\n  Warning  Bad     2s (x2 over 12s)   me    Oh',
    ),
  ).toBe(
    'Events:\n  Type     Reason  Age   From  Message\n  ----     ------  ----  ----  -------\n  Warning  Bad     <age> me    Oh',
  );
});

it('hides times, uids and versions', () => {
  expect(
    normalize(
      'creationTimestamp: "2030-01-02T03:04:05Z"\nresourceVersion: "12"\nuid: 0a1b2c3d-0000-4000-8000-0123456789ab',
    ),
  ).toBe('creationTimestamp: "<time>"\nresourceVersion: "<version>"\nuid: <uid>');
});

it('splits a command line as a shell does', () => {
  expect(splitWords(`get pods -l 'a in (b, c)' --x="y z" -o=json`)).toEqual([
    'get',
    'pods',
    '-l',
    'a in (b, c)',
    '--x=y z',
    '-o=json',
  ]);
});
