import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('work on one thing is done in order, also after a failure; work on another does not wait', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  const open = Promise.withResolvers<void>();
  const first = turns.take('a', async () => {
    begun.push('first');
    await open.promise;
    throw new Error('failed');
  });
  const second = turns.take('a', async () => {
    begun.push('second');
    return 2;
  });
  await turns.take('b', async () => void begun.push('other'));
  expect(begun).toEqual(['first', 'other']);
  open.resolve();
  await expect(first).rejects.toThrow('failed');
  expect(await second).toBe(2);
  expect(begun).toEqual(['first', 'other', 'second']);
  expect(await turns.take('a', async () => 3)).toBe(3);
});
