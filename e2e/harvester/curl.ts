import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface CurlAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface CurlOptions {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly data?: string;
  /** A bearer token instead of the administrator's certificate. */
  readonly token?: string;
  /** Another certificate of the home's than the administrator's. */
  readonly certificate?: string;
  readonly headers?: readonly string[];
}

/** Real curl against the server of a home: as the administrator, or with a token. */
export const curlFor =
  (home: string, port: number) =>
  async (
    path: string,
    { method = 'GET', data, token, certificate = 'admin', headers = [] }: CurlOptions = {},
  ): Promise<CurlAnswer> => {
    const pki = (name: string): string => join(home, 'pki', name);
    const identity =
      token === undefined
        ? ['--cert', pki(`${certificate}.crt`), '--key', pki(`${certificate}.key`)]
        : ['-H', `Authorization: Bearer ${token}`];
    const { stdout } = await run('curl', [
      '--silent',
      '--show-error',
      ...['--cacert', pki('ca.crt')],
      ...identity,
      ...headers.flatMap((header) => ['-H', header]),
      ...['-X', method],
      ...(data === undefined ? [] : ['-H', 'Content-Type: application/json', '--data-binary', data]),
      ...['-w', '\n%{http_code} %{content_type}'],
      `https://127.0.0.1:${port}${path}`,
    ]);
    const last = stdout.lastIndexOf('\n');
    const [status, ...contentType] = stdout.slice(last + 1).split(' ');
    return { status: Number(status), contentType: contentType.join(' '), body: stdout.slice(0, last) };
  };
