import { expect, test } from 'vitest';
import { StoreCompacted } from './store.ts';
import { storeContract } from './testing/contract.ts';
import { openMemoryStore } from './testing/memory.ts';
import { create, follow } from './testing/writes.ts';

storeContract('memory', async (onError) => openMemoryStore({ onError }));

test('what falls out of the bounded history counts as compacted', async () => {
  const store = openMemoryStore({ historyEvents: 3 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await create(store, `/pods/a/${name}`);
  expect(store.compactRevision).toBe(store.revision - 3);
  expect(() => store.watch('', store.compactRevision - 1, () => {})).toThrow(StoreCompacted);
  const watch = follow(store, '', store.compactRevision);
  await watch.reached(store.revision);
  expect(watch.events.map(({ key }) => key)).toEqual(['/pods/a/c', '/pods/a/d', '/pods/a/e']);
  await store.close();
});
