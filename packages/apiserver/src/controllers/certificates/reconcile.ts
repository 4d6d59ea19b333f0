import {
  CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  type Persisted,
  SubjectAccessReview,
} from '@vireo/api';
import { type Client, ignoreNotFoundOrConflict, type Result } from '@vireo/kube';
import { type ParsedRequest, parseCertificateRequest } from '@vireo/kube/certificates/parse.ts';
import { isOwnSigner, signerProblem } from '@vireo/kube/certificates/signers.ts';
import type { Credential } from '../../auth/pki.ts';
import { issueRequested } from '../../certificates/issue.ts';
import { type AutoApproval, autoApprovals, expiresInMs } from './status.ts';

/** What the controller works with. */
export interface CertificateParts {
  readonly client: Client;
  readonly ca: Credential;
  readonly now: () => number;
}

/** A right may come later: a recognized request is asked about again. */
const ASK_AGAIN_MS = 10_000;

/** One step of a request: away, approved, signed or refused; otherwise it waits. */
export async function reconcileCertificate(
  request: Persisted<CertificateSigningRequest>,
  parts: CertificateParts,
): Promise<Result | undefined> {
  const restMs = expiresInMs(request, parts.now());
  if (restMs <= 0) {
    await parts.client.of(CertificateSigningRequest).deleteExactly(request).catch(ignoreNotFoundOrConflict);
    return undefined;
  }
  const types = (request.status?.conditions ?? []).map(({ type }) => type);
  const wait = { requeueAfterMs: restMs };
  if (request.status?.certificate || types.includes('Denied') || types.includes('Failed')) return wait;
  const isApproved = types.includes('Approved');
  if (isApproved && !isOwnSigner(request.spec.signerName)) return wait;
  // What is stored was checked.
  const parsed = parseCertificateRequest(request.spec.request);
  if (isApproved) {
    await sign(request, parsed, parts);
    return wait;
  }
  const isRecognized = await approve(request, autoApprovals(request, parsed), parts.client);
  return isRecognized ? { requeueAfterMs: Math.min(restMs, ASK_AGAIN_MS) } : wait;
}

/** The certificate, or why there is none. */
async function sign(
  request: Persisted<CertificateSigningRequest>,
  parsed: ParsedRequest,
  { client, ca, now }: CertificateParts,
): Promise<void> {
  const { signerName, usages = [], expirationSeconds } = request.spec;
  const problem = signerProblem(signerName, parsed, usages);
  const change = problem
    ? { conditions: withCondition(request, 'Failed', 'SignerValidationFailure', problem) }
    : { certificate: btoa(issueRequested(parsed, { usages, expirationSeconds }, ca, now())) };
  await client.of(CertificateSigningRequest).patchStatusIfUnchanged(request, change);
}

/** Approves if the requester may have this without being asked. Returns whether it was such a request at all. */
async function approve(
  request: Persisted<CertificateSigningRequest>,
  ways: readonly AutoApproval[],
  client: Client,
): Promise<boolean> {
  for (const { subresource, message } of ways) {
    if (!(await isAllowed(request, subresource, client))) continue;
    const status = { conditions: withCondition(request, 'Approved', 'AutoApproved', message) };
    await client.of(CertificateSigningRequest).patchIfUnchanged(request, { status }, { subresource: 'approval' });
    return false;
  }
  return ways.length > 0;
}

async function isAllowed(
  { spec }: CertificateSigningRequest,
  subresource: string,
  client: Client,
): Promise<boolean | undefined> {
  const review = await client.of(SubjectAccessReview).create({
    metadata: {},
    spec: {
      user: spec.username,
      uid: spec.uid,
      groups: spec.groups,
      extra: spec.extra,
      resourceAttributes: {
        group: 'certificates.k8s.io',
        resource: 'certificatesigningrequests',
        verb: 'create',
        subresource,
        version: '*',
      },
    },
  });
  return review.status?.allowed;
}

const withCondition = (
  { status }: CertificateSigningRequest,
  type: string,
  reason: string,
  message: string,
): CertificateSigningRequestCondition[] => [...(status?.conditions ?? []), { type, status: 'True', reason, message }];
