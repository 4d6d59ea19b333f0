import { expect, it } from 'vitest';
import { Connections } from './connections.ts';

class Socket {
  readonly remoteAddress = '192.0.2.1';
  readonly remotePort: number;
  isOpen = true;
  constructor(port: number) {
    this.remotePort = port;
  }
  destroy(): void {
    this.isOpen = false;
  }
}

const sockets = (count: number): Socket[] => Array.from({ length: count }, (_, i) => new Socket(i));
const open = (all: readonly Socket[]): number[] =>
  all.filter(({ isOpen }) => isOpen).map(({ remotePort }) => remotePort);

it('has the oldest stranger make room', () => {
  const connections = new Connections<Socket>(3);
  const all = sockets(5);
  for (const socket of all) connections.add(socket);
  expect(open(all)).toEqual([2, 3, 4]);
});

it('keeps whoever has shown who he is', () => {
  const connections = new Connections<Socket>(3);
  const all = sockets(6);
  connections.add(all[0]!);
  connections.recognize({ remoteAddress: '192.0.2.1', remotePort: 0 });
  for (const socket of all.slice(1)) connections.add(socket);
  expect(open(all)).toEqual([0, 4, 5]);
});

it('has no room for a stranger where all are known', () => {
  const connections = new Connections<Socket>(2);
  const all = sockets(3);
  for (const socket of all.slice(0, 2)) {
    connections.add(socket);
    connections.recognize(socket);
  }
  connections.add(all[2]!);
  expect(open(all)).toEqual([0, 1]);
});

it('forgets what is closed', () => {
  const connections = new Connections<Socket>(1);
  const [first, second] = sockets(2) as [Socket, Socket];
  connections.add(first);
  connections.recognize(first);
  // Long since evicted or replaced: of no concern.
  connections.remove(second);
  connections.remove(first);
  connections.add(second);
  expect(connections.size).toBe(1);
  expect(open([second])).toEqual([1]);
  connections.destroyAll();
  expect(open([second])).toEqual([]);
});
