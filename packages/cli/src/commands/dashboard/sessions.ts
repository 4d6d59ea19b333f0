import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, systemClock } from '@vireo/kube';

/** For how long an address that was printed can be opened. */
export const CODE_MS = 60_000;
const SECRET_BYTES = 32;

const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
/** Compared in place of the secrets, so that neither lengths nor times say anything about them. */
const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/**
 * Who may use the local server: whoever has opened an address with a one-time code, by the cookie that the code was
 * exchanged for. There is one code at a time.
 */
export class Sessions {
  readonly #clock: Pick<Clock, 'now'>;
  #code: { readonly digest: Buffer; readonly untilMs: number } | undefined;
  #sessions: Buffer[] = [];

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
    this.#sessions.push(digest(secret));
    return secret;
  }

  isOpen(secret: string | undefined): boolean {
    if (secret === undefined) return false;
    const sent = digest(secret);
    return this.#sessions.some((known) => timingSafeEqual(known, sent));
  }

  end(secret: string): void {
    const sent = digest(secret);
    this.#sessions = this.#sessions.filter((known) => !timingSafeEqual(known, sent));
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
