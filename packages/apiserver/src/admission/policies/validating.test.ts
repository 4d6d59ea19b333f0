import { beforeAll, describe, expect, it, test } from 'vitest';
import { type CallResponse, serverOfFile } from '../../testing/calls.ts';
import { CONFIG_MAPS, withPolicy } from '../../testing/policies.ts';
import { define } from '../../testing/widgets.ts';

const calls = serverOfFile();
const { post, put, delete: remove, get } = calls;
const MAPS = '/api/v1/namespaces/default/configmaps';

/** Tries to create a ConfigMap, without leaving one behind. */
const tryMap = (object: { metadata?: object; data?: object } = {}): Promise<CallResponse> =>
  post(MAPS, { ...object, metadata: { name: 'web', ...object.metadata } }, { query: { dryRun: 'All' } });

const refusal = (text: string) => `ValidatingAdmissionPolicy 'p' with binding 'p' denied request: ${text}`;

interface Case {
  readonly spec: object;
  readonly binding?: object;
  readonly map?: { metadata?: object; data?: object };
  readonly expected: 'admitted' | string;
  readonly code?: number;
  readonly warning?: string;
}

const validation = (expression: string, rest: object = {}) => ({ validations: [{ expression, ...rest }] });

const CASES: Record<string, Case> = {
  'a validation that is true admits': { spec: validation("object.metadata.name == 'web'"), expected: 'admitted' },
  'a validation that is false refuses with the expression': {
    spec: validation(" object.metadata.name != 'web' "),
    expected: refusal("failed expression: object.metadata.name != 'web'"),
  },
  'a message is shown': { spec: validation('false', { message: ' no ' }), expected: refusal('no') },
  'an expression for the message goes before the message': {
    spec: validation('false', { message: 'no', messageExpression: "'no ' + object.metadata.name" }),
    expected: refusal('no web'),
  },
  'an expression for the message that fails is ignored': {
    spec: validation('false', { message: 'no', messageExpression: 'string(object.missing)' }),
    expected: refusal('no'),
  },
  'a message of several lines is ignored': {
    spec: validation('false', { messageExpression: "'a\\nb'" }),
    expected: refusal('failed expression: false'),
  },
  'a reason decides the code': {
    spec: validation('false', { message: 'no', reason: 'Forbidden' }),
    expected: refusal('no'),
    code: 403,
  },
  'a request that is too large has its code': {
    spec: validation('false', { message: 'no', reason: 'RequestEntityTooLarge' }),
    expected: refusal('no'),
    code: 413,
  },
  'only the first failure is told': {
    spec: { validations: [{ expression: 'true' }, { expression: 'false' }, { expression: '1 == 2' }] },
    expected: refusal('failed expression: false'),
  },
  'an error refuses': {
    spec: validation("object.data.x == 'y'"),
    expected: refusal("expression 'object.data.x == 'y'' resulted in error: no such key: data"),
  },
  'an error is admitted where failures are ignored': {
    spec: { ...validation("object.data.x == 'y'"), failurePolicy: 'Ignore' },
    expected: 'admitted',
  },
  'ignoring failures does not ignore what is false': {
    spec: { ...validation('false'), failurePolicy: 'Ignore' },
    expected: refusal('failed expression: false'),
  },
  'a warning admits': {
    spec: validation('false', { message: 'careful' }),
    binding: { validationActions: ['Warn', 'Audit'] },
    expected: 'admitted',
    warning: "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': careful",
  },
  'an audit admits': {
    spec: validation('false'),
    binding: { validationActions: ['Audit'] },
    expected: 'admitted',
  },
  'variables are made from variables before them': {
    spec: {
      variables: [
        { name: 'name', expression: 'object.metadata.name' },
        { name: 'long', expression: 'variables.name.size() > 2' },
      ],
      ...validation('!variables.long', { messageExpression: "variables.name + ' is long'" }),
    },
    expected: refusal('web is long'),
  },
  'a variable that nobody uses is not evaluated': {
    spec: { variables: [{ name: 'bad', expression: 'object.data.x' }], ...validation('true') },
    expected: 'admitted',
  },
  'a variable that fails says so': {
    spec: { variables: [{ name: 'bad', expression: 'object.data.x' }], ...validation("variables.bad == 'x'") },
    expected: refusal(
      "expression 'variables.bad == 'x'' resulted in error: composited variable \"bad\" fails to evaluate: no such key: data",
    ),
  },
  'a match condition that is false leaves the request alone': {
    spec: { matchConditions: [{ name: 'c', expression: "object.metadata.name != 'web'" }], ...validation('false') },
    expected: 'admitted',
  },
  'a match condition that is false outweighs one that fails': {
    spec: {
      matchConditions: [
        { name: 'a', expression: 'object.data.x == 1' },
        { name: 'b', expression: 'false' },
      ],
      ...validation('false'),
    },
    expected: 'admitted',
  },
  'match conditions that fail refuse': {
    spec: {
      matchConditions: [
        { name: 'a', expression: 'object.data.x == 1' },
        { name: 'b', expression: 'object.data.y == 1' },
      ],
      ...validation('true'),
    },
    expected: refusal(
      "[expression 'object.data.x == 1' resulted in error: no such key: data, expression 'object.data.y == 1' resulted in error: no such key: data]",
    ),
  },
  'match conditions that fail are ignored where failures are': {
    spec: {
      matchConditions: [{ name: 'a', expression: 'object.data.x == 1' }],
      failurePolicy: 'Ignore',
      ...validation('false'),
    },
    expected: 'admitted',
  },
  'the request and its user are seen': {
    spec: validation(
      "request.operation == 'CREATE' && request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' " +
        "&& request.namespace == 'default' && request.name == 'web' && request.dryRun " +
        "&& 'system:masters' in request.userInfo.groups && !has(request.subResource) " +
        "&& request.options.kind == 'CreateOptions'",
    ),
    expected: 'admitted',
  },
  'the namespace is seen': {
    spec: validation(
      "namespaceObject.metadata.name == 'default' && namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'default' && namespaceObject.status.phase == 'Active'",
    ),
    expected: 'admitted',
  },
  'permissions are asked for': {
    spec: validation(
      "authorizer.group('').resource('pods').namespace('x').check('get').allowed() " +
        "&& !authorizer.serviceAccount('default', 'default').group('').resource('pods').check('get').allowed()",
    ),
    expected: 'admitted',
  },
  'permissions for the request itself and for paths are asked for': {
    spec: validation(
      "authorizer.requestResource.check('create').allowed() && authorizer.path('/healthz').check('get').allowed()",
    ),
    expected: 'admitted',
  },
  'an audit annotation that cannot be computed refuses': {
    spec: { auditAnnotations: [{ key: 'k', valueExpression: 'string(object.data.x)' }] },
    binding: { validationActions: ['Warn'] },
    expected: refusal("expression 'string(object.data.x)' resulted in error: no such key: data"),
  },
  'audit annotations cannot ask for permissions': {
    spec: { auditAnnotations: [{ key: 'k', valueExpression: "authorizer.path('/x').check('get').reason()" }] },
    expected: refusal(
      "expression 'authorizer.path('/x').check('get').reason()' resulted in error: no such attribute(s): authorizer",
    ),
  },
  'the budget ends an evaluation': {
    spec: {
      validations: Array.from({ length: 30 }, () => ({ expression: "authorizer.path('/x').check('get').allowed()" })),
    },
    expected: refusal('validation failed due to running out of cost budget, no further validation rules will be run'),
  },
  'selectors of the policy and the binding both count': {
    spec: {
      matchConstraints: { ...CONFIG_MAPS, objectSelector: { matchLabels: { a: 'b' } } },
      ...validation('false'),
    },
    binding: { matchResources: { objectSelector: { matchLabels: { c: 'd' } } } },
    map: { metadata: { labels: { a: 'b' } } },
    expected: 'admitted',
  },
  'an object that both select is seen': {
    spec: {
      matchConstraints: { ...CONFIG_MAPS, objectSelector: { matchLabels: { a: 'b' } } },
      ...validation('false'),
    },
    binding: { matchResources: { objectSelector: { matchLabels: { c: 'd' } } } },
    map: { metadata: { labels: { a: 'b', c: 'd' } } },
    expected: refusal('failed expression: false'),
  },
  'a namespace that is not selected is left alone': {
    spec: {
      matchConstraints: { ...CONFIG_MAPS, namespaceSelector: { matchLabels: { a: 'b' } } },
      ...validation('false'),
    },
    expected: 'admitted',
  },
  'a rule for other names is left alone': {
    spec: {
      matchConstraints: { resourceRules: [{ ...CONFIG_MAPS.resourceRules[0], resourceNames: ['other'] }] },
      ...validation('false'),
    },
    expected: 'admitted',
  },
  'what is excluded is left alone': {
    spec: {
      matchConstraints: {
        ...CONFIG_MAPS,
        excludeResourceRules: [{ ...CONFIG_MAPS.resourceRules[0], resourceNames: ['web'] }],
      },
      ...validation('false'),
    },
    expected: 'admitted',
  },
  'parameters of no known kind are a configuration error': {
    spec: { paramKind: { apiVersion: 'rules.example.com/v1', kind: 'Rule' }, ...validation('true') },
    binding: { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } },
    expected:
      "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'rules.example.com/v1, Kind=Rule'",
  },
  'a configuration error is admitted where failures are ignored': {
    spec: { paramKind: { apiVersion: 'v1', kind: 'Rule' }, failurePolicy: 'Ignore', ...validation('false') },
    expected: 'admitted',
  },
  'a parameter that is missing refuses': {
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...validation('true') },
    binding: { paramRef: { name: 'missing', parameterNotFoundAction: 'Deny' } },
    expected: refusal(
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    ),
  },
  'a parameter that is missing admits': {
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...validation('false') },
    binding: { paramRef: { name: 'missing', parameterNotFoundAction: 'Allow' } },
    expected: 'admitted',
  },
  'a parameter is found by name': {
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...validation('false', { messageExpression: "params.kind + ' ' + params.data.limit" }),
    },
    binding: { paramRef: { name: 'limit-1', namespace: 'params', parameterNotFoundAction: 'Deny' } },
    expected: refusal('ConfigMap 1'),
  },
  'every parameter that is selected must agree': {
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...validation("params.data.limit != '2'", { messageExpression: "'limit ' + params.data.limit" }),
    },
    binding: {
      paramRef: { selector: { matchLabels: { kind: 'limit' } }, namespace: 'params', parameterNotFoundAction: 'Deny' },
    },
    expected: refusal('limit 2'),
  },
  'a namespace for parameters of the cluster is a configuration error': {
    spec: { paramKind: { apiVersion: 'v1', kind: 'Node' }, ...validation('true') },
    binding: { paramRef: { name: 'x', namespace: 'params', parameterNotFoundAction: 'Allow' } },
    expected: refusal(
      'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    ),
  },
  'parameters are null for a binding without any': {
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...validation('params == null') },
    expected: 'admitted',
  },
  'there is no old object when one is created': { spec: validation('oldObject == null'), expected: 'admitted' },
};

