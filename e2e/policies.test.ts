import { beforeAll, describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, namespace } = useCluster();

const rules = (operations: string) => `
    resourceRules:
    - apiGroups: [""]
      apiVersions: [v1]
      operations: ${operations}
      resources: [configmaps]`;

const policies = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limit}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:${rules('[CREATE, UPDATE]')}
    namespaceSelector: {matchLabels: {policies: enforced}}
  variables:
  - {name: keys, expression: "has(object.data) ? size(object.data) : 0"}
  validations:
  - expression: variables.keys <= int(params.data.max)
    messageExpression: "'at most ' + params.data.max + ' keys, not ' + string(variables.keys)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limit}
spec:
  policyName: limit
  validationActions: [Deny]
  paramRef: {name: limit, namespace: default, parameterNotFoundAction: Deny}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: team}
spec:
  matchConstraints:${rules('[CREATE]')}
  validations:
  - expression: has(object.metadata.labels) && 'team' in object.metadata.labels
    message: give it a team
  - expression: object.foo != 1
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: team}
spec:
  policyName: team
  validationActions: [Warn]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: stamp}
spec:
  failurePolicy: Fail
  reinvocationPolicy: Never
  matchConstraints:${rules('[CREATE]')}
  matchConditions:
  - {name: of-people, expression: "!request.userInfo.username.startsWith('system:serviceaccount:')"}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: >
        Object{metadata: Object.metadata{annotations: {"created-by": request.userInfo.username}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: stamp}
spec: {policyName: stamp}
`;

beforeAll(async () => {
  await namespace('enforced');
  await kubectl.do('create configmap limit --from-literal=max=1');
  await kubectl.do('label namespace enforced policies=enforced');
  await kubectl.do('apply -f -', { input: policies });
});

describe('admission policies', () => {
  it('show what they are in tables', async () => {
    const [validating, bindings, mutating] = await Promise.all([
      kubectl('get validatingadmissionpolicies'),
      kubectl('get validatingadmissionpolicybindings'),
      kubectl('get mutatingadmissionpolicies,mutatingadmissionpolicybindings'),
    ]);
    expect(validating).toMatchInlineSnapshot(`
      "NAME    VALIDATIONS   PARAMKIND      AGE
      limit   1             v1/ConfigMap   1s
      team    2             <unset>        1s"
    `);
    expect(bindings).toMatchInlineSnapshot(`
      "NAME    POLICYNAME   PARAMREF        AGE
      limit   limit        default/limit   1s
      team    team         <unset>         1s"
    `);
    expect(mutating).toMatchInlineSnapshot(`
      "NAME                                                         MUTATIONS   PARAMKIND   AGE
      mutatingadmissionpolicy.admissionregistration.k8s.io/stamp   1           <unset>     1s

      NAME                                                                POLICYNAME   PARAMREF   AGE
      mutatingadmissionpolicybinding.admissionregistration.k8s.io/stamp   stamp        <unset>    1s"
    `);
  });

  it('are explained', async () => {
    expect(await kubectl('explain validatingadmissionpolicy.spec.validations.messageExpression')).toContain(
      'Expression in CEL for the message.',
    );
  });

  it('refuse what they do not allow, with their parameters', async () => {
    expect(
      await kubectl('create configmap big -n enforced --from-literal=a=1 --from-literal=b=2'),
    ).toMatchInlineSnapshot(`
      "Warning: Validation failed for ValidatingAdmissionPolicy 'team' with binding 'team': give it a team
      Warning: Validation failed for ValidatingAdmissionPolicy 'team' with binding 'team': expression 'object.foo != 1' resulted in error: no such key: foo
      error: failed to create configmap: configmaps "big" is forbidden: ValidatingAdmissionPolicy 'limit' with binding 'limit' denied request: at most 1 keys, not 2
      exit code 1"
    `);
  });

  it('warn', async () => {
    expect(await kubectl('create configmap small -n enforced --from-literal=a=1')).toMatchInlineSnapshot(`
      "configmap/small created
      Warning: Validation failed for ValidatingAdmissionPolicy 'team' with binding 'team': give it a team
      Warning: Validation failed for ValidatingAdmissionPolicy 'team' with binding 'team': expression 'object.foo != 1' resulted in error: no such key: foo"
    `);
  });

  it('change objects', async () => {
    expect(
      await kubectl(`get configmap small -n enforced -o jsonpath='{.metadata.annotations.created-by}'`),
    ).toMatchInlineSnapshot(`"kubernetes-admin"`);
  });

  it('are checked against the types that they are about', async () => {
    const path = '.status.typeChecking.expressionWarnings[*]';
    await kubectl.until(`get validatingadmissionpolicy team -o jsonpath='{.status.observedGeneration}'`, '1');
    expect(
      await kubectl(`get validatingadmissionpolicy team -o jsonpath='{range ${path}}{.fieldRef}: {.warning}{end}'`),
    ).toMatchInlineSnapshot(`
      "spec.validations[1].expression: /v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'foo'
       | object.foo != 1
       | ......^"
    `);
  });

  it('that do not compile are refused', async () => {
    const input = policies.replace('size(object.data)', 'length(object.data)');
    expect((await kubectl('apply -f -', { input })).split('\n').slice(-4).join('\n')).toMatchInlineSnapshot(`
      "The ValidatingAdmissionPolicy "limit" is invalid: spec.variables[0].expression: Invalid value: "has(object.data) ? length(object.data) : 0": compilation failed: ERROR: <input>:1:26: undeclared reference to 'length' (in container '')
       | has(object.data) ? length(object.data) : 0
       | .........................^
      exit code 1"
    `);
  });
});
