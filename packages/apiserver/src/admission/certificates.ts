import type { CertificateSigningRequest } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { UserInfo } from '@vireo/kube';
import { type ParsedRequest, parseCertificateRequest } from '@vireo/kube/certificates/parse.ts';
import { CLIENT_SIGNER } from '@vireo/kube/certificates/signers.ts';
import type { Authorizer } from '../rbac/authorize.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { refuse } from './refuse.ts';

const GROUP = 'certificates.k8s.io';
const MASTERS = 'system:masters';

/** Whoever decides on a request may do so for its signer, beyond the right to write `/approval`. */
export const certificateApproval = (authorizer: Pick<Authorizer, 'authorize'>): AdmissionPlugin => ({
  name: 'CertificateApproval',
  validate(request) {
    if (isAboutRequests(request, 'UPDATE', 'approval')) requireSigner(authorizer, request, 'approve');
  },
});

/** Whoever writes a certificate or a condition may sign for the signer. */
export const certificateSigning = (authorizer: Pick<Authorizer, 'authorize'>): AdmissionPlugin => ({
  name: 'CertificateSigning',
  validate(request) {
    if (!isAboutRequests(request, 'UPDATE', 'status')) return;
    const [status, old] = [request.object, request.oldObject].map(
      (object) => (object as unknown as CertificateSigningRequest).status,
    );
    const isSame =
      (status?.certificate ?? '') === (old?.certificate ?? '') &&
      deepEqual(status?.conditions ?? [], old?.conditions ?? []);
    if (!isSame) requireSigner(authorizer, request, 'sign');
  },
});

/** Nobody becomes an administrator through a signed certificate. */
export const certificateSubjectRestriction = (): AdmissionPlugin => ({
  name: 'CertificateSubjectRestriction',
  validate(request) {
    if (!isAboutRequests(request, 'CREATE', undefined)) return;
    const { spec } = request.object as unknown as CertificateSigningRequest;
    if (spec.signerName === CLIENT_SIGNER && parsedOrRefused(request, spec.request).organizations.includes(MASTERS))
      throw refuse(request, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
  },
});

/** What a new request asks for; one that cannot be read is refused. */
export function parsedOrRefused(
  request: Pick<AdmissionRequest, 'kind' | 'name' | 'object'>,
  base64: string,
): ParsedRequest {
  try {
    return parseCertificateRequest(base64);
  } catch (error) {
    throw refuse(request, `unable to parse csr: ${(error as Error).message}`);
  }
}

const isAboutRequests = (
  { kind, operation, subresource }: AdmissionRequest,
  wanted: AdmissionRequest['operation'],
  wantedSubresource: string | undefined,
): boolean =>
  kind.group === GROUP &&
  kind.plural === 'certificatesigningrequests' &&
  operation === wanted &&
  subresource === wantedSubresource;

function requireSigner(
  authorizer: Pick<Authorizer, 'authorize'>,
  request: AdmissionRequest,
  verb: 'approve' | 'sign',
): void {
  const { signerName } = (request.object as unknown as CertificateSigningRequest).spec;
  if (!mayUseSigner(authorizer, request.user, verb, signerName))
    throw refuse(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`);
}

/** The right is on the signer by name, or on all of its domain. */
const mayUseSigner = (
  authorizer: Pick<Authorizer, 'authorize'>,
  user: UserInfo,
  verb: string,
  signerName: string,
): boolean =>
  [signerName, `${signerName.split('/')[0]}/*`].some(
    (name) => authorizer.authorize({ user, verb, group: GROUP, resource: 'signers', name }).allowed,
  );
