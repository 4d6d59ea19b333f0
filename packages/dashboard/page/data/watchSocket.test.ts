import { expect, it } from 'vitest';
import { WatchSocket } from './watchSocket.ts';

/** The parts of a WebSocket that are used, without a network. */
class FakeSocket extends EventTarget {
  readonly sent: unknown[] = [];
  readyState = 1;
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.dispatchEvent(new Event('close'));
  }
  receive(message: object): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data: JSON.stringify(message) }));
  }
}

function start() {
  const sockets: FakeSocket[] = [];
  const watches = new WatchSocket(() => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket as unknown as WebSocket;
  });
  return { sockets, watches };
}
const event = (name: string) => ({ type: 'ADDED', object: { metadata: { name } } });

it('watches share a socket, and each gets its own events', async () => {
  const { sockets, watches } = start();
  const seen: string[] = [];
  const stop = new AbortController();
  const both = ['/a', '/b'].map((path) =>
    watches.watch(
      path,
      ({ object }) => seen.push(`${path} ${object.metadata.name}`),
      stop.signal,
      () => seen.push(`${path} is open`),
    ),
  );
  const [socket] = sockets;
  expect(sockets).toHaveLength(1);
  expect(socket?.sent).toEqual([
    { id: 1, path: '/a' },
    { id: 2, path: '/b' },
  ]);
  socket?.receive({ id: 2, isOpen: true });
  socket?.receive({ id: 2, event: event('x') });
  socket?.receive({ id: 1, event: event('y') });
  socket?.receive({});
  expect(seen).toEqual(['/b is open', '/b x', '/a y']);
  socket?.receive({ id: 1, end: {} });
  stop.abort();
  await Promise.all(both);
  expect(socket?.sent.at(-1)).toEqual({ id: 2 });
  watches.close();
});

it('a refusal has its code, and a lost socket ends all watches', async () => {
  const { sockets, watches } = start();
  const { signal } = new AbortController();
  const refused = watches.watch('/a', () => {}, signal);
  const lost = watches.watch('/b', () => {}, signal);
  sockets[0]?.receive({ id: 1, end: { code: 410, message: 'too old' } });
  await expect(refused).rejects.toMatchObject({ code: 410, message: 'too old' });
  sockets[0]?.close();
  await expect(lost).rejects.toThrow('lost');
  watches.watch('/b', () => {}, signal).catch(() => {});
  expect(sockets).toHaveLength(2);
  watches.close();
});

it('a watch that has ended before it began is not opened', async () => {
  const { sockets, watches } = start();
  await watches.watch('/a', () => {}, AbortSignal.abort());
  expect(sockets).toEqual([]);
});
