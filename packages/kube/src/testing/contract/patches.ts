import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ContractContext, refused } from './context.ts';

/** Cases about patches. */
export function patchCases(t: ContractContext): void {
  describe('patches', () => {
    beforeEach(async () => {
      await t.maps.create(t.make('one', { keep: 'k', change: 'old', drop: 'd' }));
    });
    const wanted = { keep: 'k', change: 'new', add: 'a' };

    it.each(['merge', 'strategic'] as const)('of type %s change, add and remove fields', async (type) => {
      const body = { data: { change: 'new', add: 'a', drop: null } };
      expect((await t.maps.patch('one', body, { ...t.at, type })).data).toEqual(wanted);
      expect((await t.maps.get('one', t.at)).data).toEqual(wanted);
    });

    it('of type json do as well, step by step', async () => {
      const body = [
        { op: 'test', path: '/data/change', value: 'old' },
        { op: 'replace', path: '/data/change', value: 'new' },
        { op: 'add', path: '/data/add', value: 'a' },
        { op: 'remove', path: '/data/drop' },
      ];
      expect((await t.maps.patch('one', body, { ...t.at, type: 'json' })).data).toEqual(wanted);
    });

    it('of type json change nothing when a test fails', async () => {
      const body = [
        { op: 'replace', path: '/data/keep', value: 'lost' },
        { op: 'test', path: '/data/change', value: 'other' },
      ];
      expect((await refused(t.maps.patch('one', body, { ...t.at, type: 'json' }))).code).toBe(422);
      expect((await t.maps.get('one', t.at)).data?.keep).toBe('k');
    });

    it('of what has changed since are a conflict', async () => {
      const read = await t.maps.get('one', t.at);
      await t.maps.patchIfUnchanged(read, { data: { change: 'new' } });
      expect((await refused(t.maps.patchIfUnchanged(read, { data: { change: 'mine' } }))).reason).toBe('Conflict');
      expect((await t.maps.get('one', t.at)).data?.change).toBe('new');
    });

    it('of one object spare another that has its name by now', async () => {
      const { metadata } = await t.maps.get('one', t.at);
      const namesake = { metadata: { ...metadata, uid: randomUUID() } };
      const patch = { data: { change: 'new' } };
      expect((await refused(t.maps.patchExactly(namesake, patch))).reason).toBe('Conflict');
      expect((await t.maps.patchExactly({ metadata }, patch)).data?.change).toBe('new');
    });

    it('of a type that nobody knows are refused', async () => {
      const path = `/api/v1/namespaces/${t.namespace}/configmaps/one`;
      const patch = t.client.call({ method: 'PATCH', path, body: {}, contentType: 'application/nonsense' });
      // Kubernetes 1.20 answers 406.
      expect([415, 406]).toContain((await refused(patch)).code);
    });
  });
}
