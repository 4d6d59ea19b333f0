import { expect, it } from 'vitest';
import { TaskStore } from './store.ts';

it('a task runs, reports and is done', async () => {
  const store = new TaskStore();
  const details: (string | undefined)[] = [];
  store.subscribe(() => details.push(store.snapshot()[0]?.detail));
  const result = await store.run('Stop web', async (report) => {
    report('1 of 2');
    return 7;
  });
  expect(result).toBe(7);
  expect(details).toContain('1 of 2');
  expect(store.snapshot()).toMatchObject([{ title: 'Stop web', state: 'done', canRetry: true }]);
});

it('a task that fails says why, rejects, and can be done again', async () => {
  const store = new TaskStore();
  let attempts = 0;
  const work = async (): Promise<void> => {
    attempts += 1;
    if (attempts === 1) throw new Error('no space left');
  };
  await expect(store.run('Create web', work)).rejects.toThrow('no space left');
  expect(store.snapshot()).toMatchObject([{ state: 'failed', detail: 'no space left' }]);
  store.retry(store.snapshot()[0]?.id ?? 0);
  expect(store.snapshot()).toMatchObject([{ state: 'running', detail: undefined }]);
  await expect.poll(() => store.snapshot()[0]?.state).toBe('done');
  expect(attempts).toBe(2);
});

it('what cannot be done twice is not done twice', async () => {
  const store = new TaskStore();
  const work = async (): Promise<void> => {
    throw new Error('the file is gone');
  };
  await expect(store.run('Upload', work, { canRetry: false })).rejects.toThrow();
  store.retry(store.snapshot()[0]?.id ?? 0);
  expect(store.snapshot()).toMatchObject([{ state: 'failed' }]);
});

it('the newest tasks are kept, and running ones always', async () => {
  const store = new TaskStore();
  void store.run('Endless', () => new Promise(() => {}));
  for (let i = 0; i < 60; i++) await store.run(`Task ${i}`, async () => {});
  expect(store.snapshot()).toHaveLength(51);
  expect(store.snapshot()[0]?.title).toBe('Task 59');
  store.clearEnded();
  expect(store.snapshot().map(({ title }) => title)).toEqual(['Endless']);
});
