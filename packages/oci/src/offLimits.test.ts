import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { boundary, OffLimits } from './offLimits.ts';

const expectWithin = (url: string, setting?: string) => () => boundary(setting).expectWithin(new URL(url));

it.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://[::ffff:169.254.169.254]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fd20:ce::254]/',
  'http://100.100.100.200/',
])('the addresses of this link are always off limits: %s', (url) => {
  expect(expectWithin(url)).toThrow(OffLimits);
});

it.each(['http://127.0.0.1:8080/', 'http://[::1]/', 'http://10.1.2.3/', 'https://203.0.113.9/'])(
  'others are, where a setting says so: %s',
  (url) => {
    expect(expectWithin(url)).not.toThrow();
    expect(expectWithin(url, 'loopback, private,203.0.113.0/24')).toThrow(/^downloads from .* are not allowed/);
  },
);

it.each(['everything', '10.0.0.0', '10.0.0.0/33', 'x/8'])('a setting that is none is refused: %s', (setting) => {
  expect(() => boundary(setting)).toThrow(`${JSON.stringify(setting)} is neither`);
});

it('names are looked at by where they lead', async () => {
  const server = createServer((_, response) => response.end('hello')).listen(0, 'localhost');
  await once(server, 'listening');
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
  const status = (setting: string): Promise<number | Error> =>
    new Promise((resolve) => {
      get(url, { lookup: boundary(setting).lookup, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      }).once('error', resolve);
    });
  expect(await status('')).toBe(200);
  expect(await status('loopback')).toBeInstanceOf(OffLimits);
  server.close();
});
