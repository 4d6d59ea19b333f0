import { ApiError } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import type { ObjectEvent } from '../../resourceClient.ts';
import type { ConfigMap } from '../kinds.ts';
import { type ContractContext, refused } from './context.ts';

/** Cases about watches. */
export function watchCases(t: ContractContext): void {
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
      await t.maps.create(t.make('before'));
      const { metadata } = await t.maps.list(t.at);
      await t.maps.create(t.make('a'));
      await t.maps.patch('a', { data: { x: '1' } }, { ...t.at, type: 'merge' });
      const events = await t.maps.watch({ ...t.at, ...selector, resourceVersion: metadata.resourceVersion });
      await t.maps.delete('a', t.at);
      await t.maps.create(t.make('b'));
      expect(await collect(events, 4)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED b']);
    });

    it('carry whole objects with rising versions', async () => {
      const { metadata } = await t.maps.list(t.at);
      const created = await t.maps.create(t.make('a', { x: '1' }));
      const updated = await t.maps.update({ ...created, data: { x: '2' } });
      const seen: unknown[] = [];
      for await (const { object } of await t.maps.watch({
        ...t.at,
        ...selector,
        resourceVersion: metadata.resourceVersion,
      })) {
        seen.push(object);
        if (seen.length === 2) break;
      }
      expect(seen).toEqual([created, updated]);
    });

    it('tell of an object that no longer matches as deleted, and of one that does as added', async () => {
      const { metadata } = await t.maps.list(t.at);
      const events = await t.maps.watch({
        ...t.at,
        labelSelector: 'colour=red',
        resourceVersion: metadata.resourceVersion,
      });
      await t.maps.create(t.make('a', {}, { colour: 'blue' }));
      await t.maps.patch('a', { metadata: { labels: { colour: 'red' } } }, { ...t.at, type: 'merge' });
      await t.maps.patch('a', { metadata: { labels: { colour: 'green' } } }, { ...t.at, type: 'merge' });
      expect(await collect(events, 2)).toEqual(['ADDED a', 'DELETED a']);
    });

    it('reach every watcher', async () => {
      const { metadata } = await t.maps.list(t.at);
      const options = { ...t.at, ...selector, resourceVersion: metadata.resourceVersion };
      const watchers = await Promise.all(Array.from({ length: 5 }, () => t.maps.watch(options)));
      const seen = watchers.map((events) => collect(events, 2));
      await t.maps.create(t.make('a'));
      await t.maps.create(t.make('b'));
      expect(await Promise.all(seen)).toEqual(watchers.map(() => ['ADDED a', 'ADDED b']));
    });

    it('end when they are aborted, without an error', async () => {
      const stop = new AbortController();
      const events = await t.maps.watch({ ...t.at, ...selector, signal: stop.signal });
      await t.maps.create(t.make('a'));
      const seen: string[] = [];
      for await (const { type } of events) {
        seen.push(type);
        stop.abort();
      }
      expect(seen).toEqual(['ADDED']);
    });

    it('are not opened once aborted', async () => {
      await expect(t.maps.watch({ ...t.at, signal: AbortSignal.abort(new Error('changed my mind')) })).rejects.toThrow(
        'changed my mind',
      );
    });

    it('stream the first state, or refuse to', async () => {
      await t.maps.create(t.make('a'));
      const opened = t.maps.watch({
        ...t.at,
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
      if (!t.server.forgetHistory) return context.skip('this server cannot be made to forget');
      const { metadata } = await t.maps.list(t.at);
      await t.maps.create(t.make('a'));
      await t.maps.create(t.make('b'));
      await t.server.forgetHistory();
      const outcome = t.maps
        .watch({ ...t.at, ...selector, resourceVersion: metadata.resourceVersion })
        .then((events) => collect(events, 1));
      expect((await refused(outcome)).code).toBe(410);
    });
  });
}
