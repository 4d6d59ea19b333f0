import { Agent, request } from 'node:https';

const TIMEOUT_MS = 10_000;
/** Documents of providers are a few kilobytes. */
const MAX_BYTES = 1 << 20;

/** A form that is posted; `authorization` is of the client that posts it. */
export interface ProviderForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly authorization?: string;
}

/** Reads a URL of an identity provider, or posts a form to it. */
export interface ProviderFetch {
  (url: string, form?: ProviderForm): Promise<{ readonly status: number; readonly text: string }>;
  close(): void;
}

/**
 * Fetches over TLS, with the authorities that are given or those of the system. Redirects are not followed: the address
 * is configured, and what it leads to was not.
 */
export function providerFetch(certificateAuthority: string | undefined): ProviderFetch {
  const agent = new Agent({ keepAlive: false, ...(certificateAuthority && { ca: certificateAuthority }) });
  const fetch = (url: string, form?: ProviderForm): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      if (!url.startsWith('https://')) {
        reject(new Error(`${url} is not an https URL`));
        return;
      }
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const method = form ? 'POST' : 'GET';
      const headers = { accept: 'application/json', ...formHeaders(form) };
      const call = request(url, { agent, signal, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_BYTES) call.destroy(new Error(`the response is larger than ${MAX_BYTES} bytes`));
          else chunks.push(chunk);
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
        response.on('error', reject);
      });
      call.on('error', (cause) => reject(new Error(`${method} ${url}: ${reasonOf(cause)}`, { cause })));
      call.end(form && new URLSearchParams(form.fields).toString());
    });
  return Object.assign(fetch, { close: () => agent.destroy() });
}

const formHeaders = (form: ProviderForm | undefined): Record<string, string> => ({
  ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  ...(form?.authorization !== undefined && { authorization: form.authorization }),
});

const reasonOf = (error: NodeJS.ErrnoException): string =>
  error.name === 'TimeoutError' || error.name === 'AbortError'
    ? `no response within ${TIMEOUT_MS / 1000} s`
    : error.message || (error.code ?? 'failed');
