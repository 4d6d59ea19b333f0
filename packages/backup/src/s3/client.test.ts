import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, test } from 'vitest';
import { bucketUrl, S3Store } from './store.ts';
import { parsePage } from './xml.ts';

const TARGET = { type: 's3', bucketName: 'b', bucketRegion: 'eu-1', virtualHostedStyle: false } as const;
const credentials = { accessKeyId: 'me', secretAccessKey: 'geheim' };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A store whose server answers each request by the next function; the last one answers all that follow. */
async function storeWith(
  answers: ((request: IncomingMessage, response: ServerResponse) => void)[],
): Promise<{ store: S3Store; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    request.resume().on('end', () => answer?.(request, response));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = new S3Store({ ...TARGET, endpoint }, { description: 'b', id: undefined, credentials, firstPauseMs: 1 });
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

it('reads names of a listing as they are', () => {
  const xml = `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>true</IsTruncated>
<Contents><Key>a&amp;b&#65;&lt;</Key></Contents><CommonPrefixes><Prefix>v1/</Prefix></CommonPrefixes><NextContinuationToken>n</NextContinuationToken></ListBucketResult>`;
  expect(parsePage(xml)).toEqual({ keys: ['a&bA<'], prefixes: ['v1/'], next: 'n' });
});
