import type { CredentialSource, Credentials, KubeconfigTarget } from '@vireo/kube';

/**
 * Credentials of a kubeconfig that is read again after the cluster has refused them: users log in again by a command that
 * writes there, and the dashboard goes on. A kubeconfig that cannot be read any more, or leads to another server by now,
 * changes nothing: what is for that server must not be sent to this one.
 */
export function renewedCredentials(
  first: KubeconfigTarget,
  load: () => Promise<KubeconfigTarget>,
): CredentialSource | undefined {
  let { credentials } = first;
  if (!credentials) return undefined;
  let isRejected = false;
  return {
    async get() {
      if (isRejected) {
        isRejected = false;
        const now = await load().catch(() => undefined);
        if (now?.server === first.server && now.credentials) ({ credentials } = now);
      }
      return (await credentials?.get()) ?? {};
    },
    reject() {
      credentials?.reject();
      isRejected = true;
    },
  };
}

/** Tells the source that the cluster refuses these credentials; whether there are others now, so that it can be asked again. */
export async function areRenewed(source: CredentialSource | undefined, refused: Credentials): Promise<boolean> {
  source?.reject();
  const now = (await source?.get()) ?? {};
  return now.token !== refused.token || String(now.certificate) !== String(refused.certificate);
}
