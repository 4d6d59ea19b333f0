import type { Aggregation } from './aggregation.ts';
import type { RemoteApi } from './apiService.ts';
import { askServer } from './askServer.ts';
import { Remembered } from './remembered.ts';

interface IndexEntry {
  readonly serverRelativeURL: string;
}

/** What aggregated servers document in version 3, as entries of the index of documents. */
export class RemoteIndex {
  readonly #aggregation: Aggregation;
  readonly #remembered: Remembered<IndexEntry | undefined>;

  constructor(aggregation: Aggregation) {
    this.#aggregation = aggregation;
    this.#remembered = new Remembered(aggregation, async (api, etag) => {
      const headers = { accept: 'application/json', ...(etag !== undefined && { 'if-none-match': etag }) };
      const document = await askServer(aggregation, api, '/openapi/v3', headers);
      if (document.status === 304) return undefined;
      if (document.status !== 200) throw new Error(`/openapi/v3: HTTP ${document.status}`);
      return { value: entryFor(document.body, api), ...(document.etag !== undefined && { etag: document.etag }) };
    });
    aggregation.onChange(() => void this.#remembered.refresh());
  }

  /** By path, such as `apis/example.com/v1`. */
  async entries(): Promise<Record<string, IndexEntry>> {
    await this.#remembered.refresh();
    const known = this.#aggregation.remoteApis().flatMap((api) => {
      const { value } = this.#remembered.of(api);
      return value ? [[pathOf(api), value] as const] : [];
    });
    return Object.fromEntries(known);
  }
}

const pathOf = ({ group, version }: RemoteApi): string => `apis/${group}/${version}`;

/** The document stays where it is: below the same path, where requests are handed on. */
function entryFor(body: unknown, api: RemoteApi): IndexEntry | undefined {
  const { paths } = (body ?? {}) as { paths?: Record<string, Partial<IndexEntry> | undefined> };
  const url = paths?.[pathOf(api)]?.serverRelativeURL;
  return typeof url === 'string' && url.startsWith(`/openapi/v3/${pathOf(api)}`)
    ? { serverRelativeURL: url }
    : undefined;
}
