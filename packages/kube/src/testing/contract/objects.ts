import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ContractContext, refused } from './context.ts';

/** Cases about single objects: the verbs, refusals, aborts. */
export function objectCases(t: ContractContext): void {
  describe('objects', () => {
    it('are created, read, replaced and deleted', async () => {
      const created = await t.maps.create(t.make('one', { a: '1' }));
      expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
      expect(created.metadata.uid).toBeTruthy();
      expect(created.metadata.resourceVersion).toBeTruthy();
      expect(Date.parse(created.metadata.creationTimestamp)).not.toBeNaN();
      expect(await t.maps.get('one', t.at)).toEqual(created);

      const updated = await t.maps.update({ ...created, data: { a: '2' } });
      expect(updated.data).toEqual({ a: '2' });
      expect(updated.metadata.uid).toBe(created.metadata.uid);
      expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);

      await t.maps.delete('one', t.at);
      expect((await refused(t.maps.get('one', t.at))).reason).toBe('NotFound');
    });

    it('get a name from the server when asked', async () => {
      const { metadata } = await t.maps.create({ metadata: { generateName: 'made-', namespace: t.namespace } });
      expect(metadata.name).toMatch(/^made-.+/);
    });

    it('are refused a second time under one name', async () => {
      await t.maps.create(t.make('one'));
      const error = await refused(t.maps.create(t.make('one')));
      expect(error).toMatchObject({ code: 409, reason: 'AlreadyExists' });
      expect(error.message).toBe('configmaps "one" already exists');
    });

    it('are created, or read where one has the name', async () => {
      const first = await t.maps.createOrGet(t.make('one', { by: 'me' }));
      expect(first.wasCreated).toBe(true);
      const second = await t.maps.createOrGet(t.make('one', { by: 'somebody' }));
      expect(second).toEqual({ object: first.object, wasCreated: false });
    });

    it('are created, or read where one has the name and the same controller', async () => {
      const owner = await t.maps.create(t.make('owner'));
      const controlledBy = (uid: string) => {
        const draft = t.make('one');
        const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true };
        return { ...draft, metadata: { ...draft.metadata, ownerReferences: [reference] } };
      };
      const { object } = await t.maps.createOrGet(controlledBy(owner.metadata.uid));
      expect(await t.maps.createOrGet(controlledBy(owner.metadata.uid))).toEqual({ object, wasCreated: false });
      const error = await refused(t.maps.createOrGet(controlledBy(randomUUID())));
      expect(error).toMatchObject({ code: 409, reason: 'AlreadyExists' });
    });

    it('are not replaced from a version that is no longer the newest', async () => {
      const old = await t.maps.create(t.make('one'));
      await t.maps.update({ ...old, data: { by: 'somebody' } });
      const error = await refused(t.maps.update({ ...old, data: { by: 'me' } }));
      expect(error).toMatchObject({ code: 409, reason: 'Conflict' });
      expect((await t.maps.get('one', t.at)).data).toEqual({ by: 'somebody' });
    });

    it('are not deleted when another one has the name by now', async () => {
      const { metadata } = await t.maps.create(t.make('one'));
      const namesake = { metadata: { ...metadata, uid: randomUUID() } };
      expect(await refused(t.maps.deleteExactly(namesake))).toMatchObject({ code: 409, reason: 'Conflict' });
      await t.maps.deleteExactly({ metadata });
      expect((await refused(t.maps.get('one', t.at))).code).toBe(404);
    });

    it('are found, or undefined where there are none', async () => {
      await t.maps.create(t.make('one'));
      expect((await t.maps.find('one', t.at))?.metadata.name).toBe('one');
      expect(await t.maps.find('none', t.at)).toBeUndefined();
    });

    it('are deleted together by selector', async () => {
      await t.maps.create(t.make('red', {}, { colour: 'red' }));
      await t.maps.create(t.make('blue', {}, { colour: 'blue' }));
      await t.maps.deleteCollection({ ...t.at, labelSelector: 'colour=red' });
      expect((await refused(t.maps.get('red', t.at))).code).toBe(404);
      expect((await t.maps.get('blue', t.at)).metadata.name).toBe('blue');
    });
  });

  describe('errors', () => {
    it('are Status objects in the answer, and no rejection of the transport', async () => {
      const path = `/api/v1/namespaces/${t.namespace}/configmaps/none`;
      const answer = await t.server.transport.call({ method: 'GET', path });
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 });
    });

    it('carry the name and the kind of what is missing', async () => {
      const error = await refused(t.maps.get('none', t.at));
      expect(error.message).toBe('configmaps "none" not found');
      expect(error.status.details).toMatchObject({ name: 'none', kind: 'configmaps' });
    });

    it.each(['a/b', 'with space', 'percent%', '%2e%2e', 'q?x=1#y', 'ünïcode', '✓', ':colon'])(
      'come for the awkward name %j, which reaches no other object',
      async (awkward) => {
        const error = await refused(t.maps.get(awkward, t.at));
        expect([400, 404]).toContain(error.code);
      },
    );
  });

  describe('calls', () => {
    it('reject with the reason of the abort', async () => {
      const signal = AbortSignal.abort(new Error('changed my mind'));
      await expect(t.maps.get('one', { ...t.at, signal })).rejects.toThrow('changed my mind');
    });

    it('that are aborted underway leave the others alone', async () => {
      await t.maps.create(t.make('one'));
      const stop = new AbortController();
      const aborted = t.maps.get('one', { ...t.at, signal: stop.signal }).catch((error: unknown) => error);
      const other = t.maps.get('one', t.at);
      stop.abort(new Error('changed my mind'));
      expect((await other).metadata.name).toBe('one');
      await aborted;
      expect((await t.maps.get('one', t.at)).metadata.name).toBe('one');
    });

    it('run many at a time', async () => {
      const names = Array.from({ length: 40 }, (_, index) => `many-${String(index).padStart(2, '0')}`);
      await Promise.all(names.map((name) => t.maps.create(t.make(name))));
      const { items } = await t.maps.list({ ...t.at, labelSelector: 'contract=yes' });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
    });
  });
}
