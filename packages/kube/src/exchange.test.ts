import { type ClientHttp2Session, connect } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { eventually } from './testing/eventually.ts';
import { FakeKubernetes } from './testing/fakeKubernetes.ts';
import { FakeServer } from './testing/fakeServer.ts';

const BODY = 'x'.repeat(20_000);

let server: FakeServer;
let session: ClientHttp2Session;
beforeAll(async () => {
  server = await FakeServer.start(new FakeKubernetes());
  session = connect(server.url, { ca: server.pki.ca });
});
afterAll(async () => {
  session.close();
  await server.close();
});

const begin = (): Exchange => new Exchange(session.request({ ':path': '/' }), new AbortController().signal);

describe('an exchange', () => {
  it('has the body of an answer that was over before anybody read it', async () => {
    server.interrupt = (stream) => {
      stream.respond({ ':status': 200 });
      stream.end(BODY);
      return true;
    };
    const exchange = begin();
    const isOver = eventually(() => exchange.stream.closed);
    expect((await exchange.answer).status).toBe(200);
    await isOver;
    expect(await exchange.text()).toBe(BODY);
  });

  it('has no body where there is none, however late it is read', async () => {
    server.interrupt = (stream) => {
      stream.respond({ ':status': 204 }, { endStream: true });
      return true;
    };
    const exchange = begin();
    await eventually(() => exchange.stream.destroyed);
    expect(await exchange.text()).toBe('');
  });

  it('says with which error the server cut its answer off', async () => {
    server.interrupt = (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('half', () => stream.destroy(new Error('no more')));
      return true;
    };
    const exchange = begin();
    await exchange.answer;
    await eventually(() => exchange.stream.destroyed);
    await expect(exchange.text()).rejects.toThrow('INTERNAL_ERROR');
  });

  it('says that the connection broke amidst an answer that nobody had read', async () => {
    server.interrupt = (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('half', () => server.cut());
      return true;
    };
    const exchange = begin();
    await exchange.answer;
    await eventually(() => exchange.stream.destroyed);
    await expect(exchange.text()).rejects.toThrow(
      'the connection was closed before the response was complete (HTTP/2 error 8)',
    );
  });
});
