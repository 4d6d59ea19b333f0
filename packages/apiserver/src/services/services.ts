import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { ApiResponse, RequestBody, UserInfo } from '../request.ts';

/**
 * Kubernetes Services that run in this process. Webhook configurations and APIServices name a service; what answers is
 * a function call here and the network on a cluster. The request carries the identity that a front proxy would.
 */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly user: UserInfo;
  readonly body: () => Promise<RequestBody | undefined>;
  readonly input?: () => Readable;
  readonly signal: AbortSignal;
}

export type ServiceHandler = (request: ServiceRequest) => Promise<ApiResponse>;

/** Takes over a connection that asks for an upgrade (WebSocket). Refuses by throwing before anything is written. */
export type UpgradeHandler = (
  request: ServiceRequest,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Promise<void>;

export class Services {
  readonly #handlers = new Map<string, ServiceHandler>();
  readonly #paths: [string, ServiceHandler][] = [];
  readonly #upgrades = new Map<string, UpgradeHandler>();

  register(namespace: string, name: string, handler: ServiceHandler): void {
    this.#handlers.set(`${namespace}/${name}`, handler);
  }

  /** Everything at a path and below. Who asks has been found out; what they may do is for the handler to look at. */
  registerPath(path: string, handler: ServiceHandler): void {
    this.#paths.push([path, handler]);
  }

  findPath(path: string): ServiceHandler | undefined {
    return this.#paths.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1];
  }

  find(namespace: string, name: string): ServiceHandler | undefined {
    return this.#handlers.get(`${namespace}/${name}`);
  }

  registerUpgrade(namespace: string, name: string, handler: UpgradeHandler): void {
    this.#upgrades.set(`${namespace}/${name}`, handler);
  }

  findUpgrade(namespace: string, name: string): UpgradeHandler | undefined {
    return this.#upgrades.get(`${namespace}/${name}`);
  }
}
