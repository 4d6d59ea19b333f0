import type { ApiRequest, UserInfo } from '@vireo/kube';
import type { Aggregation } from '../aggregation/aggregation.ts';
import type { ApiResource } from './resources.ts';

const AGGREGATOR: UserInfo = { username: 'system:kube-aggregator', groups: ['system:masters', 'system:authenticated'] };
const FRESH_MS = 10_000;
const TIMEOUT_MS = 5_000;

interface RemoteGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ApiResource[];
}

/** What aggregated servers offer, asked of them and remembered for a while. */
export class RemoteDiscovery {
  readonly #aggregation: Aggregation;
  #known: readonly RemoteGroupVersion[] = [];
  #asked = '';
  #askedAt = 0;
  #generation = 0;

  constructor(aggregation: Aggregation) {
    this.#aggregation = aggregation;
  }

  all(): readonly RemoteGroupVersion[] {
    return this.#known;
  }

  /** A number that changes when the answers do. Only new group-versions are waited for; others are asked meanwhile. */
  async refresh(now = Date.now()): Promise<number> {
    const wanted = this.#aggregation.remoteGroupVersions();
    const asked = wanted.join(' ');
    const isNew = asked !== this.#asked;
    if (!isNew && (wanted.length === 0 || now - this.#askedAt < FRESH_MS)) return this.#generation;
    this.#asked = asked;
    this.#askedAt = now;
    const answers = this.#askAll(wanted);
    if (isNew) await answers;
    return this.#generation;
  }

  async #askAll(wanted: readonly string[]): Promise<void> {
    const known = (await Promise.all(wanted.map((groupVersion) => this.#ask(groupVersion)))).filter(
      (found) => found !== undefined,
    );
    if (JSON.stringify(known) !== JSON.stringify(this.#known)) this.#generation++;
    this.#known = known;
  }

  async #ask(groupVersion: string): Promise<RemoteGroupVersion | undefined> {
    const [group = '', version = ''] = groupVersion.split('/');
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const request: ApiRequest = {
      method: 'GET',
      path: `/apis/${groupVersion}`,
      query: new URLSearchParams(),
      headers: { accept: 'application/json' },
      user: AGGREGATOR,
      body: async () => undefined,
      signal: late,
    };
    try {
      const response = await Promise.race([
        this.#aggregation.handlerFor(group, version)?.(request),
        rejectOnAbort(late),
      ]);
      if (response?.type !== 'object' || response.status !== 200) return undefined;
      const { resources } = response.object() as { resources?: ApiResource[] };
      return { group, version, resources: resources ?? [] };
    } catch {
      // An absent server leaves a hole in discovery, not an error: everything else must stay usable.
      return undefined;
    }
  }
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
