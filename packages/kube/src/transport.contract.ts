/**
 * What every way to every Kubernetes API server has in common, as a test suite. `http.test.ts` runs it over a socket;
 * the embedded API server runs it over its socket and in process. The cases use only what all servers do.
 */
import { randomUUID } from 'node:crypto';
import { ApiError } from '@vireo/api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import type { ObjectEvent, ResourceClient } from './resourceClient.ts';
import { deepFreeze } from './testing/freeze.ts';
import { ConfigMap, configMap, Namespace } from './testing/kinds.ts';
import type { Transport } from './transport.ts';

export interface ContractSetup {
  readonly transport: Transport;
  cleanup(): Promise<void>;
  /** Makes the server forget its history up to now, where that can be asked of it. */
  forgetHistory?(): Promise<void>;
}

export function transportContract(name: string, setup: () => Promise<ContractSetup>): void {
  describe(`the transport contract: ${name}`, () => {
    let server: ContractSetup;
    let client: Client;
    let maps: ResourceClient<ConfigMap>;
    /** Each case has a namespace of its own. */
    let namespace: string;
    let at: { namespace: string };

    beforeAll(async () => {
      server = await setup();
      client = new Client(server.transport);
      maps = client.of(ConfigMap);
    });
    afterAll(() => server?.cleanup());
    beforeEach(async () => {
      namespace = `contract-${randomUUID().slice(0, 8)}`;
      at = { namespace };
      await client.of(Namespace).create({ metadata: { name: namespace } });
    });

    const make = (
      name: string,
      data: Record<string, string> = {},
      labels: Record<string, string> = { contract: 'yes' },
    ) => {
      const object = configMap(name, data, namespace);
      return { ...object, metadata: { ...object.metadata, labels } };
    };
    const refused = async (promise: Promise<unknown>): Promise<ApiError> => {
      const error = await promise.then(
        () => new Error('not refused'),
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(ApiError);
      return error as ApiError;
    };

    describe('objects', () => {
      it('are created, read, replaced and deleted', async () => {
        const created = await maps.create(make('one', { a: '1' }));
        expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
        expect(created.metadata.uid).toBeTruthy();
        expect(created.metadata.resourceVersion).toBeTruthy();
        expect(Date.parse(created.metadata.creationTimestamp ?? '')).not.toBeNaN();
        expect(await maps.get('one', at)).toEqual(created);

        const updated = await maps.update({ ...created, data: { a: '2' } });
        expect(updated.data).toEqual({ a: '2' });
        expect(updated.metadata.uid).toBe(created.metadata.uid);
        expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);

        await maps.delete('one', at);
        expect((await refused(maps.get('one', at))).reason).toBe('NotFound');
      });

      it('get a name from the server when asked', async () => {
        const { metadata } = await maps.create({ metadata: { generateName: 'made-', namespace } });
        expect(metadata.name).toMatch(/^made-.+/);
      });

      it('are refused a second time under one name', async () => {
        await maps.create(make('one'));
        const error = await refused(maps.create(make('one')));
        expect(error).toMatchObject({ code: 409, reason: 'AlreadyExists' });
        expect(error.message).toBe('configmaps "one" already exists');
      });

      it('are not replaced from a version that is no longer the newest', async () => {
        const old = await maps.create(make('one'));
        await maps.update({ ...old, data: { by: 'somebody' } });
        const error = await refused(maps.update({ ...old, data: { by: 'me' } }));
        expect(error).toMatchObject({ code: 409, reason: 'Conflict' });
        expect((await maps.get('one', at)).data).toEqual({ by: 'somebody' });
      });

      it('are not deleted when another one has the name by now', async () => {
        const { metadata } = await maps.create(make('one'));
        const error = await refused(maps.delete('one', { ...at, preconditions: { uid: randomUUID() } }));
        expect(error).toMatchObject({ code: 409, reason: 'Conflict' });
        await maps.delete('one', { ...at, preconditions: { uid: metadata.uid } });
        expect((await refused(maps.get('one', at))).code).toBe(404);
      });

      it('are deleted together by selector', async () => {
        await maps.create(make('red', {}, { colour: 'red' }));
        await maps.create(make('blue', {}, { colour: 'blue' }));
        await maps.deleteCollection({ ...at, labelSelector: 'colour=red' });
        expect((await refused(maps.get('red', at))).code).toBe(404);
        expect((await maps.get('blue', at)).metadata.name).toBe('blue');
      });
    });

    describe('errors', () => {
      it('are Status objects in the answer, and no rejection of the transport', async () => {
        const path = `/api/v1/namespaces/${namespace}/configmaps/none`;
        const answer = await server.transport.call({ method: 'GET', path });
        expect(answer.status).toBe(404);
        expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 });
      });

      it('carry the name and the kind of what is missing', async () => {
        const error = await refused(maps.get('none', at));
        expect(error.message).toBe('configmaps "none" not found');
        expect(error.status.details).toMatchObject({ name: 'none', kind: 'configmaps' });
      });

      it.each(['a/b', 'with space', 'percent%', '%2e%2e', 'q?x=1#y', 'ünïcode', '✓', ':colon'])(
        'come for the awkward name %j, which reaches no other object',
        async (awkward) => {
          const error = await refused(maps.get(awkward, at));
          expect([400, 404]).toContain(error.code);
        },
      );
    });

    describe('patches', () => {
      beforeEach(async () => {
        await maps.create(make('one', { keep: 'k', change: 'old', drop: 'd' }));
      });
      const wanted = { keep: 'k', change: 'new', add: 'a' };

      it.each(['merge', 'strategic'] as const)('of type %s change, add and remove fields', async (type) => {
        const body = { data: { change: 'new', add: 'a', drop: null } };
        expect((await maps.patch('one', body, { ...at, type })).data).toEqual(wanted);
        expect((await maps.get('one', at)).data).toEqual(wanted);
      });

      it('of type json do as well, step by step', async () => {
        const body = [
          { op: 'test', path: '/data/change', value: 'old' },
          { op: 'replace', path: '/data/change', value: 'new' },
          { op: 'add', path: '/data/add', value: 'a' },
          { op: 'remove', path: '/data/drop' },
        ];
        expect((await maps.patch('one', body, { ...at, type: 'json' })).data).toEqual(wanted);
      });

      it('of type json change nothing when a test fails', async () => {
        const body = [
          { op: 'replace', path: '/data/keep', value: 'lost' },
          { op: 'test', path: '/data/change', value: 'other' },
        ];
        expect((await refused(maps.patch('one', body, { ...at, type: 'json' }))).code).toBe(422);
        expect((await maps.get('one', at)).data?.keep).toBe('k');
      });

      it('with a stale resourceVersion are a conflict', async () => {
        const { metadata } = await maps.get('one', at);
        await maps.patch('one', { data: { change: 'new' } }, { ...at, type: 'merge' });
        const stale = { metadata: { resourceVersion: metadata.resourceVersion }, data: { change: 'mine' } };
        expect((await refused(maps.patch('one', stale, { ...at, type: 'merge' }))).reason).toBe('Conflict');
      });

      it('of a type that nobody knows are refused', async () => {
        const path = `/api/v1/namespaces/${namespace}/configmaps/one`;
        const patch = client.call({ method: 'PATCH', path, body: {}, contentType: 'application/nonsense' });
        expect((await refused(patch)).code).toBe(415);
      });
    });

    describe('lists', () => {
      const selector = { labelSelector: 'contract=yes' };

      it('come in pages that together show one moment', async () => {
        for (const name of ['a', 'b', 'c', 'd', 'e']) await maps.create(make(name));
        const first = await maps.list({ ...at, ...selector, limit: 2 });
        expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
        expect(first.metadata.continue).toBeTruthy();
        await maps.create(make('cc'));
        await maps.delete('d', at);
        const rest: (string | undefined)[] = [];
        for (let next = first.metadata.continue; next; ) {
          const page = await maps.list({ ...at, ...selector, limit: 2, continue: next });
          expect(page.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
          rest.push(...page.items.map(({ metadata }) => metadata.name));
          next = page.metadata.continue;
        }
        expect(rest).toEqual(['c', 'd', 'e']);
      });

      it('are iterated as a whole', async () => {
        for (const name of ['a', 'b', 'c']) await maps.create(make(name));
        const names: (string | undefined)[] = [];
        for await (const { metadata, kind } of maps.listAll({ ...at, ...selector, limit: 2 }))
          names.push(`${kind} ${metadata.name}`);
        expect(names).toEqual(['ConfigMap a', 'ConfigMap b', 'ConfigMap c']);
      });

      it('select by label and by name', async () => {
        await maps.create(make('red', {}, { colour: 'red' }));
        await maps.create(make('blue', {}, { colour: 'blue' }));
        const names = async (options: object) =>
          (await maps.list({ ...at, ...options })).items.map(({ metadata }) => metadata.name);
        expect(await names({ labelSelector: 'colour=red' })).toEqual(['red']);
        expect(await names({ fieldSelector: 'metadata.name=blue' })).toEqual(['blue']);
      });
    });

    describe('watches', () => {
      const selector = { labelSelector: 'contract=yes' };

      /** Collects events until `count` have come. */
      const collect = async (events: AsyncIterable<ObjectEvent<ConfigMap>>, count: number): Promise<string[]> => {
        const seen: string[] = [];
        for await (const { type, object } of events) {
          if (type === 'ERROR') throw ApiError.from(object.code, object);
          seen.push(`${type} ${object.metadata.name}`);
          if (seen.length === count) break;
        }
        return seen;
      };

      it('show every change after the given version, in order', async () => {
        await maps.create(make('before'));
        const { metadata } = await maps.list(at);
        await maps.create(make('a'));
        await maps.patch('a', { data: { x: '1' } }, { ...at, type: 'merge' });
        const events = await maps.watch({ ...at, ...selector, resourceVersion: metadata.resourceVersion });
        await maps.delete('a', at);
        await maps.create(make('b'));
        expect(await collect(events, 4)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED b']);
      });

      it('carry whole objects with rising versions', async () => {
        const { metadata } = await maps.list(at);
        const created = await maps.create(make('a', { x: '1' }));
        const updated = await maps.update({ ...created, data: { x: '2' } });
        const seen: unknown[] = [];
        for await (const { object } of await maps.watch({
          ...at,
          ...selector,
          resourceVersion: metadata.resourceVersion,
        })) {
          seen.push(object);
          if (seen.length === 2) break;
        }
        expect(seen).toEqual([created, updated]);
      });

      it('tell of an object that no longer matches as deleted, and of one that does as added', async () => {
        const { metadata } = await maps.list(at);
        const events = await maps.watch({
          ...at,
          labelSelector: 'colour=red',
          resourceVersion: metadata.resourceVersion,
        });
        await maps.create(make('a', {}, { colour: 'blue' }));
        await maps.patch('a', { metadata: { labels: { colour: 'red' } } }, { ...at, type: 'merge' });
        await maps.patch('a', { metadata: { labels: { colour: 'green' } } }, { ...at, type: 'merge' });
        expect(await collect(events, 2)).toEqual(['ADDED a', 'DELETED a']);
      });

      it('reach every watcher', async () => {
        const { metadata } = await maps.list(at);
        const options = { ...at, ...selector, resourceVersion: metadata.resourceVersion };
        const watchers = await Promise.all(Array.from({ length: 5 }, () => maps.watch(options)));
        const seen = watchers.map((events) => collect(events, 2));
        await maps.create(make('a'));
        await maps.create(make('b'));
        expect(await Promise.all(seen)).toEqual(watchers.map(() => ['ADDED a', 'ADDED b']));
      });

      it('end when they are aborted, without an error', async () => {
        const stop = new AbortController();
        const events = await maps.watch({ ...at, ...selector, signal: stop.signal });
        await maps.create(make('a'));
        const seen: string[] = [];
        for await (const { type } of events) {
          seen.push(type);
          stop.abort();
        }
        expect(seen).toEqual(['ADDED']);
      });

      it('are not opened once aborted', async () => {
        await expect(maps.watch({ ...at, signal: AbortSignal.abort(new Error('changed my mind')) })).rejects.toThrow(
          'changed my mind',
        );
      });

      it('stream the first state, or refuse to', async () => {
        await maps.create(make('a'));
        const opened = maps.watch({
          ...at,
          ...selector,
          sendInitialEvents: true,
          resourceVersionMatch: 'NotOlderThan',
          allowWatchBookmarks: true,
        });
        const events = await opened.catch((error: unknown) => {
          expect(error).toMatchObject({ code: 422 });
        });
        if (!events) return;
        const seen: ObjectEvent<ConfigMap>[] = [];
        for await (const event of events) {
          seen.push(event);
          if (event.type === 'BOOKMARK') break;
        }
        expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
        expect(seen[1]?.object).toMatchObject({ metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } });
      });

      it('from a forgotten version end in 410, as an answer or in the stream', async (context) => {
        if (!server.forgetHistory) return context.skip('this server cannot be made to forget');
        const { metadata } = await maps.list(at);
        await maps.create(make('a'));
        await maps.create(make('b'));
        await server.forgetHistory();
        const outcome = maps
          .watch({ ...at, ...selector, resourceVersion: metadata.resourceVersion })
          .then((events) => collect(events, 1));
        expect((await refused(outcome)).code).toBe(410);
      });
    });

    describe('calls', () => {
      it('reject with the reason of the abort', async () => {
        const signal = AbortSignal.abort(new Error('changed my mind'));
        await expect(maps.get('one', { ...at, signal })).rejects.toThrow('changed my mind');
      });

      it('that are aborted underway leave the others alone', async () => {
        await maps.create(make('one'));
        const stop = new AbortController();
        const aborted = maps.get('one', { ...at, signal: stop.signal }).catch((error: unknown) => error);
        const other = maps.get('one', at);
        stop.abort(new Error('changed my mind'));
        expect((await other).metadata.name).toBe('one');
        await aborted;
        expect((await maps.get('one', at)).metadata.name).toBe('one');
      });

      it('run many at a time', async () => {
        const names = Array.from({ length: 40 }, (_, index) => `many-${String(index).padStart(2, '0')}`);
        await Promise.all(names.map((name) => maps.create(make(name))));
        const { items } = await maps.list({ ...at, labelSelector: 'contract=yes' });
        expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
      });
    });

    describe('values', () => {
      it('come back as they went in, whatever characters they hold', async () => {
        // Parsed, for an object literal would take __proto__ for something else.
        const data = JSON.parse(
          '{"text":"línea\\n第二行 \\ud83e\\udd9c \\u0000 \\"quoted\\" \\\\ \\u2028","empty":"","__proto__":"own","constructor":"own"}',
        );
        await maps.create(make('unicode', data));
        const read = (await maps.get('unicode', at)).data;
        expect(JSON.stringify(Object.entries(read ?? {}).sort())).toBe(JSON.stringify(Object.entries(data).sort()));
      });

      it('that are undefined are not there, as in JSON', async () => {
        const object = make('undefined', { a: '1' });
        const metadata = { ...object.metadata, annotations: undefined, labels: { a: 'b', c: undefined } as never };
        const created = await maps.create({ ...object, metadata, immutable: undefined });
        expect(created.data).toEqual({ a: '1' });
        expect(created.metadata.labels).toEqual({ a: 'b' });
        expect(Object.keys(created)).not.toContain('immutable');
      });

      it('may be large', async () => {
        const text = 'é'.repeat(400_000);
        await maps.create(make('large', { text }));
        expect((await maps.get('large', at)).data?.text).toBe(text);
      });

      it('may have names as long and dotted as names go', async () => {
        const name = `${'a.b-c.'.repeat(42)}z`;
        await maps.create(make(name));
        expect((await maps.get(name, at)).metadata.name).toBe(name);
      });

      it('that the caller hands in are not changed, nor followed when the caller changes them', async () => {
        const frozen = deepFreeze(make('frozen', { a: '1' }));
        await maps.create(frozen);
        const mine = make('mine', { a: '1' });
        await maps.create(mine);
        mine.data!.a = '2';
        expect((await maps.get('mine', at)).data).toEqual({ a: '1' });
      });

      it('that were handed out stay as they are when the object changes', async () => {
        await maps.create(make('one', { a: '1' }));
        const read = await maps.get('one', at);
        const listed = await maps.list({ ...at, labelSelector: 'contract=yes' });
        const before = JSON.stringify([read, listed]);
        await maps.patch('one', { data: { a: '2' }, metadata: { labels: { b: '3' } } }, { ...at, type: 'merge' });
        expect(JSON.stringify([read, listed])).toBe(before);
      });
    });
  });
}
