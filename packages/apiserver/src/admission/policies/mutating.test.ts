import type { UnknownObject } from '@vireo/api';
import { MutatingWebhookConfiguration } from '@vireo/api';
import { objectResponse } from '@vireo/kube';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { serverOfFile } from '../../testing/calls.ts';
import { createBinding, createPolicy, withPolicy } from '../../testing/policies.ts';
import { define } from '../../testing/widgets.ts';

const calls = serverOfFile();
const { post, delete: remove, server } = calls;
const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const WIDGETS = '/apis/mutations.example.com/v1/namespaces/default/widgets';
const DRY = { query: { dryRun: 'All' } };

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const about = (group: string, resource: string) => ({
  resourceRules: [{ operations: ['*'], apiGroups: [group], apiVersions: ['*'], resources: [resource] }],
});
const pods = about('', 'pods');
const widgets = about('mutations.example.com', 'widgets');

const pod = {
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'app', image: 'a', env: [{ name: 'A', value: '1' }] }], nodeSelector: { a: 'b' } },
};
const widget = { metadata: { name: 'web' }, spec: { size: 1 } };

interface Case {
  readonly spec: object;
  readonly object?: object;
  readonly path?: string;
  /** What the object becomes, in part. */
  readonly becomes?: object;
  /** Why it is refused. */
  readonly refused?: string;
}

