import tls from 'node:tls';
import type { Ground } from '../ground.ts';

/** A client that sends so slowly that its request never ends. */
export interface SlowClient {
  readonly name: string;
  /** Resolves when the server closes the connection or responds, with the time that this took. */
  readonly cutOffMs: Promise<number>;
  end(): void;
}

const PAUSE_MS = 1000;

const HEADERS = { first: 'GET /version HTTP/1.1\r\nHost: x\r\n', each: 'X: y\r\n' };
const BODY = {
  first: 'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n',
  each: ' ',
};
const NOTHING = { first: '', each: '' };

/** `times` clients of each kind. */
export const slowClients = (ground: Ground, times: number): SlowClient[] =>
  Object.entries({
    'headers that never end': HEADERS,
    'a body that never ends': BODY,
    'nothing at all': NOTHING,
  }).flatMap(([name, text]) => Array.from({ length: times }, () => slowClient(ground, name, text)));

function slowClient({ port, admin }: Ground, name: string, { first, each }: typeof HEADERS): SlowClient {
  const { ca, cert, key } = admin;
  const startedAt = performance.now();
  const socket = tls.connect({ host: '127.0.0.1', port, ca, cert, key, ALPNProtocols: ['http/1.1'] });
  const { promise, resolve } = Promise.withResolvers<number>();
  const timer = setInterval(() => {
    if (each !== '' && socket.writable) socket.write(each);
  }, PAUSE_MS);
  const cut = (): void => {
    clearInterval(timer);
    resolve(performance.now() - startedAt);
  };
  socket.on('secureConnect', () => first !== '' && socket.write(first));
  // An answer, such as 408, is as good as an end.
  socket.once('data', cut);
  socket.on('error', () => {});
  socket.once('close', cut);
  return { name, cutOffMs: promise, end: () => socket.destroy() };
}
