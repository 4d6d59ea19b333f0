import { randomBytes } from 'node:crypto';
import type { BackupCredentials, S3Target } from '@vireo/api/kinds/harvester/backupTarget.ts';
import {
  type BackupStore,
  Damaged,
  ID_KEY,
  idProblem,
  isSegment,
  MOST_BYTES,
  MOST_NAMES,
  segmentsOf,
  segmentsOfPrefix,
  TargetUnusable,
} from '../store.ts';
import { isSuccess, S3Client, type S3Request, type S3Response, TooLarge } from './client.ts';
import { type Page, parseError, parsePage } from './xml.ts';

/** How many objects are deleted at once. */
const DELETIONS = 8;
/** A page is a thousand names of a kilobyte at most, with some words about each. */
const MOST_BYTES_OF_PAGE = 1 << 24;
/** More than the largest backup has: a server that always knows another page would never be done. */
const MOST_PAGES = 20_000;

export interface S3Options {
  readonly description: string;
  /** What the target is known by. Without it nothing is written. */
  readonly id: string | undefined;
  readonly credentials: BackupCredentials;
  readonly firstPauseMs?: number;
  readonly deadlineMs?: number;
  /** How many pages a listing has at most. */
  readonly mostPages?: number;
}

/** Objects in a bucket. */
export class S3Store implements BackupStore {
  readonly description: string;
  readonly #bucket: URL;
  readonly #client: S3Client;
  readonly #id: string | undefined;
  readonly #mostPages: number;
  #known: Promise<void> | undefined;

  constructor(target: S3Target, { description, id, credentials, mostPages = MOST_PAGES, ...rest }: S3Options) {
    const { accessKeyId, secretAccessKey, cert } = credentials;
    for (const [field, value] of Object.entries({ accessKeyId, secretAccessKey }))
      if (!value) throw new TargetUnusable(`${description}: ${field} is not set`);
    this.description = description;
    this.#id = id;
    this.#bucket = bucketUrl(target);
    const identity = {
      accessKeyId: accessKeyId ?? '',
      secretAccessKey: secretAccessKey ?? '',
      region: target.bucketRegion,
    };
    this.#mostPages = mostPages;
    this.#client = new S3Client({ identity, cert, ...rest });
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const url = this.#urlOf(key);
    await this.#expectAccepted();
    await this.#send({ method: 'PUT', url, body: bytes });
  }

  async get(key: string, mostBytes = MOST_BYTES): Promise<Buffer | undefined> {
    segmentsOf(key);
    await this.#expectKnown();
    return this.#read(key, mostBytes);
  }

