import { type UnknownObject, unavailable } from '@vireo/api';
import { type ApiHandler, type ApiRequest, isCredential, type UpgradeHandler } from '@vireo/kube';
import type { Services } from '../services/services.ts';

interface ApiServiceSpec {
  readonly group?: string;
  readonly version?: string;
  readonly service?: { readonly namespace?: string; readonly name?: string };
}

/** Which group-versions somebody else serves, kept in step with the APIService objects. */
export class Aggregation {
  readonly #services: Services;
  readonly #remote = new Map<string, { namespace: string; name: string }>();

  constructor(services: Services) {
    this.#services = services;
  }

  update(apiService: UnknownObject): void {
    const { group = '', version = '', service } = (apiService.spec ?? {}) as ApiServiceSpec;
    if (service)
      this.#remote.set(`${group}/${version}`, { namespace: service.namespace ?? '', name: service.name ?? '' });
    else this.#remote.delete(`${group}/${version}`);
  }

  remove(apiService: UnknownObject): void {
    const { group = '', version = '' } = (apiService.spec ?? {}) as ApiServiceSpec;
    this.#remote.delete(`${group}/${version}`);
  }

  isRemote(group: string, version: string): boolean {
    return this.#remote.has(`${group}/${version}`);
  }

  /** The group-versions served elsewhere, as `group/version`. */
  remoteGroupVersions(): string[] {
    return [...this.#remote.keys()];
  }

  /** Undefined: served here. A service that does not answer is 503, as in Kubernetes. */
  handlerFor(group: string, version: string): ApiHandler | undefined {
    const service = this.#remote.get(`${group}/${version}`);
    if (!service) return undefined;
    const handler = this.#services.find(service.namespace, service.name);
    if (handler) return (request) => handler(withoutCredentials(request));
    return async () => {
      throw unavailable(
        `the server is currently unable to handle the request: service "${service.namespace}/${service.name}" of ${group}/${version} is not reachable`,
      );
    };
  }

  /** Who answers a path that is no part of Kubernetes' API; undefined: nobody. */
  handlerForPath(path: string): ApiHandler | undefined {
    const handler = this.#services.findPath(path);
    return handler && ((request) => handler(withoutCredentials(request)));
  }

  /** Who takes upgrades of a group-version; undefined: nobody. */
  upgradeFor(group: string, version: string): UpgradeHandler | undefined {
    const service = this.#remote.get(`${group}/${version}`);
    return service && this.#services.findUpgrade(service.namespace, service.name);
  }
}

/** Who asks is said by `user` alone; the credentials that proved it are none of the service's business. */
function withoutCredentials(request: ApiRequest): ApiRequest {
  const { method, path, query, user, body, input } = request;
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !isCredential(name)));
  return {
    method,
    path,
    query,
    headers,
    user,
    body,
    input,
    get signal() {
      return request.signal;
    },
  };
}
