import { afterAll, beforeAll, expect, it } from 'vitest';
import { BYTES, WireReader } from '../protobuf/wire.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { VERSION } from '../version.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const ask = async (accept: string) => (await server.overHttp()).call({ method: 'GET', path: '/openapi/v2', accept });

it('answers kubectl in protobuf', async () => {
  const { status, headers, body } = await ask('application/com.github.proto-openapi.spec.v2@v1.0+protobuf');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  const document = new WireReader(Buffer.from(body as string));
  expect(document.tag()).toEqual({ field: 1, wireType: BYTES });
  expect(document.bytes().toString()).toBe('2.0');
  expect(document.tag()).toEqual({ field: 2, wireType: BYTES });
  expect(document.bytes().toString()).toContain(VERSION.gitVersion);
  expect(document.tag()).toEqual({ field: 8, wireType: BYTES });
  expect(document.bytes()).toHaveLength(0);
  expect(document.done).toBe(true);
});

it('answers others in JSON', async () => {
  const { body } = await ask('application/json');
  expect(body).toMatchObject({ swagger: '2.0', info: { title: 'Kubernetes' }, paths: {} });
});
