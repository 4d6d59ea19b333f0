import { hash } from 'node:crypto';
import type { Log } from '@vireo/kube';
import type { JwtConfiguration } from './config.ts';
import { createProvider, type Provider, type Vouched } from './provider.ts';

/** For how long a valid token is not verified again, as in Kubernetes. */
const TRUST_MS = 10_000;
const CACHED_TOKENS = 1024;
/** The same problem is logged once in this time: anybody can send bad tokens. */
const QUIET_MS = 10_000;
const MAX_TOKEN_LENGTH = 64 * 1024;

/** The result of verifying a token of a provider. */
export type ProviderOutcome =
  | { readonly vouched: Vouched; readonly audiences: readonly string[] }
  | { readonly problem: string };

/** All identity providers of a server. */
export class Providers {
  readonly #log: Pick<Log, 'warn'>;
  readonly #now: () => number;
  #configurations: readonly JwtConfiguration[] = [];
  #providers = new Map<string, Provider>();
  readonly #known = new Map<string, { readonly outcome: ProviderOutcome; readonly untilMs: number }>();
  readonly #logged = new Map<string, number>();

  constructor(log: Pick<Log, 'warn'>, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
  }

  /** Replaces the providers, for a configuration that was checked. */
  configure(configurations: readonly JwtConfiguration[]): void {
    const before = this.#providers;
    this.#configurations = configurations;
    this.#providers = new Map(
      configurations.map((each) => [each.issuer.url, createProvider(each, this.#now)] as const),
    );
    this.#known.clear();
    for (const provider of before.values()) provider.close();
  }

  close(): void {
    this.configure([]);
  }

  /** How the tokens of an issuer are verified now; undefined if they are not accepted. */
  configurationOf(issuer: string): JwtConfiguration | undefined {
    return this.#configurations.find(({ issuer: { url } }) => url === issuer);
  }

  /** Undefined if no provider has issued the token: it may be of another kind. */
  authenticate(token: string): Promise<ProviderOutcome> | ProviderOutcome | undefined {
    if (this.#providers.size === 0 || token.length > MAX_TOKEN_LENGTH) return undefined;
    const provider = this.#providers.get(issuerOf(token) ?? '');
    if (!provider) return undefined;
    const digest = hash('sha256', token, 'base64');
    const known = this.#known.get(digest);
    if (known && known.untilMs > this.#now()) return known.outcome;
    return this.#verify(provider, token, digest);
  }

  async #verify(provider: Provider, token: string, digest: string): Promise<ProviderOutcome> {
    try {
      const vouched = await provider.verify(token);
      const outcome = { vouched, audiences: provider.audiences };
      if (this.#known.size >= CACHED_TOKENS) this.#known.clear();
      this.#known.set(digest, { outcome, untilMs: Math.min(this.#now() + TRUST_MS, vouched.expiresAt * 1000) });
      return outcome;
    } catch (error) {
      const problem = (error as Error).message;
      this.#report(provider.issuer, problem);
      return { problem };
    }
  }

  #report(issuer: string, reason: string): void {
    const now = this.#now();
    const key = `${issuer} ${reason}`;
    if (now - (this.#logged.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    if (this.#logged.size >= CACHED_TOKENS) this.#logged.clear();
    this.#logged.set(key, now);
    this.#log.warn('a token of an identity provider was refused', undefined, { issuer, reason });
  }
}

/** The issuer that a token names, not verified yet. */
function issuerOf(token: string): string | undefined {
  const [, payload, signature, ...rest] = token.split('.');
  if (!payload || !signature || rest.length > 0) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const { iss } = claims as { iss?: unknown };
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}