const CASES: Record<string, Case> = {
  'an applied configuration sets fields': {
    spec: { mutations: [apply("Object{metadata: Object.metadata{labels: {'team': 'web'}}, data: {'b': '2'}}")] },
    object: { metadata: { name: 'web', labels: { a: 'b' } }, data: { a: '1' } },
    becomes: { metadata: { labels: { a: 'b', team: 'web' } }, data: { a: '1', b: '2' } },
  },
  'items of lists are merged by their keys': {
    spec: {
      matchConstraints: pods,
      mutations: [
        apply(
          "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'app', imagePullPolicy: 'Always', env: [Object.spec.containers.env{name: 'B', value: '2'}]}]}}",
        ),
      ],
    },
    path: PODS,
    object: pod,
    becomes: {
      spec: {
        containers: [
          {
            name: 'app',
            image: 'a',
            imagePullPolicy: 'Always',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          },
        ],
      },
    },
  },
  'defaults come after a mutation, and the next one sees them': {
    spec: {
      matchConstraints: pods,
      mutations: [
        apply("Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'init', image: 'b'}]}}"),
        patch(
          "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'policy': object.spec.initContainers[0].terminationMessagePath}}]",
        ),
      ],
    },
    path: PODS,
    object: pod,
    becomes: { metadata: { annotations: { policy: '/dev/termination-log' } } },
  },
  'variables and the request are at hand': {
    spec: {
      variables: [{ name: 'key', expression: "'from-' + request.operation.lowerAscii()" }],
      mutations: [patch("[JSONPatch{op: 'add', path: '/data', value: {variables.key: request.name}}]")],
    },
    becomes: { data: { 'from-create': 'web' } },
  },
  'a JSON patch adds, replaces, moves and removes': {
    spec: {
      mutations: [
        patch(
          "[JSONPatch{op: 'add', path: '/data/b', value: '2'}, JSONPatch{op: 'replace', path: '/data/a', value: '3'}, JSONPatch{op: 'move', from: '/data/b', path: '/data/c'}, JSONPatch{op: 'remove', path: '/data/a'}]",
        ),
      ],
    },
    object: { metadata: { name: 'web' }, data: { a: '1' } },
    becomes: { data: { c: '2' } },
  },
  'keys of a JSON patch are escaped': {
    spec: {
      mutations: [
        patch(
          "[JSONPatch{op: 'add', path: '/metadata/labels', value: {}}, JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a.io/b'), value: 'c'}]",
        ),
      ],
    },
    becomes: { metadata: { labels: { 'a.io/b': 'c' } } },
  },
  'a test that fails changes nothing': {
    spec: {
      mutations: [
        patch("[JSONPatch{op: 'test', path: '/data/a', value: '2'}, JSONPatch{op: 'remove', path: '/data'}]"),
      ],
    },
    object: { metadata: { name: 'web' }, data: { a: '1' } },
    becomes: { data: { a: '1' } },
  },
  'custom resources are changed by their schemas': {
    spec: {
      matchConstraints: widgets,
      mutations: [
        apply("Object{spec: Object.spec{size: object.spec.size + 1, parts: [Object.spec.parts{name: 'a'}]}}"),
      ],
    },
    path: WIDGETS,
    object: widget,
    becomes: { spec: { size: 2, parts: [{ name: 'a', count: 1 }] } },
  },
  'a match condition that is false changes nothing': {
    spec: {
      matchConditions: [{ name: 'c', expression: "object.metadata.name != 'web'" }],
      mutations: [apply("Object{data: {'a': 'b'}}")],
    },
    becomes: { metadata: { name: 'web' } },
  },
  'an error refuses': {
    spec: { mutations: [apply('Object{data: {"a": object.data.b}}')] },
    refused: `expression 'Object{data: {"a": object.data.b}}' resulted in error: no such key: data`,
  },
  'an error changes nothing where failures are ignored': {
    spec: { failurePolicy: 'Ignore', mutations: [apply('Object{data: {"a": object.data.b}}')] },
    becomes: { metadata: { name: 'web' } },
  },
  'atomic lists cannot be set': {
    spec: {
      matchConstraints: pods,
      mutations: [apply("Object{spec: Object.spec{containers: [Object.spec.containers{name: 'app', args: ['x']}]}}")],
    },
    path: PODS,
    object: pod,
    refused:
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].args',
  },
  'atomic maps cannot be set': {
    spec: { matchConstraints: pods, mutations: [apply("Object{spec: Object.spec{nodeSelector: {'x': 'y'}}}")] },
    path: PODS,
    object: pod,
    refused:
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.nodeSelector',
  },
  'types of objects are named by their path': {
    spec: { matchConstraints: pods, mutations: [apply('Object{spec: Object.wrong{hostNetwork: true}}')] },
    path: PODS,
    object: pod,
    refused:
      'type mismatch: unexpected type name "Object.wrong", expected "Object.spec", which matches field name path from root Object type',
  },
  'fields that a kind does not have are refused': {
    spec: { matchConstraints: pods, mutations: [apply('Object{spec: Object.spec{foo: 1}}')] },
    path: PODS,
    object: pod,
    refused:
      'error applying patch: failed to convert patch object to typed object: .spec.foo: field not declared in schema',
  },
  'a JSON patch with fields that a kind does not have is refused': {
    spec: { mutations: [patch("[JSONPatch{op: 'add', path: '/foo', value: 1}]")] },
    refused: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo"',
  },
  'a JSON patch with a value of a wrong type is refused': {
    spec: { mutations: [patch("[JSONPatch{op: 'add', path: '/data', value: 1}]")] },
    refused:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string',
  },
  'a list of the same large thing is refused': {
    spec: {
      matchConstraints: widgets,
      mutations: [patch("[JSONPatch{op: 'add', path: '/spec', value: {'x': lists.range(1000).map(i, object)}}]")],
    },
    path: WIDGETS,
    object: { ...widget, metadata: { name: 'web', annotations: { x: 'x'.repeat(10_000) } } },
    refused: 'the result is larger than 3145728 bytes',
  },
  'numbers that JSON does not have are refused': {
    spec: {
      matchConstraints: widgets,
      mutations: [patch("[JSONPatch{op: 'add', path: '/spec', value: {'size': 0.0 / 0.0}}]")],
    },
    path: WIDGETS,
    object: widget,
    refused: 'NaN is not a number of JSON',
  },
  'a JSON patch that does not fit is refused': {
    spec: { mutations: [patch("[JSONPatch{op: 'remove', path: '/data/x'}]")] },
    refused: 'JSON Patch: remove operation does not apply: doc is missing path: "/data/x": missing value',
  },
};

