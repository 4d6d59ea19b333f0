import { describe, expect, it } from 'vitest';
import type { ContractContext } from './context.ts';

/** Cases about lists and selectors. */
export function listCases(t: ContractContext): void {
  describe('lists', () => {
    const selector = { labelSelector: 'contract=yes' };

    it('come in pages that together show one moment', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await t.maps.create(t.make(name));
      const first = await t.maps.list({ ...t.at, ...selector, limit: 2 });
      expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
      expect(first.metadata.continue).toBeTruthy();
      await t.maps.create(t.make('cc'));
      await t.maps.delete('d', t.at);
      const rest: (string | undefined)[] = [];
      for (let next = first.metadata.continue; next; ) {
        const page = await t.maps.list({ ...t.at, ...selector, limit: 2, continue: next });
        expect(page.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
        rest.push(...page.items.map(({ metadata }) => metadata.name));
        next = page.metadata.continue;
      }
      expect(rest).toEqual(['c', 'd', 'e']);
    });

    it('are iterated as a whole', async () => {
      for (const name of ['a', 'b', 'c']) await t.maps.create(t.make(name));
      const names: (string | undefined)[] = [];
      for await (const { metadata, kind } of t.maps.listAll({ ...t.at, ...selector, limit: 2 }))
        names.push(`${kind} ${metadata.name}`);
      expect(names).toEqual(['ConfigMap a', 'ConfigMap b', 'ConfigMap c']);
    });

    it('select by label and by name', async () => {
      await t.maps.create(t.make('red', {}, { colour: 'red' }));
      await t.maps.create(t.make('blue', {}, { colour: 'blue' }));
      const names = async (options: object) =>
        (await t.maps.list({ ...t.at, ...options })).items.map(({ metadata }) => metadata.name);
      expect(await names({ labelSelector: 'colour=red' })).toEqual(['red']);
      expect(await names({ fieldSelector: 'metadata.name=blue' })).toEqual(['blue']);
    });
  });
}
