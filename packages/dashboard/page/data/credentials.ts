import { expiryOf, type Provider, type ProviderEndpoints, warnBeforeMs } from '../decisions/login.ts';

/** What a user has logged in with. It is in memory only. */
export type Credential =
  | { readonly kind: 'local' }
  | { readonly kind: 'certificate' }
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'oidc';
      readonly token: string;
      readonly refreshToken: string | undefined;
      readonly provider: Provider;
      readonly endpoints: ProviderEndpoints;
    };

/** How a login is doing. */
export interface LoginState {
  readonly credential: Credential | undefined;
  /** Undefined: it does not say. */
  readonly expiresAtMs: number | undefined;
  /** How long before its end it is due. */
  readonly warnBeforeMs: number;
  /** The server does not accept it any more: requests wait until the user has logged in again. */
  readonly isRejected: boolean;
}

/**
 * A login that can be renewed while the page stays. Requests that are refused with 401 wait for the renewal, so that
 * nothing that the user has begun is lost.
 */
export class Credentials {
  #state: LoginState;
  #isOpen = false;
  #renewal = Promise.withResolvers<void>();
  readonly #listeners = new Set<() => void>();

  constructor(credential: Credential) {
    this.#state = stateOf(credential);
    this.#renewal.promise.catch(() => {});
  }

  readonly snapshot = (): LoginState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get token(): string | undefined {
    const { credential } = this.#state;
    return credential && 'token' in credential ? credential.token : undefined;
  }

  /** The server has accepted it: from now on, a refusal is the end of something that worked. */
  open(): void {
    this.#isOpen = true;
  }

  /** Says that the server refuses what was sent. True: it is worth another try, now that the user has logged in again. */
  async rejected(token: string | undefined, signal?: AbortSignal | null): Promise<boolean> {
    if (!this.#isOpen) return false;
    // Somebody was faster.
    if (token !== this.token) return true;
    const { promise } = this.#renewal;
    if (!this.#state.isRejected) this.#change({ ...this.#state, isRejected: true });
    await Promise.race([promise, aborted(signal)]);
    return true;
  }

  renew(credential: Credential): void {
    const { resolve } = this.#renewal;
    this.#renewal = Promise.withResolvers();
    this.#renewal.promise.catch(() => {});
    this.#change(stateOf(credential));
    resolve();
  }

  /** Forgets it for good; whoever waits for a renewal is told that there is none. */
  forget(): void {
    this.#isOpen = false;
    this.#renewal.reject(new Error('You are logged out.'));
    this.#change({ credential: undefined, expiresAtMs: undefined, warnBeforeMs: 0, isRejected: false });
  }

  #change(state: LoginState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function stateOf(credential: Credential): LoginState {
  const token = 'token' in credential ? credential.token : '';
  return { credential, expiresAtMs: expiryOf(token), warnBeforeMs: warnBeforeMs(token), isRejected: false };
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal?.aborted) reject(signal.reason);
  });
}
