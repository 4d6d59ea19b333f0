import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface PlainAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface PlainOptions {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly data?: string;
  /** A bearer token instead of the administrator's certificate. */
  readonly token?: string;
  /** Another certificate of the home's than the administrator's. */
  readonly certificate?: string;
  readonly headers?: readonly string[];
}

/** Plain HTTPS against the server of a home, as scripts of Harvester's users speak it: as the administrator, or with a token. */
export const plainHttpFor =
  (home: string, port: number) =>
  async (
    path: string,
    { method = 'GET', data, token, certificate = 'admin', headers = [] }: PlainOptions = {},
  ): Promise<PlainAnswer> => {
    const pki = (name: string): Promise<Buffer> => readFile(join(home, 'pki', name));
    const identity =
      token === undefined ? { cert: await pki(`${certificate}.crt`), key: await pki(`${certificate}.key`) } : {};
    const request = https.request({
      ...{ host: '127.0.0.1', port, path, method, agent: false },
      ca: await pki('ca.crt'),
      ...identity,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(data !== undefined && { 'content-type': 'application/json' }),
      },
    });
    for (const line of headers) {
      const colon = line.indexOf(':');
      request.appendHeader(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    request.end(data);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return {
      status: response.statusCode ?? 0,
      contentType: response.headers['content-type'] ?? '',
      body: await text(response),
    };
  };