beforeAll(async () => {
  const part = {
    type: 'object',
    properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
    required: ['name'],
  };
  const spec = {
    type: 'object',
    properties: {
      size: { type: 'integer' },
      parts: { type: 'array', items: part, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    },
  };
  await define(calls, {
    group: 'mutations.example.com',
    versions: [{ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
  });
});

describe('a MutatingAdmissionPolicy: ', () => {
  test.each(Object.entries(CASES))('%s', async (_, { spec, object, path = MAPS, becomes, refused }) => {
    const { status, body } = await withPolicy(calls, 'mutating', { spec }, () =>
      post(path, object ?? { metadata: { name: 'web' } }, DRY),
    );
    if (becomes) expect(body).toMatchObject(becomes);
    const message = `policy 'p' with binding 'p' denied request: ${refused}`;
    if (refused)
      expect({ status, message: body.message, reason: body.reason, causes: body.details?.causes }).toEqual({
        status: 403,
        message,
        reason: 'Invalid',
        causes: [{ message }],
      });
  });

  it('that is not configured refuses', async () => {
    const spec = { paramKind: { apiVersion: 'v1', kind: 'Rule' }, mutations: [apply('Object{}')] };
    const { body } = await withPolicy(calls, 'mutating', { spec }, () => post(MAPS, { metadata: { name: 'x' } }));
    expect(body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Rule'`,
    });
  });
});

it('an object stays in its namespace', async () => {
  const spec = { mutations: [patch("[JSONPatch{op: 'replace', path: '/metadata/namespace', value: 'kube-system'}]")] };
  const { body } = await withPolicy(calls, 'mutating', { spec }, () => post(MAPS, { metadata: { name: 'x' } }));
  expect(body).toMatchObject({
    code: 400,
    message: 'the namespace of the provided object does not match the namespace sent on the request',
  });
});

/** Adds its letter to data.log, whatever is there. */
const logged = (letter: string) =>
  patch(`[JSONPatch{op: 'add', path: '/data', value: {'log': object.?data.log.orValue('') + '${letter}'}}]`);

/** What is in data.log after the policies of these letters. */
async function logOf(policies: Readonly<Record<string, 'Never' | 'IfNeeded'>>): Promise<unknown> {
  const names = Object.keys(policies);
  for (const name of names) {
    const spec = { reinvocationPolicy: policies[name], mutations: [logged(name)] };
    expect((await createPolicy(calls, 'mutating', name, spec)).status).toBe(201);
    expect((await createBinding(calls, 'mutating', name, {})).status).toBe(201);
  }
  const { body } = await post(MAPS, { metadata: { name: 'web' } }, DRY);
  for (const name of names)
    for (const plural of ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies'])
      await remove(`/apis/admissionregistration.k8s.io/v1/${plural}/${name}`);
  return (body.data as { log?: string } | undefined)?.log;
}

describe('reinvocation', () => {
  test.each<[Readonly<Record<string, 'Never' | 'IfNeeded'>>, string]>([
    [{ a: 'Never', b: 'Never' }, 'ab'],
    [{ a: 'IfNeeded', b: 'Never' }, 'aba'],
    [{ a: 'Never', b: 'IfNeeded' }, 'ab'],
    [{ a: 'IfNeeded', b: 'IfNeeded' }, 'abab'],
  ])('%o makes %s', async (policies, expected) => {
    expect(await logOf(policies)).toBe(expected);
  });

  it('of policies follows webhooks that change something, once', async () => {
    server().server.api.services.register('system', 'log', async ({ body }) => {
      const { request } = ((await body()) as { value: { request: { uid: string; object: UnknownObject } } }).value;
      const log = `${(request.object.data as { log?: string } | undefined)?.log ?? ''}w`;
      const operations = Buffer.from(JSON.stringify([{ op: 'add', path: '/data', value: { log } }])).toString('base64');
      return objectResponse({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch: operations },
      });
    });
    const webhook = (reinvocationPolicy: string) => ({
      name: 'log.example.com',
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      clientConfig: { service: { namespace: 'system', name: 'log' } },
      matchConditions: [{ name: 'named', expression: "object.metadata.name == 'web'" }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      reinvocationPolicy,
    });
    const configurations = server().client.of<UnknownObject>(MutatingWebhookConfiguration);
    await configurations.create({ metadata: { name: 'log' }, webhooks: [webhook('Never')] });
    expect(await logOf({ a: 'IfNeeded', b: 'Never' })).toBe('abwa');
    await configurations.patch('log', { webhooks: [webhook('IfNeeded')] }, { type: 'merge' });
    expect(await logOf({ a: 'IfNeeded', b: 'Never' })).toBe('abwaw');
    await configurations.delete('log');
  });
});
