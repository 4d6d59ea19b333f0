import type { Aggregation } from '../aggregation/aggregation.ts';
import type { RemoteApi } from '../aggregation/apiService.ts';
import { askServer } from '../aggregation/askServer.ts';
import { type Ask, Remembered } from '../aggregation/remembered.ts';
import { resourcesInList, resourcesInTree } from './parseResources.ts';
import type { ApiResource } from './resources.ts';

/** A group-version of an aggregated server, as far as it is known. */
export interface RemoteGroupVersion extends Pick<RemoteApi, 'group' | 'version' | 'groupPriority' | 'versionPriority'> {
  readonly resources: readonly ApiResource[];
  /** Whether its server did not answer when it was asked last. */
  readonly isStale: boolean;
}

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');

/** What aggregated servers offer. */
export class RemoteDiscovery {
  readonly #aggregation: Aggregation;
  readonly #remembered: Remembered<readonly ApiResource[]>;

  constructor(aggregation: Aggregation) {
    this.#aggregation = aggregation;
    this.#remembered = new Remembered(aggregation, askFor(aggregation));
    aggregation.onChange(() => void this.#remembered.refresh());
  }

  /** Everything that is served elsewhere; what did not answer has the resources that it had. */
  all(): RemoteGroupVersion[] {
    return this.#aggregation.remoteApis().map((api) => {
      const { value = [], isStale } = this.#remembered.of(api);
      const { group, version, groupPriority, versionPriority } = api;
      return { group, version, groupPriority, versionPriority, resources: value, isStale };
    });
  }

  /** A number that changes when the answers do. */
  async refresh(): Promise<number> {
    await this.#remembered.refresh();
    return this.#remembered.generation;
  }
}

/** Both forms of discovery: one document for all that a server has, or one a group-version. */
const askFor =
  (aggregation: Aggregation): Ask<readonly ApiResource[]> =>
  async (api, etag) => {
    if (!aggregation.isInProcess(api)) {
      const headers = { accept: AGGREGATED, ...(etag !== undefined && { 'if-none-match': etag }) };
      const all = await askServer(aggregation, api, '/apis', headers);
      if (all.status === 304) return undefined;
      const value = all.status === 200 ? resourcesInTree(all.body, api) : undefined;
      if (value) return { value, ...(all.etag !== undefined && { etag: all.etag }) };
    }
    const path = `/apis/${api.group}/${api.version}`;
    const { status, body } = await askServer(aggregation, api, path, { accept: 'application/json' });
    if (status !== 200) throw new Error(`${path}: HTTP ${status}`);
    return { value: resourcesInList(body) };
  };
