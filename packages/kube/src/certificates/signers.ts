import type { ParsedRequest } from './parse.ts';

/** Signs certificates of clients. */
export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
/** Signs certificates with which nodes are clients of the API. */
export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
/** Signs certificates with which nodes serve their own API. */
export const KUBELET_SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
/** Earlier versions of Kubernetes signed for it whatever was asked; now it is only refused. */
export const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';

type Check = (request: ParsedRequest, usages: readonly string[]) => string | undefined;

/** Kubernetes' own signers, and what each asks of a request. */
const SIGNERS: Readonly<Record<string, Check>> = {
  [CLIENT_SIGNER]: (_, usages) => clientUsages(usages),
  [KUBELET_CLIENT_SIGNER]: (request, usages) =>
    ofNodes(request) ??
    (request.dnsNames.length > 0 ? 'DNS subjectAltNames are not allowed' : undefined) ??
    noEmails(request) ??
    (request.ipAddresses.length > 0 ? 'IP subjectAltNames are not allowed' : undefined) ??
    noUris(request) ??
    ofNode(request) ??
    exactUsages(usages, 'client auth'),
  [KUBELET_SERVING_SIGNER]: (request, usages) =>
    ofNodes(request) ??
    (request.dnsNames.length + request.ipAddresses.length === 0 ? 'DNS or IP subjectAltName is required' : undefined) ??
    noEmails(request) ??
    noUris(request) ??
    exactUsages(usages, 'server auth') ??
    ofNode(request),
};

/** Whether a signer is one of those. */
export const isOwnSigner = (signerName: string): boolean => Object.hasOwn(SIGNERS, signerName);

/** Why one of those signers refuses a request; undefined where it signs. */
export const signerProblem = (
  signerName: string,
  request: ParsedRequest,
  usages: readonly string[],
): string | undefined => (isOwnSigner(signerName) ? SIGNERS[signerName]?.(request, usages) : 'unknown signer');

const ofNodes = ({ organizations }: ParsedRequest): string | undefined =>
  organizations.length === 1 && organizations[0] === 'system:nodes'
    ? undefined
    : 'subject organization is not system:nodes';

const ofNode = ({ commonName }: ParsedRequest): string | undefined =>
  commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';

const noEmails = ({ emailAddresses }: ParsedRequest): string | undefined =>
  emailAddresses.length > 0 ? 'Email subjectAltNames are not allowed' : undefined;

const noUris = ({ uris }: ParsedRequest): string | undefined =>
  uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined;

function clientUsages(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

/** All of them; key encipherment is RSA's alone and may be missing. */
function exactUsages(usages: readonly string[], purpose: string): string | undefined {
  const wanted = [purpose, 'digital signature', 'key encipherment'].sort();
  const asked = new Set([...usages, 'key encipherment']);
  const isExact = asked.size === wanted.length && wanted.every((usage) => asked.has(usage));
  return isExact ? undefined : `usages did not match [${wanted.join(' ')}]`;
}
