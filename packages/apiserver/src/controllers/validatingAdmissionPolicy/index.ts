import { ValidatingAdmissionPolicy } from '@vireo/api';
import { type ControllerContext, runController } from '@vireo/kube';
import type { Registry } from '../../registry/registry.ts';
import { reconcilePolicy } from './reconcile.ts';

export const VALIDATING_ADMISSION_POLICY_USER =
  'system:serviceaccount:kube-system:validatingadmissionpolicy-status-controller';

/** Checks the types in the expressions of ValidatingAdmissionPolicies, and warns in their status. */
export function startValidatingAdmissionPolicyController(
  context: ControllerContext & { readonly registry: Registry },
  signal: AbortSignal,
): Promise<void> {
  const policies = context.informers.for(ValidatingAdmissionPolicy);
  const reconcile = async (key: string): Promise<undefined> => {
    const policy = policies.get(key);
    if (policy) await reconcilePolicy(policy, context.client, context.registry);
  };
  return runController({ name: 'validatingadmissionpolicy-status', for: policies, reconcile }, context, signal);
}
