import { badRequest, type Kind, type UnknownObject } from '@vireo/api';
import type { UserInfo } from '@vireo/kube';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { Rounds } from './reinvocation.ts';

/** What a verb knows of the write that it asks admission for. */
export interface AdmissionSubject {
  readonly operation: AdmissionRequest['operation'];
  readonly kind: Kind;
  readonly subresource: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly object?: UnknownObject;
  readonly oldObject?: UnknownObject;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly objectKind?: AdmissionRequest['objectKind'];
  readonly deadline?: number;
  readonly signal?: AbortSignal;
}

/** One write on its way through the plug-ins: `mutate`, then `validate`, then `settle` with its outcome, always. */
export class Admission {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #request: AdmissionRequest;
  readonly #settled: ((written: boolean) => void)[] = [];
  readonly warnings: string[] = [];

  constructor(plugins: readonly AdmissionPlugin[], subject: AdmissionSubject) {
    this.#plugins = plugins;
    const { subresource, namespace, options = {}, ...rest } = subject;
    this.#request = {
      ...rest,
      ...(subresource && { subresource }),
      ...(namespace !== undefined && { namespace }),
      options,
      warn: (text) => this.warnings.push(text),
      onSettled: (callback) => this.#settled.push(callback),
      rounds: new Rounds(),
    };
  }

  async mutate(): Promise<void> {
    do {
      for (const plugin of this.#plugins) if (plugin.mutate) await plugin.mutate(this.#request);
    } while (this.#request.rounds.beginSecond(this.#request.object));
    const { operation, kind, namespace, object } = this.#request;
    // The user was authorized for this namespace; webhooks and policies must not send the object elsewhere.
    if (operation === 'CREATE' && kind.namespaced && object?.metadata.namespace !== namespace)
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }

  async validate(): Promise<void> {
    for (const plugin of this.#plugins) if (plugin.validate) await plugin.validate(this.#request);
  }

  settle(written: boolean): void {
    for (const callback of this.#settled.splice(0)) callback(written);
  }
}

/** The plug-ins in the order in which they run. */
export class AdmissionChain {
  readonly #plugins: AdmissionPlugin[] = [];

  add(...plugins: AdmissionPlugin[]): void {
    this.#plugins.push(...plugins);
  }

  begin(subject: AdmissionSubject): Admission {
    return new Admission(this.#plugins, subject);
  }
}
