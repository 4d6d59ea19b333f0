import { notFound } from '@vireo/api';
import { type ApiRequest, type ApiResponse, textResponse } from '@vireo/kube';
import type { PathRoutes } from './paths.ts';

/** One thing that must hold for the server to be healthy; the text says why it does not. */
export type HealthCheck = () => string | undefined;

/** `/healthz`, `/livez` and `/readyz`, each with its checks, `?verbose`, `?exclude=` and a path a check. */
export class Health {
  readonly #checks = new Map<string, { check: HealthCheck; onlyReady: boolean }>();

  /** `onlyReady`: counts for readiness, not for being alive. */
  add(name: string, check: HealthCheck, onlyReady = true): void {
    this.#checks.set(name, { check, onlyReady });
  }

  addTo(routes: PathRoutes): void {
    for (const endpoint of ['healthz', 'livez', 'readyz']) {
      routes.add(`/${endpoint}`, (request) => this.#respond(request, endpoint));
      routes.add(`/${endpoint}/`, (_, path) => this.#single(endpoint, path.slice(endpoint.length + 2)));
    }
  }

  #checksOf(endpoint: string): [string, HealthCheck][] {
    return [...this.#checks]
      .filter(([, { onlyReady }]) => !onlyReady || endpoint === 'readyz')
      .map(([name, { check }]) => [name, check]);
  }

  #respond(request: ApiRequest, endpoint: string): ApiResponse {
    const excluded = new Set(request.query.getAll('exclude'));
    let failed = false;
    const lines = this.#checksOf(endpoint).map(([name, check]) => {
      if (excluded.has(name)) return `[+]${name} excluded: ok`;
      const problem = check();
      if (problem !== undefined) failed = true;
      return problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`;
    });
    const unknown = [...excluded].filter((name) => !this.#checks.has(name));
    if (unknown.length > 0)
      lines.push(
        `warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => JSON.stringify(name)).join(', ')}`,
      );
    if (failed) return textResponse(`${lines.join('\n')}\n${endpoint} check failed\n`, 500);
    if (request.query.has('verbose')) return textResponse(`${lines.join('\n')}\n${endpoint} check passed\n`);
    return textResponse('ok');
  }

  #single(endpoint: string, name: string): ApiResponse {
    const found = this.#checksOf(endpoint).find(([candidate]) => candidate === name);
    if (!found) throw notFound({ group: '', resource: endpoint }, name);
    const problem = found[1]();
    return problem === undefined ? textResponse('ok') : textResponse(`internal server error: ${problem}\n`, 500);
  }
}
