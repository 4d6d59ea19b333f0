import { expect, it } from 'vitest';
import { Steps } from './progress.ts';

it('steps are reported once each and in order, and whoever disposes of them waits for the last', async () => {
  const reported: string[] = [];
  const slow = Promise.withResolvers<void>();
  const steps = new Steps(async (text) => {
    if (text === 'first') await slow.promise;
    if (text === 'lost') throw new Error('the server does not respond');
    reported.push(text);
  });
  for (const text of ['first', 'first', 'lost', 'last']) steps.set(text);
  const ended = steps[Symbol.asyncDispose]().then(() => reported.push('result'));
  slow.resolve();
  await ended;
  expect(reported).toEqual(['first', 'last', 'result']);
});
