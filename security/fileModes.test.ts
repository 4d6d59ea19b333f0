import { expect, it } from 'vitest';
import { type Entry, modeProblem } from './fileModes.ts';

const entry = (changes: Partial<Entry>): Entry => ({
  path: '/home/x',
  type: 'file',
  mode: 0o100600,
  uid: 7,
  isEnclosed: false,
  ...changes,
});

it.each<[string, Partial<Entry>, RegExp | undefined]>([
  ['a file of ours alone', {}, undefined],
  ['a file that others read', { mode: 0o100644 }, /open to others/],
  ['the same in a directory of ours alone', { mode: 0o100644, isEnclosed: true }, undefined],
  ['a file that others write, wherever it is', { mode: 0o100664, isEnclosed: true }, /can be written by others/],
  ['a certificate that others read', { path: '/home/ca.crt', mode: 0o100644 }, undefined],
  ['a directory that others list', { type: 'directory', mode: 0o040755 }, /open to others/],
  ['a socket that others may see', { type: 'socket', mode: 0o140755 }, /open to others/],
  ['a socket that anybody may connect to', { type: 'socket', mode: 0o140777, isEnclosed: true }, /written by anybody/],
  ['a file of somebody else', { uid: 8 }, /belongs to user 8/],
])('%s', (_, changes, problem) => {
  const found = modeProblem(entry(changes), 7);
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});
