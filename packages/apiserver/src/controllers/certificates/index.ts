import { CertificateSigningRequest } from '@vireo/api';
import { type ControllerContext, runController, systemClock } from '@vireo/kube';
import type { Credential } from '../../auth/pki.ts';
import { type CertificateParts, reconcileCertificate } from './reconcile.ts';

export const CERTIFICATE_USER = 'system:serviceaccount:kube-system:certificate-controller';

/**
 * Approves what nodes may ask for by themselves, signs what somebody has approved, and removes what is long done. Each
 * request waits for its own moment; nothing is scanned.
 */
export async function startCertificateController(
  context: ControllerContext & { readonly ca: Credential },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, ca, clock = systemClock } = context;
  const requests = informers.for(CertificateSigningRequest);
  const parts: CertificateParts = { client, ca, now: () => clock.now() };
  await runController(
    {
      name: 'certificates',
      for: requests,
      reconcile: async (key) => {
        const request = requests.get(key);
        return request && reconcileCertificate(request, parts);
      },
    },
    context,
    signal,
  );
}
