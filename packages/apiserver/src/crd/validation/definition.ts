/** What a CustomResourceDefinition is refused for, in the order and the words of the original. */
import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  type FieldError,
  field,
  isConditionTrue,
} from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { newAllowance } from '../../rules/allowance.ts';
import { each, oneOf } from '../../strategies/fields.ts';
import type { Crd } from '../types.ts';
import { approvalErrors } from './approval.ts';
import { conversionErrors } from './conversion.ts';
import { versionForm } from './goForm.ts';
import { type HubSpec, hubSpec } from './hub.ts';
import { groupErrors, nameErrors, requiredNameErrors, versionNameErrors } from './names.ts';
import { columnErrors, deprecationErrors, selectableFieldErrors, subresourceErrors, unselectable } from './parts.ts';
import { schemaErrors } from './schema.ts';
import { anySchema, toleranceOf } from './tolerance.ts';

type Spec = NonNullable<CustomResourceDefinition['spec']>;
type Version = CustomResourceDefinitionVersion;

/** @param old what is stored; undefined for a new definition */
export function definitionErrors(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  const { metadata, spec = {} as Spec, status } = definition;
  return [
    ...(old ? [] : objectNameErrors(metadata, `${spec.names?.plural ?? ''}.${spec.group ?? ''}`)),
    ...specErrors(spec, old),
    ...statusErrors(definition),
    ...storedVersionErrors(status?.storedVersions ?? [], spec.versions ?? []),
    ...approvalErrors(definition as Crd, spec.group ?? '', old as Crd | undefined),
    ...(spec.preserveUnknownFields && !old?.spec?.preserveUnknownFields
      ? [field.invalid('spec.preserveUnknownFields', true, CANNOT_PRESERVE)]
      : []),
  ];
}

const CANNOT_PRESERVE =
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';

function objectNameErrors({ name, generateName }: Crd['metadata'], wanted: string): FieldError[] {
  const check = (value: string | undefined, at: string): FieldError[] =>
    value && value !== wanted ? [field.invalid(at, value, 'must be spec.names.plural+"."+spec.group')] : [];
  return [...check(generateName, 'metadata.generateName'), ...check(name, 'metadata.name')];
}

/** What a write of the status is refused for. */
export const statusErrors = ({ status }: CustomResourceDefinition): FieldError[] =>
  nameErrors(status?.acceptedNames ?? {}, 'status.acceptedNames');

function storedVersionErrors(stored: readonly string[], versions: readonly Version[]): FieldError[] {
  const at = 'status.storedVersions';
  if (stored.length === 0) return [field.invalid(at, null, 'must have at least one stored version')];
  const names = new Set(versions.map(({ name }) => name));
  return [
    ...versions
      .filter(({ name, storage }) => storage && !stored.includes(name))
      .map(({ name }) => field.invalid(at, stored, `must have the storage version ${name}`)),
    ...each(stored, at, (version, path) =>
      names.has(version) ? [] : [field.invalid(path, version, stillStoredMessage(version))],
    ),
  ];
}

