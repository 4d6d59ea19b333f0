import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, test } from 'vitest';
import { bucketUrl, type S3Options, S3Store } from './store.ts';

const TARGET = { type: 's3', bucketName: 'b', bucketRegion: 'eu-1', virtualHostedStyle: false } as const;
const credentials = { accessKeyId: 'me', secretAccessKey: 'geheim' };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A store whose server answers each request by the next function; the last one answers all that follow. */
async function storeWith(
  answers: ((request: IncomingMessage, response: ServerResponse) => void)[],
  options: Partial<S3Options> = {},
): Promise<{ store: S3Store; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    request.resume().on('end', () => answer?.(request, response));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const always = { description: 'b', id: undefined, credentials, firstPauseMs: 1 };
  const store = new S3Store({ ...TARGET, endpoint }, { ...always, ...options });
  closing.push(() => {
    void store.close();
    server.closeAllConnections();
    server.close();
  });
  return { store, seen };
}

const status =
  (code: number, body = '') =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(code).end(body);
  };

it('tries again when the server is busy or the connection breaks', async () => {
  const broken = ({ socket }: IncomingMessage): void => void socket.destroy();
  const { store, seen } = await storeWith([status(503), broken, status(200, 'data')]);
  expect((await store.get('v1/x'))?.toString()).toBe('data');
  expect(seen).toEqual(Array(3).fill('GET /b/v1/x'));
});

it('gives up after a few attempts, and at once where the server refuses', async () => {
  const busy = await storeWith([status(503, '<Error><Code>SlowDown</Code><Message>later</Message></Error>')]);
  await expect(busy.store.get('v1/x')).rejects.toThrow('b answered 503 SlowDown later to GET /b/v1/x');
  expect(busy.seen).toHaveLength(5);
  const refused = await storeWith([status(403, '<Error><Code>AccessDenied</Code></Error>')]);
  await expect(refused.store.get('v1/x')).rejects.toThrow('403 AccessDenied');
  expect(refused.seen).toHaveLength(1);
});

it('signs each request, and the body with it', async () => {
  const headers: IncomingMessage['headers'][] = [];
  const record = (request: IncomingMessage, response: ServerResponse): void => {
    headers.push(request.headers);
    response.writeHead(headers.length === 1 ? 404 : 200).end(headers.length === 3 ? 'id' : '');
  };
  const { store } = await storeWith([record]);
  expect(await store.accept()).toBe('id');
  expect(headers[1]).toMatchObject({
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=me\/\d{8}\/eu-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, /,
    ),
    'x-amz-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
    'content-length': '17',
  });
});

it('an object that comes short is no object', async () => {
  const short = (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'content-length': '10' }).write('short', () => response.destroy());
  };
  const { store } = await storeWith([short]);
  await expect(store.get('v1/x')).rejects.toThrow('b cannot be reached');
});

test.each([
  [{ ...TARGET, endpoint: '' }, 'https://s3.eu-1.amazonaws.com/b/'],
  [{ ...TARGET, endpoint: 'https://s3.example.com:9000' }, 'https://s3.example.com:9000/b/'],
  [{ ...TARGET, endpoint: 'http://s3.example.com:9000', virtualHostedStyle: true }, 'http://b.s3.example.com:9000/'],
])('%j is at %s', (target, url) => {
  expect(bucketUrl(target).href).toBe(url);
});

/** A page of a listing that says that there is another one. */
const page = (next: string): string =>
  `<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>v1/${next}</Key></Contents><NextContinuationToken>${next}</NextContinuationToken></ListBucketResult>`;

describe('a server that would fill the memory or never be done', () => {
  it('is believed no object that is larger than it can be', async () => {
    const { store, seen } = await storeWith([status(200, 'x'.repeat(101))]);
    await expect(store.get('v1/x', 100)).rejects.toMatchObject({
      name: 'Damaged',
      message: 'v1/x in b is damaged: it has more than 100 bytes',
    });
    expect(seen).toHaveLength(1);
    expect((await store.get('v1/x', 101))?.length).toBe(101);
  });

  it('is believed no id that is larger than ids are', async () => {
    const { store } = await storeWith([status(200, 'x'.repeat(100_000))]);
    await expect(store.accept()).rejects.toMatchObject({ name: 'TargetUnusable' });
  });

  it('may say more of what is wrong than the object has bytes, but not without end', async () => {
    const busy = await storeWith([status(503, 'x'.repeat(1000)), status(200, 'x')]);
    expect((await busy.store.get('v1/x', 100))?.toString()).toBe('x');
    const { store } = await storeWith([status(403, 'x'.repeat(2 << 20))]);
    await expect(store.get('v1/x', 100)).rejects.toMatchObject({
      name: 'TargetUnusable',
      message: expect.stringContaining('status 403 with more than 1048576 bytes'),
    });
  });

  it('is not asked for a page again that it has given', async () => {
    const { store, seen } = await storeWith([status(200, page('a')), status(200, page('b'))]);
    await expect(store.names('v1/')).rejects.toThrow('b does not come to the end of its list of what is below v1/');
    expect(seen).toHaveLength(3);
  });

  it('is not asked for page after page without end', async () => {
    let pages = 0;
    const another = (_: IncomingMessage, response: ServerResponse): void => void response.end(page(`p${++pages}`));
    const { store, seen } = await storeWith([another], { mostPages: 5 });
    await expect(store.names('v1/')).rejects.toThrow('does not come to the end');
    expect(seen).toHaveLength(5);
  });

  it('is not listened to for ever when it says a byte now and then', async () => {
    const slow = (_: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200).write('x');
      const drip = setInterval(() => response.write('x'), 5);
      closing.push(() => clearInterval(drip));
    };
    const { store, seen } = await storeWith([slow], { deadlineMs: 50 });
    await expect(store.get('v1/x')).rejects.toThrow('the answer takes longer than 0.05 seconds');
    expect(seen).toHaveLength(1);
  });
});
