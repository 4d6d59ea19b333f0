import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../freeze.ts';
import type { ContractContext } from './context.ts';

/** Cases about what objects may hold, and whose they are. */
export function valueCases(t: ContractContext): void {
  describe('values', () => {
    it('come back as they went in, whatever characters they hold', async () => {
      // Parsed, for an object literal would take __proto__ for something else.
      const data = JSON.parse(
        '{"text":"línea\\n第二行 \\ud83e\\udd9c \\u0000 \\"quoted\\" \\\\ \\u2028","empty":"","__proto__":"own","constructor":"own"}',
      );
      await t.maps.create(t.make('unicode', data));
      const read = (await t.maps.get('unicode', t.at)).data;
      expect(JSON.stringify(Object.entries(read ?? {}).sort())).toBe(JSON.stringify(Object.entries(data).sort()));
    });

    it('that are undefined are not there, as in JSON', async () => {
      const object = t.make('undefined', { a: '1' });
      const metadata = { ...object.metadata, annotations: undefined, labels: { a: 'b', c: undefined } as never };
      const created = await t.maps.create({ ...object, metadata, immutable: undefined });
      expect(created.data).toEqual({ a: '1' });
      expect(created.metadata.labels).toEqual({ a: 'b' });
      expect(Object.keys(created)).not.toContain('immutable');
    });

    it('may be large', async () => {
      const text = 'é'.repeat(400_000);
      await t.maps.create(t.make('large', { text }));
      expect((await t.maps.get('large', t.at)).data?.text).toBe(text);
    });

    it('may have names as long and dotted as names go', async () => {
      const name = `${'a.b-c.'.repeat(42)}z`;
      await t.maps.create(t.make(name));
      expect((await t.maps.get(name, t.at)).metadata.name).toBe(name);
    });

    it('that the caller hands in are not changed, nor followed when the caller changes them', async () => {
      const frozen = deepFreeze(t.make('frozen', { a: '1' }));
      await t.maps.create(frozen);
      const mine = t.make('mine', { a: '1' });
      await t.maps.create(mine);
      mine.data!.a = '2';
      expect((await t.maps.get('mine', t.at)).data).toEqual({ a: '1' });
    });

    it('that were handed out stay as they are when the object changes', async () => {
      await t.maps.create(t.make('one', { a: '1' }));
      const read = await t.maps.get('one', t.at);
      const listed = await t.maps.list({ ...t.at, labelSelector: 'contract=yes' });
      const before = JSON.stringify([read, listed]);
      await t.maps.patch('one', { data: { a: '2' }, metadata: { labels: { b: '3' } } }, { ...t.at, type: 'merge' });
      expect(JSON.stringify([read, listed])).toBe(before);
    });
  });
}
