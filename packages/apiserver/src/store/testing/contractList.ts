import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { create, type OpenStore, remove } from './writes.ts';

/** Listing and counting by prefix. */
export function listContract(open: OpenStore): void {
  const keys = [
    '/namespaces/default',
    '/pods/a-b/z',
    '/pods/a/x',
    '/pods/a/y',
    '/pods/b/x',
    '/podtemplates/a/x',
    'apps/deployments/a/x',
  ];
  let store: Store;
  beforeEach(async () => {
    store = await open();
    await Promise.all(keys.toReversed().map((key) => create(store, key)));
  });
  afterEach(() => store.close());

  const list = (prefix: string, options?: Parameters<Store['list']>[1]): string[] =>
    store.list(prefix, options).map(({ key }) => key);

  test.each([
    ['', keys],
    ['/', keys.slice(0, 6)],
    ['/pods/', keys.slice(1, 5)],
    ['/pods/a/', ['/pods/a/x', '/pods/a/y']],
    ['/pods/a/x', ['/pods/a/x']],
    ['/pods/a', []],
    ['/pods', []],
    ['apps/', ['apps/deployments/a/x']],
    ['apps/deployments/', ['apps/deployments/a/x']],
    ['batch/jobs/', []],
  ])('%j covers %j', (prefix, expected) => {
    expect(list(prefix)).toEqual(expected);
    expect(store.count(prefix)).toBe(expected.length);
  });

  test('pages follow each other without gap or overlap, whatever their size', () => {
    for (const prefix of ['', '/pods/', '/pods/a/']) {
      for (const limit of [1, 2, 3, 100]) {
        const pages: string[] = [];
        for (;;) {
          const page = list(prefix, { startAfter: pages.at(-1), limit });
          if (page.length === 0) break;
          expect(page.length).toBeLessThanOrEqual(limit);
          pages.push(...page);
          expect(pages.length).toBeLessThanOrEqual(keys.length);
        }
        expect(pages).toEqual(list(prefix));
      }
    }
  });

  test('a page starts after a key that is gone, and is empty after the last', async () => {
    await remove(store, '/pods/a/x');
    expect(list('/pods/', { startAfter: '/pods/a/x' })).toEqual(['/pods/a/y', '/pods/b/x']);
    expect(list('/pods/', { startAfter: '/podtemplates/a/x' })).toEqual([]);
    expect(list('/pods/a/', { startAfter: '/namespaces/default' })).toEqual(['/pods/a/y']);
    expect(list('/pods/a/y', { startAfter: '/pods/a/y' })).toEqual([]);
  });

  test('a list is a snapshot', async () => {
    const before = store.list('/pods/a/');
    await remove(store, '/pods/a/x');
    expect(before.map(({ key }) => key)).toEqual(['/pods/a/x', '/pods/a/y']);
  });
}
