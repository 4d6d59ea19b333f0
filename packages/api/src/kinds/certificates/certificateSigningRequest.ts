import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { bytes, type Infer, int32, list, map, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, humanDuration } from '../columns.ts';

export const CertificateSigningRequestSpec = struct(
  'io.k8s.api.certificates.v1.CertificateSigningRequestSpec',
  'Certificate request, its signer and the requested usages.',
  {
    expirationSeconds: opt(8, int32, { pointer: true, doc: 'How long the certificate should last.' }),
    extra: opt(6, map({ ...list(string), protoMessage: 'strings' }), 'Further facts about who asks.'),
    groups: opt(4, list(string, 'atomic'), 'Groups of the requesting user.'),
    request: req(1, bytes, 'The request, as PEM in base64.'),
    signerName: req(7, string, 'Name of the signer.'),
    uid: opt(3, string, 'UID of the requesting user.'),
    usages: opt(5, list(string, 'atomic'), 'What the key may be used for.'),
    username: opt(2, string, 'Name of the requesting user.'),
  },
);
export interface CertificateSigningRequestSpec extends Infer<typeof CertificateSigningRequestSpec> {}

export const CertificateSigningRequestCondition = struct(
  'io.k8s.api.certificates.v1.CertificateSigningRequestCondition',
  'A decision about the request.',
  {
    lastTransitionTime: opt(5, time, 'When the status of the condition last changed.'),
    lastUpdateTime: opt(4, time, 'When the condition was last written.'),
    message: opt(3, string, 'Human-readable details about the last transition.'),
    reason: opt(2, string, 'Reason for the last transition as one CamelCase word.'),
    status: req(6, string, 'Whether the condition holds: True, False or Unknown.'),
    type: req(1, string, 'Type of the decision: Approved, Denied or Failed.'),
  },
);
export interface CertificateSigningRequestCondition extends Infer<typeof CertificateSigningRequestCondition> {}

export const CertificateSigningRequestStatus = struct(
  'io.k8s.api.certificates.v1.CertificateSigningRequestStatus',
  'Decisions about the request, and the issued certificate.',
  {
    certificate: opt(2, bytes, 'The certificate, as PEM in base64.'),
    conditions: opt(1, list(CertificateSigningRequestCondition, ['type']), 'Conditions of the object.'),
  },
);
export interface CertificateSigningRequestStatus extends Infer<typeof CertificateSigningRequestStatus> {}

export const CertificateSigningRequestSchema = struct(
  'io.k8s.api.certificates.v1.CertificateSigningRequest',
  'Requests a certificate from a signer.',
  {
    ...objectFields,
    spec: req(2, CertificateSigningRequestSpec, 'Desired state of the CertificateSigningRequest.'),
    status: opt(
      3,
      CertificateSigningRequestStatus,
      'Observed state of the CertificateSigningRequest. The system writes it.',
    ),
  },
);
export interface CertificateSigningRequest extends Infer<typeof CertificateSigningRequestSchema> {}

/** Pending until somebody decides; then the decision, and whether the certificate is there. */
export function requestCondition({ status }: CertificateSigningRequest): string {
  const types = status?.conditions?.map(({ type }) => type) ?? [];
  const words = [types.includes('Approved') ? 'Approved' : types.includes('Denied') ? 'Denied' : 'Pending'];
  if (types.includes('Failed')) words.push('Failed');
  if (status?.certificate) words.push('Issued');
  return words.join(',');
}

export const CertificateSigningRequest = defineKind<CertificateSigningRequest>({
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  namespaced: false,
  shortNames: ['csr'],
  schema: CertificateSigningRequestSchema,
  generation: false,
  subresources: [{ name: 'approval', verbs: ['get', 'patch', 'update'] }],
  columns: [
    ageColumn,
    {
      name: 'SignerName',
      type: 'string',
      description: 'Name of the signer.',
      value: ({ spec }) => spec?.signerName ?? '',
    },
    {
      name: 'Requestor',
      type: 'string',
      description: 'Name of the requesting user.',
      value: ({ spec }) => spec?.username ?? '',
    },
    {
      name: 'RequestedDuration',
      type: 'string',
      description: 'How long the certificate should last.',
      value: ({ spec }) =>
        spec?.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000),
    },
    { name: 'Condition', type: 'string', description: 'Whether the request was approved.', value: requestCondition },
  ],
  selectableFields: { 'spec.signerName': ({ spec }) => spec?.signerName ?? '' },
});
