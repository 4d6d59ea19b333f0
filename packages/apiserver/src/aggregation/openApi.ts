import type { ApiRequest } from '@vireo/kube';
import type { Aggregation } from './aggregation.ts';

/** What aggregated servers document, as entries of the index of documents: each is asked for its own. */
export async function remoteIndex(aggregation: Aggregation, request: ApiRequest): Promise<Record<string, unknown>> {
  const entries = aggregation.remoteGroupVersions().map(async (groupVersion) => {
    const [group = '', version = ''] = groupVersion.split('/');
    const path = `apis/${groupVersion}`;
    try {
      const response = await aggregation.handlerFor(group, version)?.({ ...plain(request), path: '/openapi/v3' });
      if (response?.type !== 'object' || response.status !== 200) return [];
      const { paths = {} } = response.object() as { paths?: Record<string, unknown> };
      return Object.hasOwn(paths, path) ? [[path, paths[path]] as const] : [];
    } catch {
      // Who does not answer documents nothing: everything else must stay readable.
      return [];
    }
  });
  return Object.fromEntries((await Promise.all(entries)).flat());
}

/** The signal is made when it is asked for: to copy it would ask. */
const plain = ({ user, headers }: ApiRequest): Omit<ApiRequest, 'path'> => ({
  method: 'GET',
  query: new URLSearchParams(),
  headers,
  user,
  body: async () => undefined,
  signal: new AbortController().signal,
});
