import type { APIService, UnknownObject } from '@vireo/api';
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  type BytesResponse,
  type Exchange,
  isCredential,
  type UpgradeHandler,
} from '@vireo/kube';
import type { Credential } from '../auth/pki.ts';
import type { Channel } from '../services/outbound/channel.ts';
import type { Outbound } from '../services/outbound/outbound.ts';
import type { ResolveService } from '../services/resolve.ts';
import type { Services } from '../services/services.ts';
import { type RemoteApi, remoteApi } from './apiService.ts';
import { forward } from './forward.ts';
import { type ProxyTarget, proxy, proxyError } from './proxy.ts';
import { refuse, tunnel } from './tunnel.ts';

/** What requests to servers elsewhere take. */
export interface Network {
  readonly resolve: ResolveService;
  readonly outbound: Outbound;
  /** Shown to the servers behind, which believe whom it names. */
  readonly clientCertificate: Credential;
}

/** Which group-versions somebody else serves, kept in step with the APIService objects. */
export class Aggregation {
  readonly #services: Services;
  readonly #network: Network | undefined;
  readonly #callbacks: (() => void)[] = [];
  readonly #remote = new Map<string, RemoteApi>();

  /** Without a network, only what runs in this process is reached. */
  constructor(services: Services, network?: Network) {
    this.#services = services;
    this.#network = network;
  }

  /** Calls back when something is served elsewhere that was not, or otherwise than before. */
  onChange(callback: () => void): void {
    this.#callbacks.push(callback);
  }

  update(apiService: UnknownObject): void {
    const { group = '', version = '' } = (apiService as APIService).spec ?? {};
    const remote = remoteApi(apiService as APIService);
    if (remote) this.#remote.set(`${group}/${version}`, remote);
    else this.#remote.delete(`${group}/${version}`);
    if (remote) for (const callback of this.#callbacks) callback();
  }

  remove(apiService: UnknownObject): void {
    const { group = '', version = '' } = (apiService as APIService).spec ?? {};
    this.#remote.delete(`${group}/${version}`);
  }

  isRemote(group: string, version: string): boolean {
    return this.#remote.has(`${group}/${version}`);
  }

  /** The group-versions served elsewhere, as `group/version`. */
  remoteGroupVersions(): string[] {
    return [...this.#remote.keys()];
  }

  /** Everything that is served elsewhere. */
  remoteApis(): readonly RemoteApi[] {
    return [...this.#remote.values()];
  }

  /** Whether the service of an API runs in this process: it then needs neither network nor checks. */
  isInProcess({ service }: Pick<RemoteApi, 'service'>): boolean {
    return this.#services.find(service.namespace, service.name) !== undefined;
  }

  /** Undefined: served here. */
  handlerFor(group: string, version: string): ApiHandler | undefined {
    const api = this.#remote.get(`${group}/${version}`);
    if (!api) return undefined;
    const handler = this.#services.find(api.service.namespace, api.service.name);
    if (handler) return (request) => handler(withoutCredentials(request));
    return (request) => this.#proxy(api, request);
  }

  /** Who answers a path that is no part of Kubernetes' API; undefined: nobody. */
  handlerForPath(path: string): ApiHandler | undefined {
    const handler = this.#services.findPath(path);
    return handler && ((request) => handler(withoutCredentials(request)));
  }

  /** Hands requests on to the server of an aggregated API, whatever their path. */
  proxyTo(group: string, version: string): ApiHandler {
    return async (request) => {
      const target = this.#targetOf(this.#remote.get(`${group}/${version}`));
      return 'status' in target ? target : proxy(request, { ...target, tellsOrigin: true });
    };
  }

  /** The same for upgrades. */
  upgradeTo(group: string, version: string): UpgradeHandler {
    return async (request, _incoming, socket, head) => {
      const target = this.#targetOf(this.#remote.get(`${group}/${version}`));
      if ('status' in target) refuse(socket, target.bytes.toString().trimEnd());
      else await tunnel(request, socket, head, { ...target, tellsOrigin: true });
    };
  }

  /** The same for what is no part of the API: the server behind sees the credentials, and finds out who it is. */
  forwardTo(group: string, version: string): (exchange: Exchange) => void {
    return (exchange) => {
      const target = this.#targetOf(this.#remote.get(`${group}/${version}`));
      if ('status' in target) exchange.send(target.status, { 'content-type': target.contentType }, target.bytes);
      else void forward(exchange, target);
    };
  }

  /** Who takes upgrades of a path that is no part of Kubernetes' API; undefined: nobody. */
  upgradeForPath(path: string): UpgradeHandler | undefined {
    const handler = this.#services.findPathUpgrade(path);
    return handler && ((request, ...connection) => handler(withoutCredentials(request), ...connection));
  }

  /** Who takes upgrades of a group-version; undefined: nobody. */
  upgradeFor(group: string, version: string): UpgradeHandler | undefined {
    const api = this.#remote.get(`${group}/${version}`);
    if (!api) return undefined;
    const own = this.#services.findUpgrade(api.service.namespace, api.service.name);
    if (own || this.isInProcess(api)) return own;
    return async (request, _incoming, socket, head) => {
      const target = this.#targetOf(api);
      if ('status' in target) refuse(socket, target.bytes.toString().trimEnd());
      else await tunnel(request, socket, head, target);
    };
  }

  async #proxy(api: RemoteApi, request: ApiRequest): Promise<ApiResponse> {
    const target = this.#targetOf(api);
    return 'status' in target ? target : proxy(request, target);
  }

  #targetOf(api: RemoteApi | undefined): ProxyTarget | BytesResponse {
    if (!api) return proxyError('404 page not found', 404);
    if (!api.isAvailable || !this.#network) return proxyError('service unavailable');
    const { outbound, clientCertificate, resolve } = this.#network;
    let channel: Channel;
    try {
      channel = outbound.channel({ ...api.tls, clientCertificate }, { offersHttp2: true });
    } catch (error) {
      return proxyError((error as Error).message, 500);
    }
    try {
      return { channel, address: resolve(api.service) };
    } catch {
      return proxyError('service unavailable');
    }
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
