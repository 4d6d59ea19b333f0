import type { CallResponse, Calls } from './calls.ts';

const BASE = '/apis/admissionregistration.k8s.io/v1';

/** Rules for creating and updating ConfigMaps. */
export const CONFIG_MAPS = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
  ],
};

/** The same for policies that change objects. */
export const CHANGED_CONFIG_MAPS = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] },
  ],
};

type Type = 'validating' | 'mutating';

const SPECS = {
  validating: { matchConstraints: CONFIG_MAPS },
  mutating: { matchConstraints: CHANGED_CONFIG_MAPS, reinvocationPolicy: 'Never' },
};
const BINDING_SPECS = { validating: { validationActions: ['Deny'] }, mutating: {} };

/** Tries to create a policy that is about ConfigMaps. */
export const createPolicy = (calls: Calls, type: Type, name: string, spec: object): Promise<CallResponse> =>
  calls.post(`${BASE}/${type}admissionpolicies`, { metadata: { name }, spec: { ...SPECS[type], ...spec } });

/** Tries to create a binding that refuses what its policy does. */
export const createBinding = (calls: Calls, type: Type, name: string, spec: object): Promise<CallResponse> =>
  calls.post(`${BASE}/${type}admissionpolicybindings`, {
    metadata: { name },
    spec: { policyName: name, ...BINDING_SPECS[type], ...spec },
  });

/** Puts a policy into force while something is done. The binding has the policy's name. */
export async function withPolicy<T>(
  calls: Calls,
  type: Type,
  { name = 'p', spec = {}, binding = {} }: { name?: string; spec?: object; binding?: object },
  run: () => Promise<T>,
): Promise<T> {
  for (const { status, body } of [
    await createPolicy(calls, type, name, spec),
    await createBinding(calls, type, name, binding),
  ])
    if (status !== 201) throw new Error(body.message);
  try {
    return await run();
  } finally {
    await calls.delete(`${BASE}/${type}admissionpolicybindings/${name}`);
    await calls.delete(`${BASE}/${type}admissionpolicies/${name}`);
  }
}
