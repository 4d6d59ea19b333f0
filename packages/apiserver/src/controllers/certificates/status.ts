import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '@vireo/api';
import type { ParsedRequest } from '@vireo/kube/certificates/parse.ts';
import { KUBELET_CLIENT_SIGNER, signerProblem } from '@vireo/kube/certificates/signers.ts';

const HOUR_MS = 3600 * 1000;
/** How long a request is kept once it has such a condition, and without any. */
const KEPT_MS = { Approved: HOUR_MS, Denied: HOUR_MS, Failed: HOUR_MS, Pending: 24 * HOUR_MS };

/** How long a request is still kept; zero or less: it goes. */
export function expiresInMs({ metadata, status }: CertificateSigningRequest, nowMs: number): number {
  const since = (type: keyof typeof KEPT_MS): number[] => {
    const condition = status?.conditions?.find((each) => each.type === type);
    const time = condition && (condition.lastUpdateTime ?? metadata.creationTimestamp);
    return time ? [Date.parse(time) + KEPT_MS[type]] : [];
  };
  const decided = [...since('Approved'), ...since('Denied'), ...since('Failed')];
  const pending = metadata.creationTimestamp ? Date.parse(metadata.creationTimestamp) + KEPT_MS.Pending : nowMs;
  const ends = [...(decided.length > 0 ? decided : [pending]), ...endOf(status?.certificate)];
  return Math.min(...ends) - nowMs;
}

/** When the issued certificate ends. */
function endOf(certificate: string | undefined): number[] {
  if (!certificate) return [];
  try {
    return [new X509Certificate(Buffer.from(certificate, 'base64')).validToDate.getTime()];
  } catch {
    // Another signer's; it is kept as long as others.
    return [];
  }
}

/** One way in which a node's request is approved without a person: who may, and what the condition then says. */
export interface AutoApproval {
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  readonly message: string;
}

/** The ways that fit a request, in the order to try them. */
export function autoApprovals({ spec }: CertificateSigningRequest, parsed: ParsedRequest): AutoApproval[] {
  if (spec.signerName !== KUBELET_CLIENT_SIGNER || signerProblem(spec.signerName, parsed, spec.usages ?? [])) return [];
  const isOwn = spec.username === parsed.commonName;
  return [
    ...(isOwn
      ? [
          {
            subresource: 'selfnodeclient' as const,
            message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
          },
        ]
      : []),
    {
      subresource: 'nodeclient',
      message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    },
  ];
}
