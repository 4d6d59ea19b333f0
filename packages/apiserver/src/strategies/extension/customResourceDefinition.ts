import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionStatus,
  type CustomResourceDefinitionVersion,
  type FieldError,
  field,
  isConditionTrue,
  withCondition,
} from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { dns1035Label } from '@vireo/api/names.ts';
import { CLEANUP_FINALIZER, type CrdCondition } from '../../crd/types.ts';
import { type Allowance, newAllowance } from '../../rules/allowance.ts';
import { ruleErrors } from '../../rules/definition.ts';
import { validateStructural } from '../../schema/structural.ts';
import { defineStrategy } from '../define.ts';
import { each, invalidFor, oneOf, requiredText } from '../fields.ts';
import { immutable } from '../immutable.ts';
import { validateGroup, validateNames } from './customResourceNames.ts';
import { validateConversion } from './webhookClient.ts';

export const customResourceDefinitionStrategy = defineStrategy<CustomResourceDefinition>({
  plainDeletion: true,
  unconditionalUpdate: false,

  prepareForCreate(definition) {
    fillNames(definition);
    definition.status = emptyStatus(storageVersion(definition));
  },

  prepareForUpdate(definition, _old, { subresource }) {
    if (subresource !== '') return;
    fillNames(definition);
    // From now on objects may be stored in this version too; which ones are, only a migration can tell.
    const storage = storageVersion(definition);
    const stored = definition.status?.storedVersions ?? [];
    if (storage && !stored.includes(storage)) {
      definition.status = { ...definition.status, storedVersions: [...stored, storage] };
    }
  },

  validate(definition, { subresource, lookup }) {
    const { metadata, spec, status } = definition;
    const served = new Set((spec?.versions ?? []).map(({ name }) => name));
    const stored = each(status?.storedVersions, 'status.storedVersions', (version, path) =>
      served.has(version) ? [] : [field.invalid(path, version, stillStoredMessage(version))],
    );
    if (subresource === 'status') return stored;
    const old = lookup.get('apiextensions.k8s.io', 'customresourcedefinitions', undefined, metadata.name ?? '');
    return [...validateSpec(definition, old as CustomResourceDefinition | undefined), ...stored];
  },

  /** Once clients know the kind by its names, they stay. */
  validateUpdate({ spec }, { spec: old, status }) {
    const established = isConditionTrue({ status }, 'Established');
    return [
      ...immutable('spec.group', spec?.group, old?.group),
      ...immutable('spec.names.plural', spec?.names?.plural, old?.names?.plural),
      ...(established
        ? [
            ...immutable('spec.scope', spec?.scope, old?.scope),
            ...immutable('spec.names.kind', spec?.names?.kind, old?.names?.kind),
          ]
        : []),
    ];
  },

  /** Its objects go first: the controller deletes them and then takes the finalizer away. */
  beginDelete(definition) {
    const { metadata, status } = definition;
    const finalizers = metadata.finalizers ?? [];
    if (!finalizers.includes(CLEANUP_FINALIZER)) metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
    definition.status = { ...status, conditions: withCondition(status?.conditions, DELETION_PENDING, new Date()) };
  },

  holdsDeletion: ({ metadata }) => metadata.deletionTimestamp === undefined,
});

const DELETION_PENDING: CrdCondition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
};

/** What a definition says before the controller has looked at it; null is how Go prints a list that nobody made. */
const emptyStatus = (storage: string | undefined): CustomResourceDefinitionStatus =>
  ({
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storage === undefined ? null : [storage],
  }) as unknown as CustomResourceDefinitionStatus;

