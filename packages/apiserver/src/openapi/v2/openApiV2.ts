import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type ApiRequest, type ApiResponse, emptyResponse } from '@vireo/kube';
import type { Aggregation } from '../../aggregation/aggregation.ts';
import type { Remembered } from '../../aggregation/remembered.ts';
import type { PathRoutes } from '../../paths.ts';
import type { Registry } from '../../registry/registry.ts';
import { type Written, writeDocument } from './document.ts';
import { CONTENT_TYPES, type Form, formFor, isKnown, takesGzip } from './negotiate.ts';
import { type FixedPart, fixedPart, resourcePart } from './parts.ts';
import { type RemoteSwagger, rememberedSwagger, remotePart } from './remote.ts';

const compress = promisify(gzip);

const MAX_TURN_MS = 10;

const VARY = 'Accept-Encoding, Accept';

/** `/openapi/v2`: one document of everything that is served, for kubectl before 1.27 and others of its time. */
export class OpenApiV2 {
  readonly #registry: Registry;
  readonly #aggregation: Aggregation;
  readonly #remote: Remembered<RemoteSwagger>;
  /** What does not change: the built-in groups, and what is served beside them. */
  #fixed: FixedPart | undefined;
  #written: { readonly generation: string; readonly forms: Partial<Record<Form, Promise<Written>>> } | undefined;

  constructor(registry: Registry, aggregation: Aggregation) {
    this.#registry = registry;
    this.#aggregation = aggregation;
    this.#remote = rememberedSwagger(aggregation);
  }

  addTo(routes: PathRoutes): void {
    routes.add('/openapi/v2', (request) => this.#respond(request));
  }

  async #respond({ headers: sent }: ApiRequest): Promise<ApiResponse> {
    const form = formFor(sent.accept);
    if (!form) return { ...emptyResponse(406), headers: { vary: VARY } };
    await this.#remote.refresh();
    const written = await this.#write(form);
    const contentType = CONTENT_TYPES[form];
    const { etag, lastModified } = written;
    const headers = { etag, 'last-modified': lastModified, vary: VARY, 'cache-control': 'no-cache, private' };
    if (isKnown(sent['if-none-match'], etag))
      return { type: 'bytes', status: 304, headers, contentType, bytes: Buffer.alloc(0) };
    if (!takesGzip(sent['accept-encoding']))
      return { type: 'bytes', status: 200, headers, contentType, bytes: written.bytes };
    written.gzipped ??= compress(written.bytes);
    const bytes = await written.gzipped;
    return { type: 'bytes', status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, contentType, bytes };
  }

  /** Written anew when something served has changed; what has not changed is only copied. */
  #write(form: Form): Promise<Written> {
    const generation = `${this.#registry.generation}/${this.#remote.generation}`;
    if (this.#written?.generation !== generation) this.#written = { generation, forms: {} };
    const { forms } = this.#written;
    forms[form] ??= this.#make(form);
    return forms[form];
  }

  /** The first time takes a while, in which others are served. */
  async #make(form: Form): Promise<Written> {
    const resources = this.#registry.all();
    this.#fixed ??= fixedPart(resources.filter(({ custom }) => !custom).map(({ kind }) => kind));
    const { marks, part } = this.#fixed;
    const parts = [part];
    let since = performance.now();
    for (const resource of resources) {
      const next = resourcePart(resource, marks);
      for (const entry of Object.values(next).flat()) entry.bytes(form);
      parts.push(next);
      if (performance.now() - since < MAX_TURN_MS) continue;
      await setImmediate();
      since = performance.now();
    }
    for (const api of this.#aggregation.remoteApis()) {
      const { value } = this.#remote.of(api);
      if (value) parts.push(remotePart(value, parts));
    }
    return writeDocument(form, parts);
  }
}
