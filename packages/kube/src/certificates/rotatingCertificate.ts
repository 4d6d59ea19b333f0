import { X509Certificate } from 'node:crypto';
import { Backoff } from '../backoff.ts';
import { type Clock, pause, systemClock } from '../clock.ts';
import type { CredentialSource, Credentials } from '../credentials.ts';
import type { Log } from '../log/index.ts';
import { CertificateFiles } from './certificateFiles.ts';
import type { IssuedCertificate } from './requestCertificate.ts';

export interface RotatingCertificateOptions {
  /** Where the certificate and its key are kept. */
  readonly directory: string;
  /** Of the two files, without `.crt` and `.key`. */
  readonly name: string;
  /**
   * Gets another certificate, mostly by `requestCertificate`. `current` is the one that is still valid, if any: whoever
   * has none must show something else, such as a bootstrap token.
   */
  readonly issue: (signal: AbortSignal, current: IssuedCertificate | undefined) => Promise<IssuedCertificate>;
  /** Whether a kept certificate is still the one that is wanted, such as by its names. Missing: it is. */
  readonly isWanted?: (certificate: X509Certificate) => boolean;
  readonly log: Log;
  readonly clock?: Clock;
}

/** At which part of its life a certificate is replaced, at least and at most: not all at the same moment. */
const RENEW_AFTER = [0.75, 0.85] as const;
const LONGEST_RETRY_MS = 5 * 60_000;

/**
 * A certificate that is replaced in good time, without a restart. As `credentials` of an `httpTransport`, a new one is
 * shown on a new connection; a server listens to `onChange`.
 *
 * @example
 * const certificate = await RotatingCertificate.open({ directory, name: 'node', log, issue }, signal);
 * certificate.onChange(({ certPem, keyPem }) => server.setSecureContext({ cert: certPem, key: keyPem }));
 */
export class RotatingCertificate implements CredentialSource {
  readonly #options: RotatingCertificateOptions;
  readonly #files: CertificateFiles;
  readonly #clock: Clock;
  readonly #listeners = new Set<(certificate: IssuedCertificate) => void>();
  #current: IssuedCertificate;
  #renewAtMs: number;
  #wake = new AbortController();

  private constructor(options: RotatingCertificateOptions, files: CertificateFiles, current: IssuedCertificate) {
    this.#options = options;
    this.#files = files;
    this.#clock = options.clock ?? systemClock;
    this.#current = current;
    this.#renewAtMs = renewalMs(new X509Certificate(current.certPem).validFromDate.getTime(), current);
  }

  /**
   * Reads the certificate that is kept, or gets the first one and rejects where it cannot. From then on it is renewed
   * until `signal` aborts; failures are logged and tried again.
   */
  static async open(options: RotatingCertificateOptions, signal: AbortSignal): Promise<RotatingCertificate> {
    const files = new CertificateFiles(options.directory, options.name);
    const { clock = systemClock, isWanted = () => true } = options;
    const kept = await files.read();
    const valid = kept && kept.notAfter.getTime() > clock.now() ? kept : undefined;
    let current = valid && isWanted(new X509Certificate(valid.certPem)) ? valid : undefined;
    if (!current) {
      current = await options.issue(signal, valid);
      await files.replace(current);
    }
    const certificate = new RotatingCertificate(options, files, current);
    void certificate.#run(signal);
    return certificate;
  }

  /** The certificate to show now. */
  current(): IssuedCertificate {
    return this.#current;
  }

  /** Calls back with each new certificate; the result ends that. */
  onChange(callback: (certificate: IssuedCertificate) => void): () => void {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  /** Replaces the certificate soon, such as when it should have other names. */
  renew(): void {
    this.#renewAtMs = 0;
    this.#wake.abort();
  }

  async get(): Promise<Credentials> {
    return { certificate: this.#current.certPem, key: this.#current.keyPem };
  }

  /** A server that does not take it: only another one can help, and one that is new is not replaced at once. */
  reject(): void {
    if (this.#clock.now() >= this.#current.notAfter.getTime()) this.renew();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff({ firstMs: 1000, longestMs: LONGEST_RETRY_MS });
    while (!signal.aborted) {
      const waitMs = this.#renewAtMs - this.#clock.now();
      if (waitMs > 0) {
        this.#wake = new AbortController();
        await pause(waitMs, AbortSignal.any([signal, this.#wake.signal]), this.#clock);
        continue;
      }
      try {
        await this.#replace(signal);
        backoff.reset();
      } catch (error) {
        if (signal.aborted) return;
        const { name, log } = this.#options;
        log.warn('a certificate cannot be renewed', undefined, { certificate: name, error });
        await pause(backoff.nextMs(), signal, this.#clock);
      }
    }
  }

  async #replace(signal: AbortSignal): Promise<void> {
    const { issue, log, name } = this.#options;
    const startedMs = this.#clock.now();
    const isValid = this.#current.notAfter.getTime() > startedMs;
    const next = await issue(signal, isValid ? this.#current : undefined);
    await this.#files.replace(next);
    this.#current = next;
    // Its life began before it was signed, so that clocks may differ; a short one would be over its time at once.
    this.#renewAtMs = renewalMs(this.#clock.now(), next);
    log.info('a certificate was renewed', undefined, { certificate: name, notAfter: next.notAfter.toISOString() });
    for (const listener of this.#listeners) listener(next);
  }
}

/** When to replace a certificate whose life began then. */
function renewalMs(fromMs: number, { notAfter }: IssuedCertificate): number {
  const [least, most] = RENEW_AFTER;
  return fromMs + (notAfter.getTime() - fromMs) * (least + Math.random() * (most - least));
}
