import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';
import { FLOODS, flood } from './frames.ts';

/** Does something that wears a server out, and checks what it should do about it. */
export type Attack = (ground: Ground, trial: Trial) => Promise<void>;

const size = (trial: Trial, most: number): number => (trial.isShort ? Math.ceil(most / 50) : most);

const MAPS = '/api/v1/namespaces/default/configmaps';

/** Connections that are opened and left alone, before TLS and after it. */
const connections: Attack = async ({ port, ca }, trial) => {
  const open: net.Socket[] = [];
  const settled: Promise<unknown>[] = [];
  for (let i = 0; i < size(trial, 5000); i++) {
    const socket = i % 10 === 0 ? net.connect(port, '127.0.0.1') : tls.connect({ host: '127.0.0.1', port, ca });
    socket.on('error', () => {});
    open.push(socket);
    const event = i % 10 === 0 ? 'connect' : 'secureConnect';
    settled.push(Promise.race([once(socket, event), once(socket, 'close')]).catch(() => {}));
    // As many at once as a host of two cores can greet.
    if (settled.length % 100 === 0) await Promise.all(settled.splice(0));
  }
  await Promise.all(settled);
  for (const socket of open) socket.destroy();
  trial.check(undefined);
};

/** Watches of one client, all of which hear of a change. */
const watches: Attack = async ({ port, admin }, trial) => {
  const { ca, cert, key } = admin;
  const name = `watched-${process.pid}`;
  const perSession = 500;
  const sessions: http2.ClientHttp2Session[] = [];
  const heard: Promise<boolean>[] = [];
  for (let left = size(trial, 3000); left > 0; left -= perSession) {
    const session = http2.connect(`https://127.0.0.1:${port}`, { ca, cert, key });
    session.on('error', () => {});
    sessions.push(session);
    const begun = Array.from({ length: Math.min(left, perSession) }, async () => {
      const stream = session.request({ ':path': `${MAPS}?watch=true` });
      stream.on('error', () => {});
      heard.push(hears(stream, name));
      await once(stream, 'response');
    });
    await Promise.all(begun);
  }
  const body = JSON.stringify({ metadata: { name } });
  const created = await request(
    sessions[0]!,
    { ':method': 'POST', ':path': MAPS, 'content-type': 'application/json' },
    body,
  );
  trial.check(created === 201 ? undefined : `nothing can be created while ${heard.length} watch: ${created}`);
  const deaf = (await Promise.all(heard)).filter((each) => !each).length;
  trial.check(deaf === 0 ? undefined : `${deaf} of ${heard.length} watches did not hear of a change`);
  await request(sessions[0]!, { ':method': 'DELETE', ':path': `${MAPS}/${name}` });
  for (const session of sessions) session.destroy();
};

function hears(stream: http2.ClientHttp2Stream, word: string): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(word)) resolve(true);
    });
    stream.on('close', () => resolve(false));
  });
}

/** The status of an answer; 0 where there is none. */
function request(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body?: string | Buffer,
): Promise<number> {
  return new Promise((resolve) => {
    const stream = session.request(headers, { endStream: body === undefined });
    stream.on('response', (answer) => resolve(Number(answer[':status'])));
    stream.on('error', () => resolve(0));
    stream.on('close', () => resolve(0));
    stream.resume();
    if (body !== undefined) stream.end(body);
  });
}

/** Bodies that are too large, with and without saying so. */
const bodies: Attack = async ({ port, admin }, trial) => {
  const { ca, cert, key } = admin;
  const session = http2.connect(`https://127.0.0.1:${port}`, { ca, cert, key });
  session.on('error', () => {});
  const body = Buffer.alloc(4 << 20, 'x');
  const headers = { ':method': 'POST', ':path': MAPS, 'content-type': 'application/json' };
  const sent = Array.from({ length: size(trial, 100) }, (_, i) =>
    request(session, i % 2 === 0 ? headers : { ...headers, 'content-length': body.length }, body),
  );
  const wrong = (await Promise.all(sent)).filter((status) => status !== 413 && status !== 0);
  trial.check(wrong.length === 0 ? undefined : `a body of 4 MiB was answered with ${wrong[0]}, not 413`);
  session.destroy();
};

/** A few bytes that would become many: bodies are not unpacked, so they are no JSON. */
const decompression: Attack = async ({ port, admin }, trial) => {
  const { ca, cert, key } = admin;
  const session = http2.connect(`https://127.0.0.1:${port}`, { ca, cert, key });
  session.on('error', () => {});
  const bomb = gzipSync(Buffer.alloc(256 << 20), { level: 9 });
  const headers = { ':method': 'POST', ':path': MAPS, 'content-type': 'application/json', 'content-encoding': 'gzip' };
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
    const status = await request(session, { ...headers, 'content-encoding': encoding }, bomb);
    trial.check(status >= 400 && status < 500 ? undefined : `a body packed by ${encoding} was answered with ${status}`);
  }
  session.destroy();
};

/** Streams that are opened and taken back at once. */
const rapidReset: Attack = async ({ port, ca }, trial) => {
  const session = http2.connect(`https://127.0.0.1:${port}`, { ca });
  session.on('error', () => {});
  await once(session, 'connect');
  for (let i = 0; i < size(trial, 20_000) && !session.destroyed && !session.closed; i++) {
    const stream = session.request({ ':path': '/version' });
    stream.on('error', () => {});
    stream.close(http2.constants.NGHTTP2_CANCEL);
    if (i % 200 === 0) await new Promise(setImmediate);
  }
  session.destroy();
  trial.check(undefined);
};

const FLOOD_BYTES = 32 << 20;

/** Frames without end. What makes the server answer each, or keep each, is cut off. */
const frames: Attack = async (ground, trial) => {
  for (const [name, each] of Object.entries(FLOODS)) {
    const outcome = await flood(ground, each, size(trial, FLOOD_BYTES));
    if (name === 'CONTINUATION')
      trial.check(outcome === 'cut off' ? undefined : `headers without end are taken (${name})`);
    else trial.check(undefined);
  }
};

/** Upgrades to streams of VMs that are not there. */
const upgrades: Attack = async ({ port, admin }, trial) => {
  const { ca, cert, key } = admin;
  const path = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/x/console';
  const text =
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
  const asked = Array.from({ length: size(trial, 300) }, async () => {
    const socket = tls.connect({ host: '127.0.0.1', port, ca, cert, key, ALPNProtocols: ['http/1.1'] });
    socket.on('error', () => {});
    socket.write(text);
    const closed = await once(socket, 'data').then(
      ([chunk]) => String(chunk).startsWith('HTTP/1.1 404'),
      () => false,
    );
    socket.destroy();
    return closed;
  });
  const wrong = (await Promise.all(asked)).filter((isRight) => !isRight).length;
  trial.check(wrong === 0 ? undefined : `${wrong} upgrades to a VM that is not there were not answered with 404`);
};

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'many connections': connections,
  'many watches': watches,
  'large bodies': bodies,
  'packed bodies': decompression,
  'streams taken back at once': rapidReset,
  'floods of frames': frames,
  'many upgrades': upgrades,
};
