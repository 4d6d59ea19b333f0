/** One object of each kind of `admissionregistration.k8s.io`, for the objects that `selector` selects. */
export function admissionSamples(selector: object): Record<string, object> {
  const webhook = {
    name: 'hook.go.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [{ apiGroups: ['go.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] }],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    timeoutSeconds: 1,
    admissionReviewVersions: ['v1'],
    namespaceSelector: selector,
  };
  const policy = {
    failurePolicy: 'Ignore',
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConstraints: {
      matchPolicy: 'Exact',
      objectSelector: selector,
      resourceRules: webhook.rules.map((rule) => ({ ...rule, resourceNames: ['a'] })),
      excludeResourceRules: webhook.rules,
    },
    matchConditions: [{ name: 'never', expression: 'false' }],
    variables: [{ name: 'one', expression: '1' }],
  };
  const policyBinding = {
    policyName: 'absent',
    paramRef: { selector, namespace: 'go', parameterNotFoundAction: 'Allow' },
    matchResources: { namespaceSelector: selector },
  };
  return {
    'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy': {
      spec: {
        ...policy,
        reinvocationPolicy: 'IfNeeded',
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: 'Object{metadata: Object.metadata{}}' },
          },
          { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/data"}]' } },
        ],
      },
    },
    'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding': { spec: policyBinding },
    'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy': {
      spec: {
        ...policy,
        validations: [{ expression: 'true', message: 'no', messageExpression: "'no'", reason: 'Forbidden' }],
        auditAnnotations: [{ key: 'seen', valueExpression: "'yes'" }],
      },
    },
    'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding': {
      spec: { ...policyBinding, validationActions: ['Deny', 'Audit'] },
    },
    'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration': {
      webhooks: [{ ...webhook, reinvocationPolicy: 'IfNeeded' }],
    },
    'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration': { webhooks: [webhook] },
  };
}
