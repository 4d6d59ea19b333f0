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
  ['a file of a guest in a directory of ours alone', { uid: 9, isEnclosed: true }, undefined],
  ['a file of a guest elsewhere', { uid: 9 }, /belongs to user 9/],
  ['a directory that a group passes', { type: 'directory', mode: 0o040710 }, /open to others/],
])('%s', (_, changes, problem) => {
  const found = modeProblem(entry(changes), { own: 7, guests: new Set([9]) });
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});

it.each<[string, number, RegExp | undefined]>([
  ['that guests pass', 0o040710, undefined],
  ['that guests list', 0o040750, /open to others/],
  ['that everybody passes', 0o040711, /open to others/],
])('a directory of root %s', (_, mode, problem) => {
  const found = modeProblem(entry({ type: 'directory', mode, uid: 0 }), { own: 0, guests: new Set() });
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});
