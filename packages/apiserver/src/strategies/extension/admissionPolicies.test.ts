import { describe, expect, test } from 'vitest';
import { contextOf, problems } from '../../testing/strategies.ts';
import { mutatingAdmissionPolicyBindingStrategy, mutatingAdmissionPolicyStrategy } from './mutatingAdmissionPolicy.ts';
import {
  validatingAdmissionPolicyBindingStrategy,
  validatingAdmissionPolicyStrategy,
} from './validatingAdmissionPolicy.ts';

const rule = (rest: object = {}) => ({
  operations: ['CREATE'],
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  resources: ['deployments'],
  ...rest,
});
const match = (rest: object = {}) => ({
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  resourceRules: [rule()],
  ...rest,
});
const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };

const validating = (rest: object = {}) => ({
  metadata: { name: 'p' },
  spec: { failurePolicy: 'Fail', matchConstraints: match(), validations: [{ expression: 'true' }], ...rest },
});
const undeclared = (name: string, source = name, column = 1) =>
  `compilation failed: ERROR: <input>:1:${column}: undeclared reference to '${name}' (in container '')\n | ${source}\n | ${'.'.repeat(column - 1)}^`;

test.each<[string, object, string[]]>([
  ['a plain one', {}, []],
  [
    'nothing at all',
    { failurePolicy: undefined, matchConstraints: undefined, validations: [] },
    [
      'spec.failurePolicy: Required value',
      'spec.matchConstraints: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  ],
  [
    'a failure policy that nobody knows',
    { failurePolicy: 'Maybe' },
    ['spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
  ],
  [
    'rules for nothing',
    { matchConstraints: match({ resourceRules: [] }) },
    ['spec.matchConstraints.resourceRules: Required value'],
  ],
  [
    'a rule with wildcards beside what they cover',
    {
      matchConstraints: match({
        matchPolicy: 'Fuzzy',
        resourceRules: [
          rule({
            operations: ['*', 'CREATE'],
            resources: ['*', 'pods', 'pods/*', 'pods/status', '*/scale', 'x/scale'],
            resourceNames: ['a', 'a', 'b/c'],
            scope: 'All',
          }),
        ],
      }),
    },
    [
      'spec.matchConstraints.matchPolicy: Unsupported value: "Fuzzy": supported values: "Equivalent", "Exact"',
      `spec.matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "b/c": may not contain '/'`,
      'spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
      `spec.matchConstraints.resourceRules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
      `spec.matchConstraints.resourceRules[0].resources[3]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`,
      `spec.matchConstraints.resourceRules[0].resources[5]: Invalid value: "x/scale": if '*/scale' is present, must not specify x/scale`,
      `spec.matchConstraints.resourceRules[0].resources: Invalid value: ["*","pods","pods/*","pods/status","*/scale","x/scale"]: if '*' is present, must not specify other resources without subresources`,
      'spec.matchConstraints.resourceRules[0].scope: Unsupported value: "All": supported values: "*", "Cluster", "Namespaced"',
    ],
  ],
  [
    'parameters of a strange kind',
    { paramKind: { apiVersion: 'a/b/c', kind: 'Config_Map' } },
    [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      `spec.paramKind.kind: Invalid value: "Config_Map": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
  ],
  [
    'parameters of no kind',
    { paramKind: {} },
    ['spec.paramKind.apiVersion: Required value', 'spec.paramKind.kind: Required value'],
  ],
  [
    'expressions that are not there',
    { validations: [{ expression: ' ', message: ' ', messageExpression: ' ' }] },
    [
      'spec.validations[0].expression: Required value: expression is not specified',
      'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
      'spec.validations[0].message: Invalid value: " ": message must be non-empty if specified',
    ],
  ],
  [
    'values of wrong types',
    { validations: [{ expression: '1 + 1', message: 'a\nb', messageExpression: 'true', reason: 'Unauthorized' }] },
    [
      'spec.validations[0].expression: Invalid value: "1 + 1": must evaluate to bool but got int',
      'spec.validations[0].messageExpression: Invalid value: "true": must evaluate to string but got bool',
      'spec.validations[0].message: Invalid value: "a\\nb": message must not contain line breaks',
      'spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    'a value that can be of any type',
    { validations: [{ expression: 'object.spec.enabled' }] },
    ['spec.validations[0].expression: Invalid value: "object.spec.enabled": must evaluate to bool but got dyn'],
  ],
  [
    'a name that nobody declared',
    { validations: [{ expression: 'foo' }] },
    [`spec.validations[0].expression: Invalid value: "foo": ${undeclared('foo')}`],
  ],
  [
    'a field of the request that it does not have',
    { validations: [{ expression: 'request.uid == ""' }] },
    [
      `spec.validations[0].expression: Invalid value: "request.uid == \\"\\"": compilation failed: ERROR: <input>:1:8: undefined field 'uid'\n | request.uid == ""\n | .......^`,
    ],
  ],
  [
    'parameters without a kind',
    { validations: [{ expression: 'params == null' }] },
    [`spec.validations[0].expression: Invalid value: "params == null": ${undeclared('params', 'params == null')}`],
  ],
  ['parameters with a kind', { paramKind, validations: [{ expression: 'params == null' }] }, []],
  [
    'a message that asks for permissions',
    { validations: [{ expression: 'true', messageExpression: "authorizer.path('/').check('get').reason()" }] },
    [
      `spec.validations[0].messageExpression: Invalid value: "authorizer.path('/').check('get').reason()": ${undeclared('authorizer', "authorizer.path('/').check('get').reason()")}`,
    ],
  ],
  [
    'variables that use those before them',
    {
      variables: [
        { name: 'a', expression: '1' },
        { name: 'b', expression: 'variables.a > 0' },
      ],
      validations: [{ expression: 'variables.b' }],
    },
    [],
  ],
  [
    'variables that use those after them, and have strange names',
    {
      variables: [
        { name: 'b-c', expression: '1' },
        { name: 'if', expression: '' },
        { name: '', expression: 'variables.d' },
        { name: 'd', expression: '1' },
      ],
    },
    [
      'spec.variables[0].name: Invalid value: "b-c": name is not a valid CEL identifier',
      'spec.variables[1].name: Invalid value: "if": name is not a valid CEL identifier',
      'spec.variables[1].expression: Required value: expression is not specified',
      'spec.variables[2].name: Required value: name is not specified',
      `spec.variables[2].expression: Invalid value: "variables.d": compilation failed: ERROR: <input>:1:10: undefined field 'd'\n | variables.d\n | .........^`,
    ],
  ],
  [
    'match conditions',
    {
      variables: [{ name: 'a', expression: 'true' }],
      matchConditions: [
        { name: 'a/b', expression: 'true' },
        { name: 'a/b', expression: '1' },
        { name: 'x y', expression: ' ' },
        { name: 'd', expression: 'variables.a' },
      ],
    },
    [
      'spec.matchConditions[1].expression: Invalid value: "1": must evaluate to bool but got int',
      'spec.matchConditions[2].expression: Required value',
      `spec.matchConditions[2].name: Invalid value: "x y": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `spec.matchConditions[3].expression: Invalid value: "variables.a": ${undeclared('variables', 'variables.a')}`,
      'spec.matchConditions[1].name: Duplicate value: "a/b"',
    ],
  ],
  [
    'too many match conditions',
    { matchConditions: Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: 'true' })) },
    ['spec.matchConditions: Too many: 65: must have at most 64 items'],
  ],
  [
    'audit annotations',
    {
      validations: [],
      auditAnnotations: [
        { key: 'a', valueExpression: "'x'" },
        { key: 'a', valueExpression: 'null' },
        { key: 'b_', valueExpression: '1' },
        { key: 'c', valueExpression: `'${'x'.repeat(5120)}'` },
        { key: 'd', valueExpression: '' },
      ],
    },
    [
      `spec.auditAnnotations[2].key: Invalid value: "p/b_": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.auditAnnotations[2].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      'spec.auditAnnotations[3].valueExpression: Required value: must not exceed 5120 bytes in length',
      'spec.auditAnnotations[4].valueExpression: Required value: valueExpression is not specified',
      'spec.auditAnnotations[1].key: Duplicate value: "a"',
    ],
  ],
])('a ValidatingAdmissionPolicy with %s', (_, rest, expected) => {
  expect(problems(validatingAdmissionPolicyStrategy, validating(rest))).toEqual(expected);
});

test('policies have expressions of at most 256 KiB', () => {
  const expression = ' '.repeat(262_145);
  const refused = ['spec: Too long: the expressions may not be more than 262144 bytes together'];
  expect(problems(validatingAdmissionPolicyStrategy, validating({ validations: [{ expression }] }))).toEqual(refused);
  const mutations = [{ patchType: 'JSONPatch', jsonPatch: { expression } }];
  expect(problems(mutatingAdmissionPolicyStrategy, mutating({ mutations }))).toEqual(refused);
});

test('a ValidatingAdmissionPolicy has at most 20 audit annotations', () => {
  const auditAnnotations = Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, valueExpression: "'x'" }));
  expect(problems(validatingAdmissionPolicyStrategy, validating({ auditAnnotations }))).toEqual([
    expect.stringMatching(/^spec\.auditAnnotations: Invalid value: .*: must not have more than 20 auditAnnotations$/),
  ]);
});

test('the status of a ValidatingAdmissionPolicy has complete warnings', () => {
  const status = { typeChecking: { expressionWarnings: [{ fieldRef: ' ', warning: '' }] } };
  expect(
    problems(
      validatingAdmissionPolicyStrategy,
      { ...validating({ validations: [] }), status },
      contextOf({ subresource: 'status' }),
    ),
  ).toEqual([
    'status.typeChecking.expressionWarnings[0].warning: Required value',
    'status.typeChecking.expressionWarnings[0].fieldRef: Required value',
  ]);
});

const mutating = (rest: object = {}) => ({
  metadata: { name: 'p' },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: match(),
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    ...rest,
  },
});

test.each<[string, object, string[]]>([
  ['a plain one', {}, []],
  [
    'nothing at all',
    { failurePolicy: undefined, matchConstraints: undefined, mutations: [], reinvocationPolicy: undefined },
    [
      'spec.failurePolicy: Required value',
      'spec.matchConstraints: Required value',
      'spec.mutations: Required value: mutations must contain at least one item',
      'spec.reinvocationPolicy: Required value',
    ],
  ],
  [
    'deletions and an unknown policy',
    { matchConstraints: match({ resourceRules: [rule({ operations: ['DELETE'] })] }), reinvocationPolicy: 'Always' },
    [
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      'spec.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
    ],
  ],
  [
    'mutations that do not say what they are',
    {
      mutations: [
        {},
        { patchType: 'Merge' },
        { patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } },
        { patchType: 'ApplyConfiguration', applyConfiguration: {}, jsonPatch: { expression: '[]' } },
      ],
    },
    [
      'spec.mutations[0].patchType: Required value',
      'spec.mutations[1].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"',
      'spec.mutations[2].jsonPatch: Required value: must be specified when patchType is JSONPatch',
      'spec.mutations[2].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
      'spec.mutations[3].applyConfiguration.expression: Required value',
      'spec.mutations[3].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
    ],
  ],
  [
    'expressions of wrong types',
    {
      mutations: [
        { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object.spec{}' } },
        { patchType: 'JSONPatch', jsonPatch: { expression: '[1]' } },
        { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: 1}]' } },
      ],
    },
    [
      'spec.mutations[0].applyConfiguration.expression: Invalid value: "Object.spec{}": must evaluate to Object but got Object.spec',
      'spec.mutations[1].jsonPatch.expression: Invalid value: "[1]": must evaluate to list(JSONPatch) but got list(int)',
      `spec.mutations[2].jsonPatch.expression: Invalid value: "[JSONPatch{op: 1}]": compilation failed: ERROR: <input>:1:14: expected type of field 'op' is 'string' but provided type is 'int'\n | [JSONPatch{op: 1}]\n | .............^`,
    ],
  ],
])('a MutatingAdmissionPolicy with %s', (_, rest, expected) => {
  expect(problems(mutatingAdmissionPolicyStrategy, mutating(rest))).toEqual(expected);
});

