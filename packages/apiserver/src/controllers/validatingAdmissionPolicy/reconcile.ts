import { isDeleting, type Persisted, ValidatingAdmissionPolicy } from '@vireo/api';
import type { Client } from '@vireo/kube';
import type { Registry } from '../../registry/registry.ts';
import { typeCheckingStatus } from './status.ts';

/** Checks a policy once for each of its generations. */
export async function reconcilePolicy(
  policy: Persisted<ValidatingAdmissionPolicy>,
  client: Client,
  registry: Registry,
): Promise<void> {
  if (isDeleting(policy) || (policy.metadata.generation ?? 0) <= (policy.status?.observedGeneration ?? 0)) return;
  await client.of(ValidatingAdmissionPolicy).writeStatus(policy, await typeCheckingStatus(policy, registry));
}
