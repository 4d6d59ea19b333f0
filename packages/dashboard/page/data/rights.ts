import { forbiddenText, type Permission } from '../decisions/actions.ts';
import type { Api } from './api.ts';
import { Refused } from './refused.ts';

interface Answer {
  readonly isAllowed: boolean | undefined;
  readonly untilMs: number;
}

/** A permission on a resource, or on a path that is of none. */
type Asked = Permission & { readonly path?: string };

const TRUST_MS = 60_000;
/** After how long a question that did not reach the server is asked again. */
const RETRY_MS = 1_000;

/** What this user may do, as reviews of the server say; asked when somebody wants to know, and remembered for a minute. */
export class Rights {
  readonly #api: Pick<Api, 'request'>;
  readonly #answers = new Map<string, Answer>();
  readonly #asking = new Map<string, Promise<boolean>>();
  readonly #listeners = new Set<() => void>();
  #version = 0;

  constructor(api: Pick<Api, 'request'>) {
    this.#api = api;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes with every answer. */
  readonly version = (): number => this.#version;

  /** What is known; an empty namespace is all of them. Asks if nothing is. */
  readonly may = (permission: Permission, namespace: string): boolean | undefined => {
    const everywhere = this.#known(permission, '');
    if (everywhere === true || namespace === '') return everywhere;
    // Who may something everywhere need not be asked about each namespace.
    return everywhere === undefined ? undefined : this.#known(permission, namespace);
  };

  async ask(permission: Asked, namespace: string): Promise<boolean> {
    const key = keyOf(permission, namespace);
    const known = this.#answers.get(key);
    if (known?.isAllowed !== undefined && known.untilMs > Date.now()) return known.isAllowed;
    const asking = this.#asking.get(key) ?? this.#review(permission, namespace, key);
    this.#asking.set(key, asking);
    return asking;
  }

  /** Rejects if the user may not get a path that is of no resource, such as `/metrics`. */
  async expectPath(path: string): Promise<void> {
    const permission = { verb: 'get', group: '', resource: '', path };
    if (!(await this.ask(permission, '').catch(() => true)))
      throw new Refused(403, `You are not allowed to get ${path}.`);
  }

  /** After a refusal nothing that was known counts. */
  forget(): void {
    this.#answers.clear();
    this.#tell();
  }

  #known(permission: Permission, namespace: string): boolean | undefined {
    const answer = this.#answers.get(keyOf(permission, namespace));
    if (!answer || answer.untilMs <= Date.now()) void this.ask(permission, namespace).catch(() => {});
    return answer?.isAllowed;
  }

  async #review(permission: Asked, namespace: string, key: string): Promise<boolean> {
    const { path, ...attributes } = permission;
    const spec =
      path === undefined
        ? { resourceAttributes: { ...attributes, ...(namespace && { namespace }) } }
        : { nonResourceAttributes: { path, verb: permission.verb } };
    try {
      const { status } = await this.#api.request<{ status?: { allowed?: boolean } }>(
        'POST',
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec,
        },
      );
      const isAllowed = status?.allowed === true;
      this.#answers.set(key, { isAllowed, untilMs: Date.now() + TRUST_MS });
      return isAllowed;
    } catch (error) {
      // A server that answers no reviews decides when the action is tried; one that was not reached is asked again.
      const trustMs = error instanceof Refused ? TRUST_MS : RETRY_MS;
      this.#answers.set(key, { isAllowed: undefined, untilMs: Date.now() + trustMs });
      if (trustMs === RETRY_MS) setTimeout(() => this.#tell(), RETRY_MS);
      throw error instanceof Refused ? new Refused(error.code, forbiddenText(permission, namespace)) : error;
    } finally {
      this.#asking.delete(key);
      this.#tell();
    }
  }

  #tell(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

const keyOf = ({ verb, group, resource, subresource = '', path = '' }: Asked, namespace: string): string =>
  [verb, group, resource, subresource, path, namespace].join(' ');
