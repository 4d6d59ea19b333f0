import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@vireo/kube';
import { issueCertificate } from '@vireo/kube/serving/certificate.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { download, HttpRefusal, withoutSecrets } from './download.ts';

const FILE = randomBytes(400_000);
let server: Server;
const stopServing = (): Promise<void> => {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
};
afterEach(stopServing);

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

/** The same with TLS. */
const serveTls = async (answer: (response: ServerResponse) => void): Promise<{ url: string; ca: string }> => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [notBefore, notAfter] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000)) as [Date, Date];
  const subjectAltNames = { dnsNames: [], ipAddresses: ['127.0.0.1'] };
  const options = { commonName: 'mirror', notBefore, notAfter, use: 'server', subjectAltNames } as const;
  const certificate = issueCertificate(options, privateKey);
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  server = createTlsServer({ cert: certificate, key }, (_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/disk`, ca: certificate };
};

/** Time passes at once. */
const clock = { ...systemClock, after: (_: number, callback: () => void) => systemClock.after(0, callback) };

const fetched = async (url: string, headers: Record<string, string> = {}, ca?: string): Promise<Buffer> => {
  const signal = new AbortController().signal;
  const { data } = await download({ url, headers, clock, signal, ...(ca !== undefined && { ca }) });
  const chunks: Buffer[] = [];
  for await (const chunk of data) chunks.push(Buffer.from(chunk));
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
      /stopped after \d+ bytes: .*; the file changed on the server during the download/,
    );
  });

  it('from a server that cannot go on fails with its cause', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': FILE.length });
      response.write(FILE.subarray(0, 1000), () => response.destroy());
    });
    await expect(fetched(`${url}/disk`)).rejects.toThrow(/stopped after 1000 bytes/);
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

  it('signs each request to the server that it is for, and none to another', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response, count) => {
      seen.push(request.headers.authorization);
      const back = `http://127.0.0.1:${(server.address() as AddressInfo).port}/back`;
      if (request.url === '/object' && count === 1) part(request, response, '"a"', 150_000);
      else if (request.url === '/object')
        response.writeHead(302, { location: back.replace('127.0.0.1', '127.0.0.2') }).end();
      else if (request.headers.host?.startsWith('127.0.0.2')) response.writeHead(302, { location: back }).end();
      else part(request, response, '"a"', FILE.length);
    });
    const sign = async ({ pathname }: URL) => ({ authorization: `signed ${pathname}` });
    const signal = new AbortController().signal;
    const { data } = await download({ url: `${url}/object`, sign, clock, signal });
    const chunks: Buffer[] = [];
    for await (const chunk of data) chunks.push(Buffer.from(chunk));
    expect(Buffer.concat(chunks).equals(FILE)).toBe(true);
    expect(seen).toEqual(['signed /object', 'signed /object', undefined, undefined]);
  });

  it('that is sent in circles ends', async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: '/again' }).end());
    await expect(fetched(`${url}/`)).rejects.toThrow(/redirects too many times/);
  });

  it('does not go where clouds keep the keys of a host, nor is it led there', async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
    const refused = 'downloads from 169.254.169.254 are not allowed';
    await expect(fetched(`${url}/`)).rejects.toThrow(refused);
    await expect(fetched('http://169.254.169.254/')).rejects.toThrow(refused);
  });
});

describe('a body comes whole', () => {
  const large = randomBytes(5_000_000);
  const lengthOf = (bytes: Buffer) => ({ 'content-length': bytes.length });
  const ways: [string, Buffer, (response: ServerResponse) => void][] = [
    ['of a known length', large, (response) => void response.writeHead(200, lengthOf(large)).end(large)],
    ['in chunks of its own', large, (response) => void response.writeHead(200).end(large)],
    [
      'with its head',
      Buffer.from('x'),
      (response) => void response.writeHead(200, lengthOf(Buffer.from('x'))).end('x'),
    ],
    ['that is empty', Buffer.alloc(0), (response) => void response.writeHead(200, { 'content-length': 0 }).end()],
    [
      'and nothing that is sent behind it',
      FILE,
      (response) => {
        const head = `HTTP/1.1 200 OK\r\nContent-Length: ${FILE.length}\r\n\r\n`;
        response.socket?.end(Buffer.concat([Buffer.from(head), FILE, Buffer.from('more than was said')]));
      },
    ],
    [
      'until the connection ends',
      FILE,
      (response) => {
        response.socket?.end(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n'), FILE]));
      },
    ],
  ];
  it.each(ways)('%s', async (_, wanted, answer) => {
    const url = await serve((_request, response) => answer(response));
    expect((await fetched(`${url}/disk`)).equals(wanted)).toBe(true);
    await stopServing();
    const secured = await serveTls(answer);
    expect((await fetched(secured.url, {}, secured.ca)).equals(wanted)).toBe(true);
  });

  it('or not at all, where nobody wants it any more', async () => {
    const url = await serve(
      (_, response) => void response.writeHead(200, lengthOf(large)).write(large.subarray(0, 900_000)),
    );
    const wanting = new AbortController();
    const { data } = await download({ url: `${url}/disk`, clock, signal: wanting.signal });
    const reading = (async () => {
      for await (const _ of data) wanting.abort(new Error('it was deleted'));
    })();
    await expect(reading).rejects.toThrow('it was deleted');
  });
});

it('secrets in addresses are not shown', () => {
  expect(withoutSecrets('https://user:pass@host/path/x.img?token=abc')).toBe('https://host/path/x.img');
});
