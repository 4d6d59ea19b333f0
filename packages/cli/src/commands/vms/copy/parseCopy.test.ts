import { expect, it } from 'vitest';
import { parseCopy } from './parseCopy.ts';

it.each([
  [['a.txt', 'web:/tmp/a'], { direction: 'upload', vm: 'web', local: 'a.txt', remote: '/tmp/a' }],
  [['ada@web:notes', '.'], { direction: 'download', vm: 'web', user: 'ada', local: '.', remote: 'notes' }],
  [['./a:b', 'web:'], { direction: 'upload', vm: 'web', local: './a:b', remote: '' }],
  [['web:C:\\x', 'x'], { direction: 'download', vm: 'web', local: 'x', remote: 'C:\\x' }],
] as const)('%j is understood', ([from, to], copy) => {
  expect(parseCopy(from, to)).toEqual(copy);
});

it.each([
  [['a', 'b'], 'neither a nor b is in a guest'],
  [['web:/a', 'db:/b'], 'both web:/a and db:/b are in a guest; one must be a local file'],
  [['./web:/a', '-oX@web:/b'], 'neither ./web:/a nor -oX@web:/b is in a guest'],
] as const)('%j is refused', ([from, to], message) => {
  expect(() => parseCopy(from, to)).toThrow(message);
});