beforeAll(async () => {
  await post('/api/v1/namespaces', { metadata: { name: 'params' } });
  for (const limit of ['1', '2'])
    await post('/api/v1/namespaces/params/configmaps', {
      metadata: { name: `limit-${limit}`, labels: { kind: 'limit' } },
      data: { limit },
    });
});

describe('a ValidatingAdmissionPolicy: ', () => {
  test.each(Object.entries(CASES))('%s', (_, each) => check(each));

  async function check({ spec, binding, map, expected, code, warning }: Case): Promise<void> {
    const { status, body, headers } = await withPolicy(calls, 'validating', { spec, binding }, () => tryMap(map));
    const outcome = status === 201 ? 'admitted' : body.details?.causes?.[0]?.message;
    expect(outcome).toBe(expected);
    if (expected === 'admitted') expect(headers.warning).toBe(warning && `299 - ${JSON.stringify(warning)}`);
    else
      expect({ status, message: body.message, details: body.details }).toEqual({
        status: code ?? 422,
        message: `configmaps "web" is forbidden: ${expected}`,
        details: { name: 'web', kind: 'configmaps', causes: [{ message: expected }] },
      });
  }

  it('sees what is deleted and what is changed', async () => {
    await post(MAPS, { metadata: { name: 'kept' }, data: { a: '1' } });
    const spec = validation("request.operation == 'UPDATE' && object.data.a == oldObject.data.a");
    await withPolicy(calls, 'validating', { spec }, async () => {
      expect((await put(`${MAPS}/kept`, { metadata: { name: 'kept' }, data: { a: '2' } })).status).toBe(422);
      expect((await put(`${MAPS}/kept`, { metadata: { name: 'kept' }, data: { a: '1', b: '2' } })).status).toBe(200);
      expect((await remove(`${MAPS}/kept`)).body.reason).toBe('Invalid');
    });
    expect((await remove(`${MAPS}/kept`)).status).toBe(200);
  });

  it('is about other versions of its resource, and sees them as its own', async () => {
    await define(calls, { group: 'policies.example.com', versions: [{}, {}] });
    const rule = {
      operations: ['CREATE'],
      apiGroups: ['policies.example.com'],
      apiVersions: ['v1'],
      resources: ['widgets'],
    };
    const spec = (matchPolicy: string) => ({
      matchConstraints: { matchPolicy, resourceRules: [rule] },
      ...validation('false', { messageExpression: "object.apiVersion + ' ' + request.requestKind.version" }),
    });
    const create = () =>
      post('/apis/policies.example.com/v2/namespaces/default/widgets', { metadata: { generateName: 'w-' } });
    const { body } = await withPolicy(calls, 'validating', { spec: spec('Equivalent') }, create);
    expect(body.details?.causes?.[0]?.message).toBe(refusal('policies.example.com/v1 v2'));
    const { status } = await withPolicy(calls, 'validating', { spec: spec('Exact') }, create);
    expect(status).toBe(201);
  });

  it('of namespaced parameters cannot be about the cluster scope', async () => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: {
        resourceRules: [
          {
            operations: ['*'],
            apiGroups: ['rbac.authorization.k8s.io'],
            apiVersions: ['*'],
            resources: ['clusterroles'],
          },
        ],
      },
      ...validation('true'),
    };
    const binding = { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } };
    const { body } = await withPolicy(calls, 'validating', { spec, binding }, () =>
      post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'none' } }),
    );
    expect(body.message).toBe(
      `clusterroles.rbac.authorization.k8s.io "none" is forbidden: ${refusal('failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')}`,
    );
  });

  it('does not reach policies and bindings, whatever it says', async () => {
    const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
    const spec = { matchConstraints: { resourceRules: [everything] }, ...validation('false') };
    await withPolicy(calls, 'validating', { spec }, async () => {
      expect((await tryMap()).status).toBe(422);
    });
    expect((await get('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies')).body.items).toEqual([]);
  });
});
