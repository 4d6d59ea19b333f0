import { expect, it } from 'vitest';
import type { FollowState } from '../decisions/connection.ts';
import { follow, type Sink, type Source, type WatchEvent } from './follow.ts';
import { type KubeObject, keyOf } from './kinds.ts';
import { Refused, refusedFrom } from './refused.ts';

const object = (name: string, resourceVersion: string): KubeObject => ({ metadata: { name, resourceVersion } });

/** A watch on which nothing happens until it breaks. */
interface Cut {
  readonly openMs: number;
}

/** Plays lists and watches in turn, and ends with the last; pauses take no time. */
async function play(script: { lists: KubeObject[][]; watches: (WatchEvent[] | Error | Cut)[] }) {
  const ended = new AbortController();
  const states: string[] = [];
  const contents = new Map<string, KubeObject>();
  const sizes: number[] = [];
  const versions: string[] = [];
  let nowMs = 0;
  const source: Source<KubeObject> = {
    async list(_signal, onItems) {
      const items = script.lists.shift();
      if (!items) throw new Error('no more lists');
      for (const item of items) onItems([item]);
      return { version: String(10 * (3 - script.lists.length)) };
    },
    async watch(version, onEvent, _signal, onOpen) {
      versions.push(version);
      const events = script.watches.shift();
      if (!events) {
        ended.abort();
        return;
      }
      if (events instanceof Error) throw events;
      onOpen();
      if ('openMs' in events) {
        nowMs += events.openMs;
        throw new Error('network error');
      }
      for (const event of events) onEvent(event);
      nowMs += 60_000;
    },
  };
  const sink: Sink<KubeObject> = {
    put: (item) => void contents.set(keyOf(item), item),
    remove: (key) => void contents.delete(key),
    keepOnly(keys) {
      for (const key of contents.keys()) if (!keys.has(key)) contents.delete(key);
      sizes.push(contents.size);
    },
    state: (state: FollowState) => void states.push(state.kind),
  };
  const pauses: number[] = [];
  const timing = { now: () => nowMs, random: () => 0, pause: async (ms: number) => void pauses.push(ms) };
  await follow(source, sink, timing, ended.signal);
  return { states, names: [...contents.values()].map(({ metadata }) => metadata.name), versions, sizes, pauses };
}

it('a watch continues after the list and after its own end, from the last version', async () => {
  const { names, versions, sizes } = await play({
    lists: [[object('a', '1')], [], []],
    watches: [
      [
        { type: 'ADDED', object: object('b', '11') },
        { type: 'DELETED', object: object('a', '12') },
      ],
      [{ type: 'BOOKMARK', object: object('', '20') }],
    ],
  });
  expect(names).toEqual(['b']);
  expect(versions).toEqual(['10', '12', '20']);
  expect(sizes).toEqual([1]);
});

it('a version that is gone is listed again, once for each time', async () => {
  const { names, versions } = await play({
    lists: [[object('a', '1')], [object('c', '2')], []],
    watches: [[{ type: 'ERROR', object: { metadata: { name: '' }, code: 410, message: 'too old' } }]],
  });
  expect(names).toEqual(['c']);
  expect(versions).toEqual(['10', '20']);
});

it('a connection that breaks is opened again after longer and longer pauses, without a list', async () => {
  const broken = new Error('network error');
  const { states, versions, pauses, sizes } = await play({
    lists: [[object('a', '1')], [], []],
    watches: [broken, broken, broken, []],
  });
  expect(versions).toEqual(['10', '10', '10', '10', '10']);
  expect(pauses).toEqual([250, 500, 1_000]);
  // It is live again when the server has agreed, not when it is asked.
  expect(states.slice(0, 6)).toEqual(['loading', 'live', 'waiting', 'waiting', 'waiting', 'live']);
  expect(sizes).toEqual([1]);
});

it.each([
  ['that lasted starts the pauses anew, even if nothing happened on it', 60_000, [250, 250, 250]],
  ['that breaks at once makes the pauses longer', 20, [250, 500, 1_000]],
])('a watch %s', async (_, openMs, expected) => {
  const { pauses } = await play({ lists: [[]], watches: [{ openMs }, { openMs }, { openMs }] });
  expect(pauses).toEqual(expected);
});

it('a permission that is missing is told, and asked about again much later', async () => {
  const { states, pauses } = await play({
    lists: [[object('a', '1')], [], []],
    watches: [new Refused(403, 'no')],
  });
  expect(states).toContain('refused');
  expect(pauses[0]).toBe(60_000);
});

it.each([
  ['{"kind":"Status","message":"vm \\"web\\" not found"}', 'vm "web" not found'],
  ['not allowed', 'not allowed'],
  ['<html>Bad gateway</html>', 'The server answered with HTTP 502.'],
  ['', 'The server answered with HTTP 502.'],
])('the answer %s is told as: %s', (body, message) => {
  expect(refusedFrom(502, body)).toMatchObject({ code: 502, message });
});