const stillStoredMessage = (version: string): string =>
  `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a ` +
  `storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;

function specErrors(spec: Spec, old: CustomResourceDefinition | undefined): FieldError[] {
  const hub = hubSpec(spec);
  const { group = '', scope, names = {}, conversion, preserveUnknownFields } = spec as Partial<Spec>;
  const isWebhook = conversion !== undefined && conversion.strategy !== 'None';
  return [
    ...groupErrors(group, 'spec.group'),
    ...oneOf('spec.scope', scope, ['Cluster', 'Namespaced'], 'required'),
    ...missingSchemas(hub),
    ...(preserveUnknownFields && hasDefaults(spec)
      ? [field.invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')]
      : []),
    ...versionsErrors(hub, spec.versions, old),
    ...requiredNameErrors(names, 'spec.names'),
    ...nameErrors(names, 'spec.names'),
    ...topErrors(hub, old),
    ...(isWebhook && preserveUnknownFields
      ? [
          field.invalid(
            'spec.conversion.strategy',
            conversion.strategy ?? '',
            'must be None if spec.preserveUnknownFields is true',
          ),
        ]
      : []),
    ...conversionErrors(conversion, 'spec.conversion', {
      old: old?.spec?.conversion,
      isEstablished: isConditionTrue(old, 'Established'),
    }),
  ];
}

function missingSchemas({ top, versions }: HubSpec): FieldError[] {
  if (top.schema?.openAPIV3Schema) return [];
  return each(versions, 'spec.versions', ({ schema }, path) =>
    schema?.openAPIV3Schema ? [] : [field.required(`${path}.schema.openAPIV3Schema`)],
  );
}

const hasDefaults = ({ versions = [] }: Partial<Spec>): boolean =>
  versions.some(
    ({ schema }) =>
      schema?.openAPIV3Schema &&
      anySchema(schema.openAPIV3Schema, (inner) => (inner.default ?? undefined) !== undefined),
  );

function versionsErrors(
  { top, versions }: HubSpec,
  written: readonly Version[] | undefined,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  const names = versions.map(({ name }) => name);
  const refuse = (why: string): FieldError =>
    field.invalid('spec.versions', written ? versions.map(versionForm) : null, why);
  const allowance = newAllowance();
  return [
    ...each(versions, 'spec.versions', (version, path) => {
      const { schema: { openAPIV3Schema: schema } = {}, selectableFields = [], subresources, name } = version;
      const hasStatus = (top.subresources ?? subresources)?.status !== undefined;
      const before = old?.spec?.versions?.find((each) => each.name === name);
      return [
        ...versionNameErrors(name ?? '', `${path}.name`),
        ...deprecationErrors(version, path),
        ...(schema && !isUnchanged(version, top, before)
          ? schemaErrors(schema, `${path}.schema`, { hasStatus, tolerance: toleranceOf(old), allowance })
          : []),
        ...subresourceErrors(subresources, `${path}.subresources`),
        ...columnErrors(version.additionalPrinterColumns, `${path}.additionalPrinterColumns`),
        ...selectableErrors(selectableFields, schema, path, before),
      ];
    }),
    ...(new Set(names).size === names.length ? [] : [refuse('must contain unique version names')]),
    ...(versions.filter(({ storage }) => storage).length === 1
      ? []
      : [refuse('must have exactly one version marked as storage version')]),
    ...(names[0] ? versionNameErrors(names[0], 'spec.version') : []),
  ];
}

/** Whether a schema is the one that was checked when it was stored. */
const isUnchanged = (version: Version, top: HubSpec['top'], old: Version | undefined): boolean =>
  old?.schema !== undefined &&
  deepEqual(version.schema ?? top.schema, old.schema) &&
  ((version.subresources ?? top.subresources)?.status !== undefined) === (old.subresources?.status !== undefined);

function selectableErrors(
  selectable: NonNullable<Version['selectableFields']>,
  schema: NonNullable<Version['schema']>['openAPIV3Schema'],
  path: string,
  before: Version | undefined,
): FieldError[] {
  if (selectable.length === 0) return [];
  const at = `${path}.selectableFields`;
  if (!schema) {
    return [field.invalid(at, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')];
  }
  const errors = unselectable(schema, `${path}.schema.openAPIV3Schema`);
  if (errors.length > 0) return errors;
  return selectableFieldErrors(selectable, schema, at, deepEqual(selectable, before?.selectableFields));
}

/** What all versions share. */
function topErrors({ top, versions }: HubSpec, old: CustomResourceDefinition | undefined): FieldError[] {
  const { schema: { openAPIV3Schema: schema } = {}, subresources, additionalPrinterColumns } = top;
  const { selectableFields = [] } = top;
  const oldVersions = old?.spec?.versions ?? [];
  const beforeOf = (name: string): Version | undefined => oldVersions.find((each) => each.name === name);
  const isKnown = versions.every((version) => isUnchanged(version, top, beforeOf(version.name)));
  const hasStatus = [top, ...versions].some((each) => each.subresources?.status !== undefined);
  const options = () => ({ hasStatus, tolerance: toleranceOf(old), allowance: newAllowance() });
  return [
    ...(schema && !isKnown ? schemaErrors(schema, 'spec.validation', options()) : []),
    ...subresourceErrors(subresources, 'spec.subresources'),
    ...columnErrors(additionalPrinterColumns, 'spec.additionalPrinterColumns'),
    ...topSelectableErrors(selectableFields, top, beforeOf(versions[0]?.name ?? '')),
  ];
}

function topSelectableErrors(
  selectable: NonNullable<Version['selectableFields']>,
  { schema }: HubSpec['top'],
  before: Version | undefined,
): FieldError[] {
  if (selectable.length === 0) return [];
  const at = 'spec.selectableFields';
  if (!schema) return [field.invalid(at, '', 'may only be set when validations.schema is included')];
  const errors = unselectable(schema.openAPIV3Schema ?? {}, 'spec.schema.openAPIV3Schema');
  if (errors.length > 0) return errors;
  const mayBeMany = deepEqual(selectable, before?.selectableFields);
  return selectableFieldErrors(selectable, schema.openAPIV3Schema ?? {}, at, mayBeMany);
}
