import type { Status, UnknownObject } from '@vireo/api';
import type { ApiCall, ApiCallResult, Transport } from '@vireo/kube';
import { afterAll, beforeAll } from 'vitest';
import { startTestServer, type TestServer } from './server.ts';
import { withWidgetType } from './widgets.ts';

/** A response whose body is looked into freely: an object, a list or a Status, as the test knows. */
export type CallResponse = Omit<ApiCallResult, 'body'> & { readonly body: AnyBody };
type AnyBody = UnknownObject &
  Partial<Omit<Status, 'metadata' | 'kind' | 'apiVersion' | 'status'>> & { items: UnknownObject[] };

type Extra = Partial<Pick<ApiCall, 'query' | 'accept' | 'contentType'>>;

/** Plain calls over any transport, for tests that are about statuses and headers. */
export interface Calls {
  get(path: string, extra?: Extra): Promise<CallResponse>;
  post(path: string, body: unknown, extra?: Extra): Promise<CallResponse>;
  put(path: string, body: unknown, extra?: Extra): Promise<CallResponse>;
  /** The type is the part before `-patch` (`merge`, `json`, `strategic-merge`, `apply`). */
  patch(path: string, type: string, body: unknown, extra?: Extra): Promise<CallResponse>;
  delete(path: string, body?: unknown, extra?: Extra): Promise<CallResponse>;
}

export function callsOver(transport: () => Promise<Transport>): Calls {
  const call = async (request: ApiCall): Promise<CallResponse> =>
    (await (await transport()).call(request)) as CallResponse;
  return {
    get: (path, extra) => call({ method: 'GET', path, ...extra }),
    post: (path, body, extra) => call({ method: 'POST', path, body: withWidgetType(path, body), ...extra }),
    put: (path, body, extra) => call({ method: 'PUT', path, body: withWidgetType(path, body), ...extra }),
    patch: (path, type, body, extra) =>
      call({
        method: 'PATCH',
        path,
        body,
        contentType: `application/${type}-patch+${type === 'apply' ? 'yaml' : 'json'}`,
        ...extra,
      }),
    delete: (path, body, extra) => call({ method: 'DELETE', path, body, ...extra }),
  };
}

/** One server for the whole test file, and calls to it over HTTP/2 as the administrator. */
export function serverOfFile(): Calls & { readonly server: () => TestServer } {
  let server: TestServer | undefined;
  let transport: Transport | undefined;
  beforeAll(async () => {
    server = await startTestServer();
    transport = await server.overHttp();
  });
  afterAll(() => server?.close());
  return { ...callsOver(async () => transport as Transport), server: () => server as TestServer };
}