const stillStoredMessage = (version: string): string =>
  `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a ` +
  `storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;

const storageVersion = ({ spec }: CustomResourceDefinition): string | undefined =>
  spec?.versions?.find(({ storage }) => storage)?.name;

function fillNames(definition: CustomResourceDefinition): void {
  const { spec } = definition;
  if (!spec?.names?.kind) return;
  definition.spec = {
    ...spec,
    names: {
      ...spec.names,
      singular: spec.names.singular || spec.names.kind.toLowerCase(),
      listKind: spec.names.listKind || `${spec.names.kind}List`,
    },
    conversion: spec.conversion ?? { strategy: 'None' },
  };
}

function validateSpec(
  { metadata, spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  if (!spec) return [field.required('spec')];
  const expectedName = `${spec.names?.plural ?? ''}.${spec.group ?? ''}`;
  return [
    ...(metadata.name === expectedName
      ? []
      : [field.invalid('metadata.name', metadata.name ?? '', 'must be spec.names.plural+"."+spec.group')]),
    ...validateGroup(spec.group, metadata.annotations),
    ...oneOf('spec.scope', spec.scope, ['Cluster', 'Namespaced'], 'required'),
    ...validateNames(spec.names, 'spec.names'),
    ...validateVersions(spec.versions ?? [], old?.spec?.versions ?? []),
    ...validateConversion(spec.conversion, 'spec.conversion'),
    ...(spec.preserveUnknownFields
      ? [
          field.invalid(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
  ];
}

function validateVersions(
  versions: readonly CustomResourceDefinitionVersion[],
  old: readonly CustomResourceDefinitionVersion[],
): FieldError[] {
  const names = versions.map(({ name }) => name);
  return [
    ...each(versions, 'spec.versions', ({ name, deprecated, deprecationWarning }, path) => [
      ...requiredText(`${path}.name`, name),
      ...(name ? invalidFor(`${path}.name`, name, dns1035Label(name)) : []),
      ...(deprecationWarning !== undefined && !deprecated
        ? [field.invalid(`${path}.deprecationWarning`, deprecationWarning, 'can only be set for deprecated versions')]
        : []),
    ]),
    ...parts.flatMap((part) => validatePart(part, versions, old)),
    ...(new Set(names).size === names.length
      ? []
      : [field.invalid('spec.versions', names, 'must contain unique version names')]),
    ...(versions.filter(({ storage }) => storage).length === 1
      ? []
      : [field.invalid('spec.versions', names, 'must have exactly one version marked as storage version')]),
  ];
}

type Version = CustomResourceDefinitionVersion;

/** A part of a version that Kubernetes moves up where it is the same in all versions, and reports there. */
interface Part {
  readonly of: (version: Version) => unknown;
  /** Where it stands if it is the same in all versions, and below a version otherwise. */
  readonly shared: string;
  readonly own: string;
  readonly validate: (version: Version, path: string, old: Version | undefined, allowance: Allowance) => FieldError[];
}

const parts: readonly Part[] = [
  { of: ({ schema }) => schema, shared: 'spec.validation', own: 'schema', validate: validateSchema },
  {
    of: ({ subresources }) => subresources,
    shared: 'spec.subresources',
    own: 'subresources',
    validate: ({ subresources }, path) => {
      const scale = subresources?.scale;
      if (!scale) return [];
      return [
        ...replicasPath(scale.specReplicasPath, '.spec.', `${path}.scale.specReplicasPath`),
        ...replicasPath(scale.statusReplicasPath, '.status.', `${path}.scale.statusReplicasPath`),
      ];
    },
  },
  {
    of: ({ additionalPrinterColumns }) => additionalPrinterColumns,
    shared: 'spec.additionalPrinterColumns',
    own: 'additionalPrinterColumns',
    validate: ({ additionalPrinterColumns }, path) =>
      each(additionalPrinterColumns, path, (column, at) => [
        ...requiredText(`${at}.name`, column.name),
        ...(column.type
          ? oneOf(`${at}.type`, column.type, ['boolean', 'date', 'integer', 'number', 'string'])
          : [field.required(`${at}.type`, 'must be one of boolean,date,integer,number,string')]),
        ...requiredText(`${at}.jsonPath`, column.jsonPath),
      ]),
  },
  {
    of: ({ selectableFields }) => selectableFields,
    shared: 'spec.selectableFields',
    own: 'selectableFields',
    validate: ({ selectableFields }, path) =>
      each(selectableFields, path, (selectable, at) => requiredText(`${at}.jsonPath`, selectable.jsonPath)),
  },
];

function validatePart(part: Part, versions: readonly Version[], old: readonly Version[]): FieldError[] {
  const [first] = versions;
  const allowance = newAllowance();
  const oldOf = (version: Version) => old.find(({ name }) => name === version.name);
  const isShared =
    part.of(first ?? ({} as Version)) &&
    versions.every((version) => deepEqual(part.of(version), part.of(first as Version)));
  if (first && isShared) return part.validate(first, part.shared, oldOf(first), allowance);
  return each(versions, 'spec.versions', (version, path) =>
    part.validate(version, `${path}.${part.own}`, oldOf(version), allowance),
  );
}

/** Rules are compiled where nothing else is wrong with the schema, and once: what is stored was compiled before. */
function validateSchema(
  { schema }: Version,
  path: string,
  old: Version | undefined,
  allowance: Allowance,
): FieldError[] {
  const at = `${path}.openAPIV3Schema`;
  if (!schema?.openAPIV3Schema) return [field.required(at, 'schemas are required')];
  const errors = validateStructural(schema.openAPIV3Schema, at, allowance);
  if (deepEqual(schema, old?.schema)) return errors;
  return [...errors, ...ruleErrors(schema.openAPIV3Schema, at, errors.length === 0, allowance)];
}

function replicasPath(value: string | undefined, prefix: string, path: string): FieldError[] {
  if (!value) return [field.required(path)];
  return value.startsWith(prefix)
    ? []
    : [field.invalid(path, value, `should be a json path under ${prefix.slice(0, -1)}`)];
}
