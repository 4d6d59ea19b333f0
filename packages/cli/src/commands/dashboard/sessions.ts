import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, systemClock } from '@vireo/kube';

/** For how long an address that was printed can be opened. */
export const CODE_MS = 60_000;
/** After how long without a request a session ends: as long as the page waits until it locks itself. */
export const IDLE_MS = 12 * 60 * 60_000;
const SECRET_BYTES = 32;

const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
/** Compared in place of the secrets, so that neither lengths nor times say anything about them. */
const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

interface Session {
  readonly digest: Buffer;
  usedAtMs: number;
}

/**
 * Who may use the local server: whoever has opened an address with a one-time code, by the cookie that the code was
 * exchanged for, and uses it from time to time. There is one code at a time.
 */
export class Sessions {
  readonly #clock: Pick<Clock, 'now'>;
  #code: { readonly digest: Buffer; readonly untilMs: number } | undefined;
  #sessions: Session[] = [];

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock;
  }

  /** A code for an address; the one before does not count any more. */
  newCode(): string {
    const code = newSecret();
    this.#code = { digest: digest(code), untilMs: this.#clock.now() + CODE_MS };
    return code;
  }

  /** The secret of a new session; undefined if the code is wrong, late, or has been used. */
  exchange(code: string): string | undefined {
    const known = this.#code;
    if (!known || !timingSafeEqual(known.digest, digest(code))) return undefined;
    this.#code = undefined;
    if (this.#clock.now() > known.untilMs) return undefined;
    const secret = newSecret();
    this.#sessions.push({ digest: digest(secret), usedAtMs: this.#clock.now() });
    return secret;
  }

  /** Whether a request is one of a session, which counts as its use. */
  isOpen(secret: string | undefined): boolean {
    const session = this.#find(secret);
    if (session) session.usedAtMs = this.#clock.now();
    return session !== undefined;
  }

  /** The same without counting: what stays connected ends with a session that nobody uses. */
  isAlive(secret: string | undefined): boolean {
    return this.#find(secret) !== undefined;
  }

  end(secret: string): void {
    const ended = this.#find(secret);
    this.#sessions = this.#sessions.filter((session) => session !== ended);
  }

  #find(secret: string | undefined): Session | undefined {
    const now = this.#clock.now();
    this.#sessions = this.#sessions.filter(({ usedAtMs }) => now - usedAtMs <= IDLE_MS);
    if (secret === undefined) return undefined;
    const sent = digest(secret);
    return this.#sessions.find((session) => timingSafeEqual(session.digest, sent));
  }
}

/** The value of a cookie in a request's header. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, value] = pair.trim().split(/=(.*)/s);
    if (key === name) return value;
  }
  return undefined;
}
