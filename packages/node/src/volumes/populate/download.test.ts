import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@vireo/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { download, HttpRefusal, shown } from './download.ts';

const FILE = randomBytes(400_000);
let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Serves on loopback; the address comes back. */
const serve = (
  answer: (request: IncomingMessage, response: ServerResponse, count: number) => void,
): Promise<string> => {
  let count = 0;
  server = createServer((request, response) => answer(request, response, ++count));
  return new Promise((resolve) => {
    server.listen(0, '0.0.0.0', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
};

/** Time passes at once. */
const clock = { ...systemClock, after: (_: number, callback: () => void) => systemClock.after(0, callback) };

const fetched = async (url: string, headers: Record<string, string> = {}): Promise<Buffer> => {
  const { data } = await download({ url, headers, clock, signal: new AbortController().signal });
  const chunks: Buffer[] = [];
  for await (const chunk of data) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Answers a request for a part as servers of files do, and breaks off after so many bytes. */
function part(request: IncomingMessage, response: ServerResponse, etag: string, bytes: number): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const isPart = request.headers.range !== undefined && request.headers['if-range'] === etag;
  const rest = FILE.subarray(isPart ? from : 0);
  response.writeHead(isPart ? 206 : 200, {
    etag,
    'content-length': rest.length,
    ...(isPart && { 'content-range': `bytes ${from}-${FILE.length - 1}/${FILE.length}` }),
  });
  if (rest.length <= bytes) response.end(rest);
  else response.write(rest.subarray(0, bytes), () => response.destroy());
}

describe('a download', () => {
  it('that breaks off again and again goes on where it stopped', async () => {
    const ranges: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      ranges.push(request.headers.range);
      part(request, response, '"v1"', 90_000);
    });
    expect((await fetched(`${url}/disk`)).equals(FILE)).toBe(true);
    expect(ranges.length).toBeGreaterThan(4);
    expect(ranges[1]).toMatch(/^bytes=[1-9]\d*-$/);
  });

  it('that breaks off before anything came begins again', async () => {
    const url = await serve((_, response, count) => {
      response.writeHead(200, { 'content-length': FILE.length });
      if (count > 2) response.end(FILE);
      else response.write('', () => response.destroy());
      response.flushHeaders();
    });
    expect((await fetched(`${url}/disk`)).equals(FILE)).toBe(true);
  });

  it('of a file that changes meanwhile fails and says so', async () => {
    const url = await serve((request, response, count) => part(request, response, `"v${count}"`, 90_000));
    await expect(fetched(`${url}/disk`)).rejects.toThrow(
      /broke off after \d+ bytes: .*; the file has changed on the server meanwhile/,
    );
  });

  it('from a server that cannot go on fails with its cause', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': FILE.length });
      response.write(FILE.subarray(0, 1000), () => response.destroy());
    });
    await expect(fetched(`${url}/disk`)).rejects.toThrow(/broke off after 1000 bytes/);
  });

  it('that is refused says by whom and how', async () => {
    const url = await serve((_, response) => response.writeHead(404).end());
    await expect(fetched(`${url}/disk?token=secret`)).rejects.toThrow(
      new HttpRefusal(`${url}/disk answered 404 Not Found`),
    );
  });

  it('gives credentials to the server that they are for, and to no other', async () => {
    const seen: Record<string, string | undefined> = {};
    const url = await serve((request, response) => {
      seen[`${request.headers.host} ${request.url}`] = request.headers.authorization;
      if (request.url === '/here') response.writeHead(302, { location: '/there' }).end();
      else if (request.url === '/there')
        response.writeHead(302, { location: `http://127.0.0.2:${(server.address() as AddressInfo).port}/other` }).end();
      else response.end('x');
    });
    expect((await fetched(`${url}/here`, { authorization: 'Basic abc' })).toString()).toBe('x');
    expect(Object.values(seen)).toEqual(['Basic abc', 'Basic abc', undefined]);
  });

  it('that is sent in circles ends', async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: '/again' }).end());
    await expect(fetched(`${url}/`)).rejects.toThrow(/redirects again and again/);
  });
});

it('secrets in addresses are not shown', () => {
  expect(shown('https://user:pass@host/path/x.img?token=abc')).toBe('https://host/path/x.img');
});
