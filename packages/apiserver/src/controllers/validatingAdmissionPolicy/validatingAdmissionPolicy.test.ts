import { builtinKinds, type ExpressionWarning, type Kind, ValidatingAdmissionPolicy } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { registerBuiltinKinds } from '../../registry/builtin.ts';
import { Registry } from '../../registry/registry.ts';
import { found, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { startValidatingAdmissionPolicyController, VALIDATING_ADMISSION_POLICY_USER } from './index.ts';
import { typeCheckingStatus } from './status.ts';

const registry = new Registry();
registerBuiltinKinds(registry);

const rule = (group: string, ...resources: string[]) => ({
  operations: ['*'],
  apiGroups: [group],
  apiVersions: ['v1'],
  resources,
});

/** Warnings by the paths of their expressions. */
async function warningsOf(spec: object): Promise<Record<string, string>> {
  const policy = persisted({ metadata: { name: 'p', generation: 3 }, spec } as never) as never;
  const { observedGeneration, typeChecking } = await typeCheckingStatus(policy, registry);
  expect(observedGeneration).toBe(3);
  const warnings: ExpressionWarning[] = typeChecking?.expressionWarnings ?? [];
  return Object.fromEntries(warnings.map(({ fieldRef, warning }) => [fieldRef, warning]));
}

const undefinedField = (field: string, source: string, column: number) =>
  `ERROR: <input>:1:${column}: undefined field '${field}'\n | ${source}\n | ${'.'.repeat(column - 1)}^\n`;

describe('the types of a policy', () => {
  test.each<[string, object, Record<string, string>]>([
    [
      'fit their kind',
      {
        matchConstraints: { resourceRules: [rule('apps', 'deployments')] },
        validations: [{ expression: 'object.spec.replicas > 1 && object.metadata.labels.size() > 0' }],
      },
      {},
    ],
    [
      'do not fit their kind',
      {
        matchConstraints: { resourceRules: [rule('apps', 'deployments')] },
        validations: [
          { expression: 'object.foo > 1', messageExpression: 'object.bar' },
          { expression: "object.spec.replicas > 'x'" },
        ],
      },
      {
        'spec.validations[0].expression': `apps/v1, Kind=Deployment: ${undefinedField('foo', 'object.foo > 1', 7)}`,
        'spec.validations[0].messageExpression': `apps/v1, Kind=Deployment: ${undefinedField('bar', 'object.bar', 7)}`,
        'spec.validations[1].expression': `apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n | object.spec.replicas > 'x'\n | .....................^\n`,
      },
    ],
    [
      'fit one of two kinds',
      {
        matchConstraints: { resourceRules: [rule('', 'configmaps', 'secrets', 'pods/*', 'secrets/status')] },
        validations: [{ expression: "object.type == 'Opaque'" }],
      },
      {
        'spec.validations[0].expression': `/v1, Kind=ConfigMap: ${undefinedField('type', "object.type == 'Opaque'", 7)}`,
      },
    ],
    [
      'come through variables and parameters',
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: { resourceRules: [rule('apps', 'deployments')] },
        variables: [{ name: 'replicas', expression: 'object.spec.replicas' }],
        validations: [{ expression: "variables.replicas == 'x' || params.spec == null" }],
      },
      {
        'spec.validations[0].expression': `apps/v1, Kind=Deployment: ERROR: <input>:1:20: found no matching overload for '_==_' applied to '(int, string)'\n | variables.replicas == 'x' || params.spec == null\n | ...................^\n${undefinedField('spec', "variables.replicas == 'x' || params.spec == null", 36)}`,
      },
    ],
    [
      'are not known for wildcards',
      {
        matchConstraints: { resourceRules: [{ ...rule('*', 'deployments') }, rule('apps', '*'), rule('none', 'x')] },
        validations: [{ expression: 'object.foo > 1' }],
      },
      {},
    ],
  ])('%s', async (_, spec, expected) => {
    expect(await warningsOf(spec)).toEqual(expected);
  });

  test.each((builtinKinds as readonly Kind[]).map((kind) => [kind.kind, kind] as const))(
    'can be those of a %s',
    async (_, kind) => {
      const { group, version, plural } = kind;
      const spec = {
        matchConstraints: { resourceRules: [{ ...rule(group, plural), apiVersions: [version] }] },
        validations: [{ expression: "object.metadata.name != ''" }],
      };
      expect(await warningsOf(spec)).toEqual({});
    },
  );
});

describe('the controller', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServerInMemory();
    const { registry: served } = server.server.core;
    server.start(VALIDATING_ADMISSION_POLICY_USER, (context, signal) =>
      startValidatingAdmissionPolicyController({ ...context, registry: served }, signal),
    );
  });
  afterEach(() => server.stop());

  it('checks each generation of a policy', async () => {
    const policies = server.admin.of(ValidatingAdmissionPolicy);
    const spec = (expression: string) => ({
      matchConstraints: { resourceRules: [rule('', 'pods')] },
      validations: [{ expression }],
    });
    await policies.create({ metadata: { name: 'p' }, spec: spec('object.foo == 1') });
    await found(async () => (await policies.get('p')).status?.observedGeneration === 1);
    expect((await policies.get('p')).status?.typeChecking?.expressionWarnings).toHaveLength(1);
    await policies.patch('p', { spec: spec("object.metadata.name == ''") }, { type: 'merge' });
    await found(async () => (await policies.get('p')).status?.observedGeneration === 2);
    expect((await policies.get('p')).status?.typeChecking).toEqual({});
  });
});
