import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createWebSocketStream, type WebSocket } from 'ws';
import { Failure } from '../../failure.ts';
import { cannotListen, reasonOf } from './refusal.ts';

/** A port of this host that leads one program to a stream of a guest. */
export interface LocalProxy {
  readonly port: number;
  /** When the program or the guest has ended the connection. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Listens for one connection, and carries it to the stream; without `withinMs` it may take its time. */
export async function listenOnce(
  stream: WebSocket,
  address: string,
  port: number,
  withinMs?: number,
): Promise<LocalProxy> {
  const server = createServer({ pauseOnConnect: true });
  server.listen(port, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    stream.terminate();
    throw cannotListen(address, port, error);
  }
  const tunnel = createWebSocketStream(stream);
  const carry = async (): Promise<void> => {
    const [socket] = (await once(server, 'connection', {
      signal: AbortSignal.any([closed.signal, ...(withinMs === undefined ? [] : [AbortSignal.timeout(withinMs)])]),
    })) as [Socket];
    server.close();
    // Whichever side ends first ends both.
    await Promise.race([pipeline(socket, tunnel), pipeline(tunnel, socket)]).catch(() => {});
    socket.destroy();
  };
  const closed = new AbortController();
  stream.once('close', () => closed.abort(new Error('the server closed the connection')));
  const ended = carry()
    .catch((error) => {
      throw new Failure(`Error encountered: ${reasonOf(error)}`);
    })
    .finally(() => {
      server.close();
      stream.terminate();
    });
  // Whoever waits gets it; nobody waiting is no crash.
  ended.catch(() => {});
  return { port: (server.address() as AddressInfo).port, ended, close: () => closed.abort() };
}

/** Runs a program that connects to the proxy; ends when either does. */
export async function runWithProxy(proxy: LocalProxy, program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-2_000);
    });
  }
  const exited = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(new Failure(`Error encountered: ${error.message}`)));
    child.once('close', (code) => {
      if (code === 0 || code === null) resolve();
      else reject(new Failure(`Error encountered: ${program} exited with code ${code}`, output.trim() || undefined));
    });
  });
  try {
    await Promise.race([exited, proxy.ended]);
  } finally {
    proxy.close();
    child.kill();
  }
}
