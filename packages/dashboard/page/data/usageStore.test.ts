import { expect, it } from 'vitest';
import { UsageStore } from './usageStore.ts';

const list = (...keys: string[]) => ({
  kind: 'list' as const,
  origin: 'guests' as const,
  machines: keys.map((key) => ({ key, figures: { cpuCores: 1 }, spark: [] })),
});

it('rows in sight hear of a sample, and those that have gone do not', () => {
  const store = new UsageStore();
  const heard: string[] = [];
  const leave = store.subscribeTo('a', () => heard.push('a'));
  store.subscribeTo('b', () => heard.push('b'));
  store.take(list('a', 'c'));
  expect(heard).toEqual(['a', 'b']);
  expect(store.get('a')?.figures.cpuCores).toBe(1);
  leave();
  store.take(list('c'));
  expect(heard).toEqual(['a', 'b', 'b']);
  expect(store.get('a')).toBeUndefined();
});

it('figures that cannot be read any more are not shown as if they were of now', () => {
  const store = new UsageStore();
  store.take(list('a'));
  store.take({ kind: 'problem', reason: 'no' });
  expect([store.get('a'), store.problem(), store.version()]).toEqual([undefined, 'no', 2]);
});
