import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { bytes, type Infer, int32, list, map, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, humanDuration } from '../columns.ts';

export const CertificateSigningRequestSpec = struct('io.k8s.api.certificates.v1.CertificateSigningRequestSpec', '', {
  expirationSeconds: opt(8, int32),
  extra: opt(6, map({ ...list(string), protoMessage: 'strings' })),
  groups: opt(4, list(string, 'atomic')),
  request: req(1, bytes),
  signerName: req(7, string),
  uid: opt(3, string),
  usages: opt(5, list(string, 'atomic')),
  username: opt(2, string),
});
export interface CertificateSigningRequestSpec extends Infer<typeof CertificateSigningRequestSpec> {}

export const CertificateSigningRequestCondition = struct(
  'io.k8s.api.certificates.v1.CertificateSigningRequestCondition',
  '',
  {
    lastTransitionTime: opt(5, time),
    lastUpdateTime: opt(4, time),
    message: opt(3, string),
    reason: opt(2, string),
    status: req(6, string),
    type: req(1, string),
  },
);
export interface CertificateSigningRequestCondition extends Infer<typeof CertificateSigningRequestCondition> {}

export const CertificateSigningRequestStatus = struct(
  'io.k8s.api.certificates.v1.CertificateSigningRequestStatus',
  '',
  {
    certificate: opt(2, bytes),
    conditions: opt(1, list(CertificateSigningRequestCondition, ['type'])),
  },
);
export interface CertificateSigningRequestStatus extends Infer<typeof CertificateSigningRequestStatus> {}

export const CertificateSigningRequestSchema = struct('io.k8s.api.certificates.v1.CertificateSigningRequest', '', {
  ...objectFields,
  spec: req(2, CertificateSigningRequestSpec),
  status: opt(3, CertificateSigningRequestStatus),
});
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
    { name: 'SignerName', type: 'string', description: 'Who is to sign.', value: ({ spec }) => spec.signerName },
    { name: 'Requestor', type: 'string', description: 'Who asks.', value: ({ spec }) => spec.username ?? '' },
    {
      name: 'RequestedDuration',
      type: 'string',
      description: 'How long the certificate should last.',
      value: ({ spec }) =>
        spec.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000),
    },
    { name: 'Condition', type: 'string', description: 'Whether it was approved.', value: requestCondition },
  ],
  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName },
});
