import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { internalError } from '@vireo/api/errors.ts';

const PROGRAM = fileURLToPath(new URL('./carry.pl', import.meta.url));
const LONGEST_TEXT = 1_000;

/** An address as the kernel reads it, with the number of its family. */
export interface RawAddress {
  readonly family: number;
  readonly bytes: Buffer;
}

/**
 * Connects to an address of a family that Node.js has no sockets for. A small process carries the bytes, and ends with
 * either side. Paused: what comes before somebody listens is kept. `perl`: the interpreter, for tests without one.
 */
export function dialRaw({ family, bytes }: RawAddress, perl = 'perl'): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const words = [PROGRAM, String(family), bytes.toString('hex')];
  // Messages of the system are for people who read English here.
  const env = { ...process.env, LC_ALL: 'C' };
  const child = spawn(perl, words, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env });
  const [, output, complaints, stream] = child.stdio as unknown as [null, Readable, Readable, Socket];
  let complaint = '';
  complaints.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, LONGEST_TEXT);
  });
  const fail = (why: string): void => {
    stream.destroy();
    reject(internalError(`cannot reach the guest: ${why}`));
  };
  child.once('error', (error) => fail(error.message));
  child.once('close', (code) => fail(complaint.trim() || `the process that carries the bytes has ended (${code})`));
  output.once('data', () => resolve(stream));
  stream.on('error', () => {}).pause();
  return promise;
}
