import { checkDigest, DigestCheck, digestOf } from '../digest.ts';
import { OciError } from '../errors.ts';
import { ACCEPTED_MANIFESTS, type Descriptor } from '../manifest.ts';
import { formatReference, type ImageReference, wantedVersion } from '../reference.ts';
import { type Document, type ImageSource, MAX_DOCUMENT_BYTES, type OnBytes } from '../source.ts';
import { authorization, authorizationHeader } from './authorize.ts';
import type { Credentials } from './credentials.ts';
import { type Endpoint, endpointsOf, type RegistrySettings } from './endpoints.ts';
import { errorCode, type HttpResponse, readBody, send } from './http.ts';
import { failureOf } from './refusals.ts';
import { DEFAULT_RETRY_POLICY, delayMs, isWorthRetrying, type RetryPolicy, retry } from './retry.ts';

export interface RegistryOptions {
  readonly credentials?: Credentials;
  readonly settings?: RegistrySettings;
  readonly retryPolicy?: RetryPolicy;
}

/** An image in a registry that speaks the OCI distribution protocol. */
export class RegistryImage implements ImageSource {
  readonly name: string;
  readonly #reference: ImageReference;
  readonly #options: RegistryOptions;
  readonly #retryPolicy: RetryPolicy;
  /** The first of the registry's servers that has the image. */
  #endpoint: Endpoint | undefined;
  #authorization: string | undefined;

  constructor(reference: ImageReference, options: RegistryOptions = {}) {
    this.name = formatReference(reference);
    this.#reference = reference;
    this.#options = options;
    this.#retryPolicy = options.retryPolicy ?? DEFAULT_RETRY_POLICY;
  }

  async root(signal?: AbortSignal): Promise<Document> {
    const { registry, digest } = this.#reference;
    const endpoints = endpointsOf(registry, this.#options.settings);
    const problems: unknown[] = [];
    for (const endpoint of endpoints) {
      this.#endpoint = endpoint;
      this.#authorization = undefined;
      try {
        return await this.#document(wantedVersion(this.#reference), digest, signal);
      } catch (error) {
        if (signal?.aborted || (!endpoint.isMirror && error instanceof OciError)) throw error;
        problems.push(error);
        if (!endpoint.isMirror && !mayBePlainHttp(error)) break;
      }
    }
    throw unreachable(registry, problems.at(-1));
  }

  async manifest({ digest }: Descriptor, signal?: AbortSignal): Promise<Document> {
    return this.#document(digest, digest, signal);
  }

  async *blob({ digest, sizeBytes }: Descriptor, onBytes?: OnBytes, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const what = `blob ${digest} of ${this.name}`;
    const check = new DigestCheck(digest);
    let offset = 0;
    let failures = 0;
    while (offset < sizeBytes) {
      try {
        for await (const chunk of this.#bytesFrom(digest, offset, signal)) {
          offset += chunk.length;
          if (offset > sizeBytes)
            throw new OciError('BadDigest', `${what} is larger than its declared size of ${sizeBytes} bytes`);
          check.update(chunk);
          onBytes?.(chunk.length);
          failures = 0;
          yield chunk;
        }
        if (offset < sizeBytes) throw Object.assign(new Error(`${what} ended early`), { code: 'ECONNRESET' });
      } catch (error) {
        failures += 1;
        // A registry that is being restarted refuses connections for a moment.
        const mayPass = isWorthRetrying(error) || (offset > 0 && errorCode(error) === 'ECONNREFUSED');
        const ms = mayPass && !signal?.aborted ? delayMs(error, failures, this.#retryPolicy) : undefined;
        if (ms === undefined) throw error instanceof OciError || signal?.aborted ? error : brokenOffError(what, error);
        await this.#retryPolicy.wait(ms, signal);
      }
    }
    check.finish(what);
  }

  async close(): Promise<void> {}

  async *#bytesFrom(digest: string, offset: number, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const response = await this.#get(`blobs/${digest}`, offset > 0 ? { range: `bytes=${offset}-` } : {}, signal);
    // Servers may not know ranges: then it comes from the beginning.
    let skip = response.status === 206 ? offset - rangeStart(response) : offset;
    if (skip < 0)
      throw new OciError('BadResponse', `${response.url.host} returned a range other than the requested one`);
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      const rest = chunk.subarray(Math.min(skip, chunk.length));
      skip -= chunk.length - rest.length;
      if (rest.length > 0) yield rest;
    }
  }

  #document(version: string, digest: string | undefined, signal?: AbortSignal): Promise<Document> {
    return retry(
      async () => {
        const { body, headers } = await this.#get(`manifests/${version}`, { accept: ACCEPTED_MANIFESTS }, signal);
        const bytes = await readBody(body, MAX_DOCUMENT_BYTES, `the manifest of ${this.name}`);
        if (digest !== undefined) checkDigest(bytes, digest, `the manifest of ${this.name}`);
        const mediaType = headers['content-type'];
        return { bytes, digest: digest ?? digestOf(bytes), ...(mediaType !== undefined && { mediaType }) };
      },
      this.#retryPolicy,
      signal,
    );
  }

  /** Asks, and asks again with what the registry wants to know first. */
  async #get(path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<HttpResponse> {
    const { url, trust, isMirror } = this.#endpoint ?? endpointsOf(this.#reference.registry)[0]!;
    const { repository } = this.#reference;
    const credentials = isMirror ? undefined : this.#options.credentials;
    const target = new URL(`/v2/${repository}/${path}`, url);
    const ask = (): Promise<HttpResponse> =>
      send(target, { headers: { ...headers, ...authorizationHeader(this.#authorization) }, trust, signal });
    let response = await ask();
    if (response.status === 401) {
      const asker = { registry: url, repository, credentials, trust };
      const authorized = await authorization(response.headers['www-authenticate'], asker, signal);
      if (authorized !== undefined) {
        response.body.resume();
        this.#authorization = authorized;
        response = await ask();
      }
    }
    if (response.status === 200 || response.status === 206) return response;
    const refusal = await failureOf(response, `registry ${url.host}`, credentials);
    if (refusal.code !== 'NotFound') throw refusal;
    throw new OciError('NotFound', `${this.name} does not exist (${refusal.message})`);
  }
}

function rangeStart({ headers }: HttpResponse): number {
  const [, start] = /^bytes (\d+)-/.exec(headers['content-range'] ?? '') ?? [];
  return start === undefined ? Number.POSITIVE_INFINITY : Number(start);
}

const brokenOffError = (what: string, error: unknown): OciError =>
  new OciError('Unreachable', `the download of ${what} was interrupted: ${messageOf(error)}`, { cause: error });

/** Whether a server that was spoken to in TLS did not understand a word. */
const mayBePlainHttp = (error: unknown): boolean => /^(EPROTO|ECONNRESET|ERR_SSL_.*)$/.test(errorCode(error));

function unreachable(registry: string, error: unknown): OciError {
  const words = errorCode(error) === 'ENOTFOUND' ? 'no such host' : messageOf(error);
  return new OciError('Unreachable', `registry ${registry} cannot be reached: ${words}`, { cause: error });
}

const messageOf = (error: unknown): string =>
  error instanceof AggregateError
    ? error.errors.map(messageOf).join('; ')
    : error instanceof Error
      ? error.message
      : String(error);
