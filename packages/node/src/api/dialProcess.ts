/**
 * Opens connections in the network namespace that this process was started in, and hands them to the process that asks. Ends
 * when nobody has asked for a while.
 */
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import type { DialAnswer, DialRequest } from './dialWithin.ts';

const IDLE_MS = 30_000;

const idle = setTimeout(() => process.disconnect(), IDLE_MS);
process.once('disconnect', () => process.exit());
const answer = (message: DialAnswer, socket?: Socket | DatagramSocket): void => {
  process.send?.(message, socket);
};

process.on('message', ({ id, protocol, host, port }: DialRequest) => {
  idle.refresh();
  const fail = (error: Error): void => answer({ id, error: error.message });
  if (protocol === 'udp') {
    // Whoever gets it connects it: it belongs to this namespace wherever it goes.
    const socket = createSocket('udp4').once('error', fail);
    socket.bind(0, host, () => answer({ id }, socket));
    return;
  }
  const socket = connect({ host, port }).once('error', fail);
  socket.once('connect', () => answer({ id }, socket));
  // What the guest says first is for whoever gets it.
  socket.pause();
});