describe('a binding', () => {
  test.each<[string, object, string[]]>([
    ['of a policy', {}, []],
    [
      'of nothing, with parameters of nothing',
      { policyName: '', paramRef: {} },
      [
        'spec.policyName: Required value',
        'spec.paramRef: Required value: one of name or selector must be specified',
        'spec.paramRef.parameterNotFoundAction: Required value',
      ],
    ],
    [
      'with parameters twice',
      { paramRef: { name: 'a/b', selector: {}, parameterNotFoundAction: 'Ignore' } },
      [
        `spec.paramRef.name: Invalid value: "a/b": may not contain '/'`,
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.parameterNotFoundAction: Unsupported value: "Ignore": supported values: "Deny", "Allow"',
      ],
    ],
    [
      'that selects strangely',
      { matchResources: match({ resourceRules: [], objectSelector: { matchLabels: { 'a b': 'c' } } }) },
      [
        `spec.matchResources.objectSelector.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
    ],
  ])('%s', (_, rest, expected) => {
    const binding = { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'], ...rest } };
    expect(problems(validatingAdmissionPolicyBindingStrategy, binding)).toEqual(expected);
    expect(problems(mutatingAdmissionPolicyBindingStrategy, binding)).toEqual(expected);
  });

  test('says what is done, once and without contradictions', () => {
    const actions = (validationActions: string[]) =>
      problems(validatingAdmissionPolicyBindingStrategy, {
        metadata: { name: 'b' },
        spec: { policyName: 'p', validationActions },
      });
    expect(actions([])).toEqual(['spec.validationActions: Required value: at least one validation action is required']);
    expect(actions(['Deny', 'Warn', 'Deny', 'Log'])).toEqual([
      'spec.validationActions[2]: Duplicate value: "Deny"',
      'spec.validationActions[3]: Unsupported value: "Log": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions: Invalid value: ["Deny","Warn","Deny","Log"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ]);
  });

  test('of a MutatingAdmissionPolicy cannot be about deletions', () => {
    const matchResources = match({ resourceRules: [rule({ operations: ['DELETE'] })] });
    expect(
      problems(mutatingAdmissionPolicyBindingStrategy, {
        metadata: { name: 'b' },
        spec: { policyName: 'p', matchResources },
      }),
    ).toEqual([
      'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ]);
  });
});
