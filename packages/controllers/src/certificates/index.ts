import { CertificateSigningRequest, type Persisted } from '@vireo/api';
import { type ControllerContext, runController } from '@vireo/kube';
import { parseCertificateRequest } from '@vireo/kube/certificates/parse.ts';
import { type CertificateContext, reconcileRequest } from './reconcile.ts';

/** The name that a request asks for. */
function commonNamesOf({ spec }: CertificateSigningRequest): string[] {
  try {
    return [parseCertificateRequest(spec.request).commonName];
  } catch {
    // A server may let requests pass that it cannot read; they are nobody's.
    return [];
  }
}

/** Approves the certificates of nodes and of the extension; requests of others are left alone. */
export async function startCertificateApprover(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const requests = informers.for(CertificateSigningRequest, { indexes: { commonName: commonNamesOf } });
  const parts: CertificateContext = {
    client,
    requestsFor: (commonName): Persisted<CertificateSigningRequest>[] => requests.byIndex('commonName', commonName),
  };
  await runController(
    {
      name: 'certificates',
      for: requests,
      reconcile: async (key) => {
        const request = requests.get(key);
        return request && reconcileRequest(request, parts);
      },
    },
    context,
    signal,
  );
}
