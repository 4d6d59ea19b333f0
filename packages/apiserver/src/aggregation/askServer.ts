import type { ApiRequest, ApiResponse, UserInfo } from '@vireo/kube';
import type { Aggregation } from './aggregation.ts';
import type { RemoteApi } from './apiService.ts';

const AGGREGATOR: UserInfo = { username: 'system:kube-aggregator', groups: ['system:masters', 'system:authenticated'] };
const TIMEOUT_MS = 5_000;

/** What a server said of itself. */
export interface Document {
  readonly status: number;
  readonly body: unknown;
  readonly etag?: string;
}

/** Asks the server of an API for a document, on this server's own behalf. */
export async function askServer(
  aggregation: Aggregation,
  { group, version }: RemoteApi,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Document> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const request: ApiRequest = {
    method: 'GET',
    path,
    query: new URLSearchParams(),
    headers,
    user: AGGREGATOR,
    body: async () => undefined,
    signal: late,
  };
  const response = await Promise.race([aggregation.handlerFor(group, version)?.(request), rejectOnAbort(late)]);
  if (!response) throw new Error(`${group}/${version} is served here`);
  const { etag } = response.headers ?? {};
  return { status: response.status, body: readDocument(response), ...(typeof etag === 'string' && { etag }) };
}

function readDocument(response: ApiResponse): unknown {
  if (response.type === 'object') return response.object();
  if (response.type === 'stream' || response.status !== 200) return undefined;
  return JSON.parse(response.bytes.toString());
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