  async *list(prefix: string): AsyncGenerator<string> {
    segmentsOfPrefix(prefix);
    await this.#expectKnown();
    for await (const { keys } of this.#pages(prefix))
      for (const key of keys) if (key.split('/').every(isSegment)) yield key;
  }

  async names(prefix: string): Promise<string[]> {
    segmentsOfPrefix(prefix);
    await this.#expectKnown();
    const names: string[] = [];
    for await (const { keys, prefixes } of this.#pages(prefix, '/')) {
      for (const key of [...keys, ...prefixes]) names.push(key.slice(prefix.length));
      if (names.length > MOST_NAMES)
        throw new TargetUnusable(`${this.description} has more than ${MOST_NAMES} names below ${prefix}`);
    }
    return names.filter((name) => isSegment(name.replace(/\/$/, ''))).sort();
  }

  async delete(key: string): Promise<void> {
    const url = this.#urlOf(key);
    await this.#expectAccepted();
    await this.#send({ method: 'DELETE', url }, [404]);
  }

  async deleteAll(prefix: string): Promise<void> {
    if (segmentsOfPrefix(prefix).length === 0) throw new Error(`all of ${this.description} is never deleted`);
    await this.#expectAccepted();
    const keys = this.list(prefix);
    const work = async (): Promise<void> => {
      for (let next = await keys.next(); !next.done; next = await keys.next()) await this.delete(next.value);
    };
    await Promise.all(Array.from({ length: DELETIONS }, work));
  }

  async accept(): Promise<string> {
    const url = this.#urlOf(ID_KEY);
    const found = await this.#readId();
    if (found !== undefined) return found;
    const id = randomBytes(8).toString('hex');
    await this.#send({ method: 'PUT', url, body: Buffer.from(`${id}\n`) });
    // Another controller may have written one at the same moment.
    return (await this.#readId()) ?? id;
  }

  async check(): Promise<void> {
    const key = `check-${randomBytes(6).toString('hex')}`;
    await this.put(key, Buffer.from('check\n'));
    const found = await this.get(key);
    await this.delete(key);
    if (found?.toString() !== 'check\n')
      throw new TargetUnusable(`${this.description} does not give back what was written`);
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  #urlOf(key: string): URL {
    segmentsOf(key);
    return new URL(key, this.#bucket);
  }

  async #readId(): Promise<string | undefined> {
    return (await this.#read(ID_KEY, MOST_BYTES))?.toString().trim() || undefined;
  }

  async #read(key: string, mostBytes: number): Promise<Buffer | undefined> {
    try {
      const { status, body } = await this.#send({ method: 'GET', url: this.#urlOf(key), mostBytes }, [404]);
      return status === 404 ? undefined : body;
    } catch (error) {
      const { cause } = error as Error;
      if (key === ID_KEY || !(cause instanceof TooLarge) || !cause.isObject) throw error;
      throw new Damaged(`${key} in ${this.description} is damaged: it has more than ${mostBytes} bytes`);
    }
  }

  async *#pages(prefix: string, delimiter = ''): AsyncGenerator<Page> {
    let token = '';
    for (let pages = 1; ; pages++) {
      const url = new URL(this.#bucket);
      url.searchParams.set('list-type', '2');
      url.searchParams.set('prefix', prefix);
      if (delimiter) url.searchParams.set('delimiter', delimiter);
      if (token) url.searchParams.set('continuation-token', token);
      // Signatures are of the search as `encodeURIComponent` writes it; `URLSearchParams` writes spaces otherwise.
      url.search = url.search.replaceAll('+', '%20');
      const { body } = await this.#send({ method: 'GET', url, mostBytes: MOST_BYTES_OF_PAGE });
      const page = parsePage(body.toString());
      yield page;
      if (page.next === undefined) return;
      if (page.next === token || pages >= this.#mostPages)
        throw new TargetUnusable(`${this.description} does not come to the end of its list of what is below ${prefix}`);
      token = page.next;
    }
  }

  async #expectKnown(): Promise<void> {
    if (this.#id !== undefined) await this.#expectAccepted();
  }

  /** Once: a bucket does not become another one while it is used. */
  async #expectAccepted(): Promise<void> {
    this.#known ??= this.#readId().then((found) => {
      const problem = idProblem(this.description, found, this.#id);
      if (problem) throw new TargetUnusable(problem.replace('; is it mounted?', ''));
    });
    try {
      await this.#known;
    } catch (error) {
      this.#known = undefined;
      throw error;
    }
  }

  /** `expected`: statuses that are no error, besides those of success. A bucket that is missing always is one. */
  async #send(request: S3Request, expected: readonly number[] = []): Promise<S3Response> {
    let response: S3Response;
    try {
      response = await this.#client.send(request);
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      const advice = /CERT|SELF_SIGNED|UNABLE_TO/.test(code) ? '; set cert to the certificate of its CA' : '';
      throw new TargetUnusable(
        `${this.description} cannot be reached: ${message.replace(/; if the root CA.*$/, '')}${advice}`,
        {
          cause: error,
        },
      );
    }
    const { status, body, headers } = response;
    if (isSuccess(status)) return response;
    const { code, message } = parseError(body.toString());
    if (expected.includes(status) && code !== 'NoSuchBucket') return response;
    const said = [`${status}`, code, message, headers.location].filter(Boolean).join(' ');
    throw new TargetUnusable(
      `${this.description} answered ${said} to ${request.method} ${request.url.pathname}${adviceOn(status, code)}`,
    );
  }
}

function adviceOn(status: number, code: string): string {
  if (code === 'NoSuchBucket') return ': create the bucket';
  if (code === 'RequestTimeTooSkewed') return ': set the clock of this host';
  if (status === 301 || status === 307 || code === 'AuthorizationHeaderMalformed')
    return ': check endpoint and bucketRegion';
  if (
    ['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'AccessDenied'].includes(code) ||
    status === 401 ||
    status === 403
  )
    return ': check accessKeyId and secretAccessKey, and that they may read and write the bucket';
  return '';
}

/** Where the objects of a bucket are, by its path or by the host's name. */
export function bucketUrl({ endpoint, bucketName, bucketRegion, virtualHostedStyle }: S3Target): URL {
  const url = new URL(endpoint || `https://s3.${bucketRegion}.amazonaws.com`);
  if (virtualHostedStyle) url.hostname = `${bucketName}.${url.hostname}`;
  url.pathname = virtualHostedStyle ? '/' : `/${bucketName}/`;
  return url;
}
