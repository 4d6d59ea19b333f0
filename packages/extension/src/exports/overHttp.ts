import http, { type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { isObject } from '@vireo/api/json.ts';
import type { NodeExport, NodeExportRequest } from '@vireo/kube';
import type { Dial } from '../streams/nodeConnections.ts';
import { ExportRefusal } from './refusal.ts';

/** What of a node's headers is for whoever fetches. */
const FORWARDED_HEADERS = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag'];

/** Asks the API of a node for the data of a claim. */
export const exportOverHttp =
  (dial: Dial) =>
  async ({ claim, path, method, headers, signal }: NodeExportRequest): Promise<NodeExport> => {
    const [namespace, name] = claim.split('/');
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = http.request({
      createConnection: () => dial(),
      host: 'node',
      method,
      path: `/v1/namespaces/${namespace}/persistentvolumeclaims/${name}/export/${path}`,
      headers,
      signal,
    });
    request.once('response', resolve).once('error', reject).end();
    const response = await promise;
    const { statusCode: status = 500 } = response;
    if (![200, 206, 416].includes(status)) throw new ExportRefusal(status, messageOf(await text(response)));
    return { status, headers: only(response.headers, FORWARDED_HEADERS), body: response };
  };

/** Of headers, those of these names. */
export const only = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );

/** Nodes refuse with Status objects. */
function messageOf(body: string): string {
  try {
    const status: unknown = JSON.parse(body);
    return isObject(status) && typeof status.message === 'string' ? status.message : body;
  } catch {
    return body;
  }
}
