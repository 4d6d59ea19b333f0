import { describe, expect, test } from 'vitest';
import { changeProblems, contextOf, created, problems, updated } from '../../testing/strategies.ts';
import { customResourceDefinitionStrategy as strategy } from './customResourceDefinition.ts';

const version = (name: string, storage: boolean, rest: object = {}) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...rest,
});
const definition = (spec: object = {}, rest: object = {}) => ({
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [version('v1', true)],
    ...spec,
  },
  ...rest,
});

test('a new definition gets the names it left out and knows what it stores', () => {
  expect(created(strategy, definition())).toMatchObject({
    spec: {
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      conversion: { strategy: 'None' },
    },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  });
});

describe('a definition is refused for', () => {
  test.each<[string, object, string[]]>([
    ['nothing, when it is plain', {}, []],
    [
      'a name that is not made of plural and group',
      { names: { plural: 'gadgets', kind: 'Widget' } },
      ['metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    ['no scope', { scope: '' }, ['spec.scope: Required value']],
    [
      'an unknown scope',
      { scope: 'World' },
      ['spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'two storage versions',
      { versions: [version('v1', true), version('v2', true)] },
      ['spec.versions: Invalid value: ["v1","v2"]: must have exactly one version marked as storage version'],
    ],
    [
      'no versions',
      { versions: [] },
      ['spec.versions: Invalid value: []: must have exactly one version marked as storage version'],
    ],
    [
      'one version twice',
      { versions: [version('v1', true), version('v1', false)] },
      ['spec.versions: Invalid value: ["v1","v1"]: must contain unique version names'],
    ],
    [
      'no schema',
      { versions: [version('v1', true, { schema: undefined })] },
      ['spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required'],
    ],
    [
      'a schema that does not say its type',
      { versions: [version('v1', true, { schema: { openAPIV3Schema: { properties: {} } } })] },
      ['spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root'],
    ],
    [
      'one name for the kind and its list',
      { names: { plural: 'widgets', kind: 'Widget', listKind: 'Widget' } },
      ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
    ],
    [
      'a webhook that nobody can reach',
      { conversion: { strategy: 'Webhook', webhook: {} } },
      [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        'spec.conversion.conversionReviewVersions: Required value',
      ],
    ],
    [
      'a scale outside spec and status',
      {
        versions: [
          version('v1', true, {
            subresources: { scale: { specReplicasPath: '.replicas', statusReplicasPath: '.status.n' } },
          }),
        ],
      },
      ['spec.subresources.scale.specReplicasPath: Invalid value: ".replicas": should be a json path under .spec'],
    ],
    [
      'columns that cannot be printed',
      { versions: [version('v1', true, { additionalPrinterColumns: [{ name: 'Age', type: 'time' }] })] },
      [
        'spec.additionalPrinterColumns[0].type: Unsupported value: "time": supported values: "boolean", "date", "integer", "number", "string"',
        'spec.additionalPrinterColumns[0].jsonPath: Required value',
      ],
    ],
    [
      'keeping whatever comes',
      { preserveUnknownFields: true },
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
  ])('%s', (_, spec, expected) => {
    expect(problems(strategy, definition(spec))).toEqual(expected);
  });

  test('a group of Kubernetes itself without approval', () => {
    const protectedGroup = { ...definition({ group: 'x.k8s.io' }), metadata: { name: 'widgets.x.k8s.io' } };
    expect(problems(strategy, protectedGroup)).toEqual([
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ]);
  });
});

describe('an update', () => {
  const established = { status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] } };

  test('remembers every version that was ever stored', () => {
    const now = definition({ versions: [version('v1', false), version('v2', true)] }, established);
    const after = updated(strategy, now, definition({}, established));
    expect(after.status).toMatchObject({ storedVersions: ['v1', 'v2'] });
    expect(problems(strategy, after)).toEqual([]);
  });

  test('cannot drop a version that may still be stored', () => {
    expect(problems(strategy, definition({ versions: [version('v2', true)] }, established))).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });

  test('cannot rename what clients know', () => {
    const now = definition({ scope: 'Cluster', names: { plural: 'widgets', kind: 'Gadget' } });
    expect(changeProblems(strategy, now, definition())).toEqual([]);
    expect(changeProblems(strategy, now, definition({}, established))).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Gadget": field is immutable',
    ]);
  });

  test('of the status is checked for what it stores alone', () => {
    const broken = definition({ versions: [version('v1', false)] }, { status: { storedVersions: ['v1'] } });
    expect(problems(strategy, broken, contextOf({ subresource: 'status' }))).toEqual([]);
  });
});
