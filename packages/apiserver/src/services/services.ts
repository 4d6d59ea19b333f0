import type { ApiHandler, UpgradeHandler } from '@vireo/kube';

/**
 * Kubernetes Services that run in this process. Webhook configurations and APIServices name a service; what answers is
 * a function call here and the network on a cluster. The request carries the identity that a front proxy would.
 */
export class Services {
  readonly #handlers = new Map<string, ApiHandler>();
  readonly #callbacks = new Set<(namespace: string, name: string) => void>();
  readonly #paths: [string, ApiHandler][] = [];
  readonly #pathUpgrades: [string, UpgradeHandler][] = [];
  readonly #upgrades = new Map<string, UpgradeHandler>();

  register(namespace: string, name: string, handler: ApiHandler): void {
    this.#handlers.set(`${namespace}/${name}`, handler);
    for (const callback of this.#callbacks) callback(namespace, name);
  }

  /** Calls back with the namespace and the name of every service that is registered from now on. */
  onRegister(callback: (namespace: string, name: string) => void): () => void {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  /** Everything at a path and below. Who asks has been found out; what they may do is for the handler to look at. */
  registerPath(path: string, handler: ApiHandler): void {
    this.#paths.push([path, handler]);
  }

  findPath(path: string): ApiHandler | undefined {
    return this.#paths.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1];
  }

  find(namespace: string, name: string): ApiHandler | undefined {
    return this.#handlers.get(`${namespace}/${name}`);
  }

  /** Upgrades of a path and of what is below it, as `registerPath`. */
  registerPathUpgrade(path: string, handler: UpgradeHandler): void {
    this.#pathUpgrades.push([path, handler]);
  }

  findPathUpgrade(path: string): UpgradeHandler | undefined {
    return this.#pathUpgrades.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1];
  }

  registerUpgrade(namespace: string, name: string, handler: UpgradeHandler): void {
    this.#upgrades.set(`${namespace}/${name}`, handler);
  }

  findUpgrade(namespace: string, name: string): UpgradeHandler | undefined {
    return this.#upgrades.get(`${namespace}/${name}`);
  }
}
