import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from '@vireo/api';
import { expect, it } from 'vitest';
import { Http1Exchange } from './exchange.ts';
import { respondError } from './respond.ts';

it.each([
  ['a code that is none', new ApiError(undefined, 'no', {}, 1000)],
  ['a header that is none', new ApiError('TooManyRequests', 'no', { retryAfterSeconds: '1\r\n' as never })],
])('an error with %s ends its exchange, and is told to the log alone', async (_, error) => {
  const logged: unknown[] = [];
  const server = createServer((request, response) =>
    respondError(new Http1Exchange(request, response), error, (cause) => logged.push(cause)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await expect(fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).rejects.toThrow();
    expect(logged).toHaveLength(1);
  } finally {
    server.close();
  }
});
