import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from './store.ts';
import { create, remove, replace } from './testing.ts';

/** What every store does, whatever it is made of. `open` gives an empty one. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: the store contract`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    test('creates, replaces and deletes', async () => {
      const created = await create(store, '/pods/default/a');
      expect(created.object.metadata.resourceVersion).toBe(String(created.revision));
      expect(created.createRevision).toBe(created.revision);
      expect(JSON.parse(created.bytes.toString())).toEqual(created.object);
      expect(store.get('/pods/default/a')).toBe(created);

      const replaced = await replace(store, '/pods/default/a', { value: 2 });
      expect(replaced.revision).toBeGreaterThan(created.revision);
      expect(replaced.createRevision).toBe(created.revision);
      expect(replaced.object.value).toBe(2);

      const deleted = await remove(store, '/pods/default/a');
      expect(deleted.object).toEqual({
        ...replaced.object,
        metadata: { ...replaced.object.metadata, resourceVersion: String(deleted.revision) },
      });
      expect(JSON.parse(deleted.bytes.toString())).toEqual(deleted.object);
      expect(store.get('/pods/default/a')).toBeUndefined();
      expect(store.revision).toBe(deleted.revision);
    });
  });
}
