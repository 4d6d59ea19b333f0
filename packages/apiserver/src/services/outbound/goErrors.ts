import { type Address, hostPort } from '../resolve.ts';

type TlsError = NodeJS.ErrnoException & { readonly cert?: { readonly subjectaltname?: string } };

/** The deadline of a call has passed. */
export const DEADLINE_EXCEEDED = 'context deadline exceeded';

/** A failure of a call, in the words in which a server that is written in Go would tell it. */
export class OutboundError extends Error {}

/** Translates what Node says of a connection that failed. */
export function goError(error: unknown, address: Address, serverName: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const failure = error as TlsError;
  return new OutboundError(goText(failure, address, serverName), { cause: error });
}

function goText(error: TlsError, address: Address, serverName: string): string {
  const { code = '', syscall } = error;
  const system = SYSTEM[code];
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${address.host}: no such host`;
  if (code === 'EAI_AGAIN') return `dial tcp: lookup ${address.host}: server misbehaving`;
  if (system && syscall === 'connect') return `dial tcp ${hostPort(address)}: connect: ${system}`;
  // Node gives this code to connections that were closed in order, too.
  if (code === 'ECONNRESET' && syscall === undefined) return 'EOF';
  if (system) return `${syscall ?? 'read'} tcp ${hostPort(address)}: ${syscall ?? 'read'}: ${system}`;
  if (UNKNOWN_AUTHORITY.includes(code)) return `${VERIFY}certificate signed by unknown authority`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `${VERIFY}certificate has expired or is not yet valid`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `${VERIFY}${wrongName(error, serverName)}`;
  if (code === 'EPROTO' && /wrong version number|packet length too long/i.test(error.message))
    return 'tls: first record does not look like a TLS handshake';
  return error.message;
}

const VERIFY = 'tls: failed to verify certificate: x509: ';

const SYSTEM: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by peer',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connection timed out',
  EPIPE: 'broken pipe',
};

const UNKNOWN_AUTHORITY = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
];

function wrongName({ cert }: TlsError, serverName: string): string {
  const names = (cert?.subjectaltname ?? '').split(', ').flatMap((name) => name.match(/^DNS:(.*)$/)?.[1] ?? []);
  if (names.length === 0) return `certificate is not valid for any names, but wanted to match ${serverName}`;
  return `certificate is valid for ${names.join(', ')}, not ${serverName}`;
}
