import type { UnknownObject } from '@vireo/api';
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

const NO_LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const CLIENT = 'spec.conversion.webhookClientConfig';
const FIELDS = 'spec.selectableFields';
const webhook = (clientConfig: object, ...conversionReviewVersions: string[]) => ({
  strategy: 'Webhook',
  webhook: { clientConfig, conversionReviewVersions },
});
const SELECTABLE = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      a: { type: 'string' },
      o: { type: 'object' },
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
    },
  },
};
/** A version as errors show it, without what all versions share. */
const goVersion = (name: string, isStorage: boolean): string =>
  `{"Name":"${name}","Served":true,"Storage":${isStorage},"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}`;

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
      'a group that is no domain',
      { group: 'Example_Com' },
      [
        'metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group',
        `spec.group: Invalid value: "Example_Com": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ],
    [
      'no names',
      { names: {} },
      [
        'metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group',
        'spec.names.plural: Required value',
        'spec.names.singular: Required value',
        'spec.names.kind: Required value',
        'spec.names.listKind: Required value',
      ],
    ],
    [
      'two storage versions',
      { versions: [version('v1', true), version('v2', true)] },
      [
        `spec.versions: Invalid value: [${goVersion('v1', true)},${goVersion('v2', true)}]: must have exactly one version marked as storage version`,
        'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
      ],
    ],
    [
      'no versions',
      { versions: [] },
      [
        'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
        'status.storedVersions: Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      'one version twice',
      { versions: [version('v1', true), version('v1', false)] },
      [
        `spec.versions: Invalid value: [${goVersion('v1', true)},${goVersion('v1', false)}]: must contain unique version names`,
      ],
    ],
    [
      'a version without a name',
      { versions: [version('', true)] },
      [`spec.versions[0].name: Invalid value: "": ${NO_LABEL}`],
    ],
    [
      'a version with a bad name, twice',
      { versions: [version('V1', true)] },
      [`spec.versions[0].name: Invalid value: "V1": ${NO_LABEL}`, `spec.version: Invalid value: "V1": ${NO_LABEL}`],
    ],
    [
      'no schema',
      { versions: [version('v1', true, { schema: undefined })] },
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'a schema of one of two versions, where it is',
      {
        versions: [
          version('v1', true),
          version('v2', false, { schema: { openAPIV3Schema: { type: 'object', nullable: true } } }),
        ],
      },
      ['spec.versions[1].schema.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root'],
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
      'a webhook that nobody calls',
      { conversion: { strategy: 'None', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } } },
      [
        'spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
        'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
      ],
    ],
    [
      'a webhook that speaks nothing known, in the clear',
      { conversion: webhook({ url: 'http://a:b@x#y' }, 'v9', 'v9', 'V') },
      [
        `${CLIENT}.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
        `${CLIENT}.url: Invalid value: "a:b": user information is not permitted in the URL`,
        `${CLIENT}.url: Invalid value: "y": fragments are not permitted in the URL`,
        'spec.conversion.conversionReviewVersions[1]: Invalid value: "v9": duplicate version',
        `spec.conversion.conversionReviewVersions[2]: Invalid value: "V": ${NO_LABEL}`,
        'spec.conversion.conversionReviewVersions: Invalid value: ["v9","v9","V"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      'a Service without a name, of which the namespace is missed',
      { conversion: webhook({ service: { namespace: 'a', port: 0, path: 'a//b' } }, 'v1') },
      [
        `${CLIENT}.service.namespace: Required value`,
        `${CLIENT}.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
        `${CLIENT}.service.path: Invalid value: "a//b": must start with a '/'`,
        `${CLIENT}.service.path: Invalid value: "a//b": segment[0] may not be empty`,
        `${CLIENT}.service.path: Invalid value: "a//b": segment[1] may not be empty`,
      ],
    ],
    [
      'a scale outside spec and status',
      {
        versions: [
          version('v1', true, {
            subresources: {
              scale: { specReplicasPath: 'spec.n', statusReplicasPath: '.n', labelSelectorPath: '.other' },
            },
          }),
        ],
      },
      [
        'spec.subresources.scale.specReplicasPath: Invalid value: "spec.n": must be a simple json path starting with .',
        'spec.subresources.scale.statusReplicasPath: Invalid value: ".n": should be a json path under .status',
        'spec.subresources.scale.labelSelectorPath: Invalid value: ".other": should be a json path under either .spec or .status',
      ],
    ],
    [
      'columns that cannot be printed',
      {
        versions: [
          version('v1', true, {
            additionalPrinterColumns: [
              { name: 'Age', type: 'time' },
              { name: '', type: '', format: 'x', jsonPath: 'a' },
            ],
          }),
        ],
      },
      [
        'spec.additionalPrinterColumns[0].type: Invalid value: "time": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].JSONPath: Required value',
        'spec.additionalPrinterColumns[1].name: Required value',
        'spec.additionalPrinterColumns[1].type: Required value: must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[1].format: Invalid value: "x": must be one of byte,date,date-time,double,float,int32,int64,password',
        'spec.additionalPrinterColumns[1].JSONPath: Invalid value: "a": must be a simple json path starting with .',
      ],
    ],
    [
      'fields that nobody can select',
      {
        versions: [
          version('v1', true, {
            schema: SELECTABLE,
            selectableFields: ['', 'a', '.a[0]', '.b', '.o', '.a', '.a', '.metadata.name'].map((jsonPath) => ({
              jsonPath,
            })),
          }),
        ],
      },
      [
        `${FIELDS}[0].jsonPath: Required value`,
        `${FIELDS}[1].jsonPath: Invalid value: "a": is an invalid path: expected [ or . but got: a`,
        `${FIELDS}[2].jsonPath: Invalid value: ".a[0]": is an invalid path: array notation is not allowed`,
        `${FIELDS}[3].jsonPath: Invalid value: ".b": is an invalid path: does not refer to a valid field`,
        `${FIELDS}[4].jsonPath: Invalid value: ".o": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.`,
        `${FIELDS}[6].jsonPath: Duplicate value: ".a"`,
        `${FIELDS}[7].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata`,
      ],
    ],
    [
      'fields to select by without a schema beside them',
      {
        versions: [
          version('v1', true, { schema: SELECTABLE, selectableFields: [{ jsonPath: '.a' }] }),
          version('v2', false, { schema: SELECTABLE }),
        ],
      },
      [
        'spec.versions[0].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
      ],
    ],
    [
      'warnings that nobody can print',
      {
        versions: [
          version('v1', true, { deprecationWarning: 'x' }),
          version('v2', false, { deprecated: true, deprecationWarning: '' }),
          version('v3', false, { deprecated: true, deprecationWarning: `é\n${'x'.repeat(256)}` }),
        ],
      },
      [
        'spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions',
        'spec.versions[1].deprecationWarning: Invalid value: "": must not be an empty string',
        `spec.versions[2].deprecationWarning: Invalid value: "é\\n${'x'.repeat(256)}": must be <= 256 characters long`,
        `spec.versions[2].deprecationWarning: Invalid value: "é\\n${'x'.repeat(256)}": must only contain printable UTF-8 characters; non-printable character found at index 2`,
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
    expect(problems(strategy, created(strategy, definition(spec)))).toEqual(expected);
  });

  test('a group of Kubernetes itself without approval', () => {
    const protectedGroup = { ...definition({ group: 'x.k8s.io' }), metadata: { name: 'widgets.x.k8s.io' } };
    expect(problems(strategy, created(strategy, protectedGroup))).toEqual([
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
    const now = definition({ versions: [version('v2', true)] }, established);
    const kept = definition(
      {},
      { ...established, apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    );
    const context = contextOf({ stored: [kept as unknown as UnknownObject] });
    expect(problems(strategy, updated(strategy, now, kept), context)).toEqual([
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

  test('of the status is checked for the names alone', () => {
    const broken = definition({ versions: [] }, { status: { storedVersions: ['v1'], acceptedNames: { plural: 'A' } } });
    expect(problems(strategy, broken, contextOf({ subresource: 'status' }))).toEqual([
      `status.acceptedNames.plural: Invalid value: "A": ${NO_LABEL}`,
    ]);
  });

  const stored = (spec: object) =>
    contextOf({
      stored: [
        definition(spec, {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
        }) as unknown as UnknownObject,
      ],
    });
  const withSchema = (properties: object) => ({
    versions: [version('v1', true, { schema: { openAPIV3Schema: { type: 'object', properties } } })],
  });

  test('may leave a schema as it was, and make the same mistake again', () => {
    const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } };
    const old = withSchema({ set, wrong: {} });
    const draft = (spec: object) => updated(strategy, definition(spec), definition(old));
    expect(problems(strategy, draft(old), stored(old))).toEqual([]);
    expect(problems(strategy, draft(withSchema({ set, other: set })), stored(old))).toEqual([]);
    expect(problems(strategy, draft(withSchema({ set })), stored(withSchema({})))).toEqual([
      'spec.validation.openAPIV3Schema.properties[set].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ]);
  });

  test('warns of formats that nobody checks, if they are new', () => {
    const formats = (...names: string[]) =>
      withSchema(Object.fromEntries(names.map((format) => [format, { type: 'string', format }])));
    const warnings = (now: object, context = contextOf()) =>
      strategy.warnings?.(definition(now) as unknown as UnknownObject, context);
    expect(warnings(formats('date-time', 'uuid', 'password', 'nonsense', 'quantity'))).toEqual([
      'unrecognized format "nonsense"',
      'unrecognized format "quantity"',
    ]);
    expect(warnings(formats('nonsense', 'int32'), stored(formats('nonsense')))).toEqual([
      'unrecognized format "int32"',
    ]);
  });
});
