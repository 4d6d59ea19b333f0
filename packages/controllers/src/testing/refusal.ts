import { type Kind, type KubeObject, ValidatingAdmissionPolicyBinding } from '@vireo/api';
import { ValidatingAdmissionPolicy } from '@vireo/api/kinds/admissionregistration/validatingAdmissionPolicy.ts';
import type { Client } from '@vireo/kube';

/**
 * Has the API server refuse some operations on the object of one name, whoever asks. The result undoes that. It stands in
 * for the extension, which belongs to another package.
 */
export async function refuse<T extends KubeObject>(
  client: Client,
  { group, version, plural }: Kind<T>,
  { name, operations }: { readonly name: string; readonly operations: readonly ('CREATE' | 'DELETE')[] },
): Promise<() => Promise<void>> {
  const policy = `no-${name}`;
  const rule = { apiGroups: [group], apiVersions: [version], resources: [plural], operations: [...operations] };
  await client.of(ValidatingAdmissionPolicy).create({
    metadata: { name: policy },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: `request.name != '${name}'`, message: `${name} is refused` }],
    },
  });
  await client.of(ValidatingAdmissionPolicyBinding).create({
    metadata: { name: policy },
    spec: { policyName: policy, validationActions: ['Deny'] },
  });
  return async () => {
    await client.of(ValidatingAdmissionPolicyBinding).delete(policy);
    await client.of(ValidatingAdmissionPolicy).delete(policy);
  };
}
