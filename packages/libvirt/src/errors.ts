import { type ErrorCodeName, errorCodeName, errorDomainName } from './errorCodes.ts';

/** What libvirt answers when a call fails. `message` is libvirt's own text. */
export class LibvirtError extends Error {
  override readonly name = 'LibvirtError';
  /** libvirt's error number, such as 42. */
  readonly code: number;
  /** Its name without prefix, such as `NO_DOMAIN`; `ERR_n` for numbers that this library does not know. */
  readonly codeName: ErrorCodeName | `ERR_${number}`;
  /** The part of libvirt that failed. */
  readonly domain: number;
  readonly domainName: string;
  readonly level: 'none' | 'warning' | 'error';
  /** The call that failed, such as `domainLookupByName`. */
  readonly procedure: string;

  constructor(details: { code: number; domain: number; level: number; message: string; procedure: string }) {
    super(details.message);
    this.code = details.code;
    this.codeName = errorCodeName(details.code);
    this.domain = details.domain;
    this.domainName = errorDomainName(details.domain);
    this.level = details.level === 1 ? 'warning' : details.level === 0 ? 'none' : 'error';
    this.procedure = details.procedure;
  }
}

/** Whether an error is libvirt's answer with this code: `isLibvirtError(error, 'NO_DOMAIN')`. */
export function isLibvirtError(error: unknown, ...codes: ErrorCodeName[]): error is LibvirtError {
  return error instanceof LibvirtError && (codes.length === 0 || codes.includes(error.codeName as ErrorCodeName));
}

/** There is no connection (any more). Whether the daemon carried out a call that was under way is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** A call took longer than its caller would wait. The daemon may still carry it out. */
export class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError';
}

/** The other side sent what the protocol does not allow. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}
