import { ConfigMap, type Kind, type UnknownObject } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import type { StreamFrame, StreamSink } from '@vireo/kube';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Stored, StoreEvent, Subscription } from '../store/store.ts';
import { WatchStream } from './watchStream.ts';

/** A client that takes nothing until it is told to. */
class SlowClient implements StreamSink {
  readonly frames: StreamFrame[] = [];
  ended = false;
  bufferedBytes = 0;
  #drain: () => void = () => {};

  write(frame: StreamFrame): void {
    this.frames.push(frame);
    this.bufferedBytes += frame.bytes().length;
  }

  end(): void {
    this.ended = true;
  }

  fail(): void {
    this.end();
  }

  onDrain(callback: () => void): void {
    this.#drain = callback;
  }

  takeAll(): void {
    this.bufferedBytes = 0;
    this.#drain();
  }

  types(): (string | undefined)[] {
    return this.frames.map(({ type }) => type);
  }
}

const stored = (revision: number, size = 10): Stored => {
  const object = persisted<UnknownObject>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `m${revision}`, resourceVersion: String(revision) },
    data: { a: 'x'.repeat(size) },
  });
  return {
    key: `core/configmaps/default/m${revision}`,
    revision,
    createRevision: revision,
    object,
    bytes: Buffer.from(JSON.stringify(object)),
  };
};

const event = (revision: number, size?: number): StoreEvent => {
  const current = stored(revision, size);
  return { type: 'ADDED', revision, key: current.key, current };
};

const subscription = (isCaughtUp = true): Subscription => ({ isCaughtUp, close: vi.fn() });

const open = (sink: StreamSink, revision = () => 1) =>
  new WatchStream(sink, {
    kind: ConfigMap as Kind,
    representation: { as: 'object' },
    bookmarks: true,
    timeoutSeconds: undefined,
    revision,
  });

describe('a watch whose client is slow', () => {
  it('waits with writing until the client has taken what is under way', () => {
    const client = new SlowClient();
    const stream = open(client);
    stream.begin([], false, 1);
    for (let i = 1; i <= 20; i++) stream.push(event(i, 200_000));
    expect(client.frames.length).toBeLessThan(10);
    while (client.frames.length < 20) client.takeAll();
    expect(client.frames.map(({ object }) => (object as UnknownObject).metadata.name)).toEqual(
      Array.from({ length: 20 }, (_, i) => `m${i + 1}`),
    );
    stream.close();
  });

  it('ends when too much waits, and lets go of its subscription', () => {
    const client = new SlowClient();
    const stream = open(client);
    stream.begin([], false, 1);
    const fed = subscription();
    stream.follow(fed);
    client.bufferedBytes = 1 << 21;
    for (let i = 1; i <= 10_100 && !client.ended; i++) stream.push(event(i));
    expect(client.ended).toBe(true);
    expect(fed.close).toHaveBeenCalledOnce();
  });

  it('does not count the initial state, however large', () => {
    const client = new SlowClient();
    const stream = open(client);
    stream.begin(
      Array.from({ length: 20_000 }, (_, i) => stored(i + 1)),
      true,
      20_000,
    );
    while (client.bufferedBytes > 0) client.takeAll();
    expect(client.ended).toBe(false);
    expect(client.frames).toHaveLength(20_001);
    expect(client.types().at(-1)).toBe('BOOKMARK');
    stream.close();
  });
});

describe('bookmarks', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('tell the newest version when everything is written', () => {
    const client = new SlowClient();
    const stream = open(client, () => 42);
    stream.begin([], false, 1);
    stream.follow(subscription());
    vi.advanceTimersByTime(61_000);
    expect(client.types()).toEqual(['BOOKMARK']);
    expect(client.frames[0]?.object).toMatchObject({ metadata: { resourceVersion: '42' } });
    stream.close();
  });

  it('are not sent while events wait, or the past is still being read', () => {
    const client = new SlowClient();
    const stream = open(client, () => 42);
    stream.begin([], false, 1);
    stream.follow(subscription(false));
    vi.advanceTimersByTime(61_000);
    expect(client.types()).toEqual([]);
    stream.follow(subscription(true));
    client.bufferedBytes = 1 << 21;
    stream.push(event(7));
    vi.advanceTimersByTime(61_000);
    expect(client.types()).toEqual([]);
    stream.close();
  });
});
