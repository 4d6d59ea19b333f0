import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionStatus,
  isConditionTrue,
  withCondition,
} from '@vireo/api';
import { CLEANUP_FINALIZER, type CrdCondition } from '../../crd/types.ts';
import { definitionErrors, statusErrors } from '../../crd/validation/definition.ts';
import { unrecognizedFormats } from '../../crd/validation/formats.ts';
import { defineStrategy } from '../define.ts';
import { immutable } from '../immutable.ts';
import type { StrategyContext } from '../strategy.ts';

export const customResourceDefinitionStrategy = defineStrategy<CustomResourceDefinition>({
  plainDeletion: true,
  unconditionalUpdate: false,

  prepareForCreate(definition) {
    fillNames(definition);
    definition.status = emptyStatus(storageVersion(definition));
  },

  prepareForUpdate(definition, _old, { subresource }) {
    const storage = storageVersion(definition);
    const stored = definition.status?.storedVersions ?? [];
    const isForgotten = subresource === 'status' && stored.length === 0;
    // From now on objects may be stored in this version too; which ones are, only a migration can tell.
    const isNew = subresource === '' && storage !== undefined && !stored.includes(storage);
    if (storage && (isForgotten || isNew)) {
      definition.status = { ...definition.status, storedVersions: [...stored, storage] };
    }
    if (subresource === '') fillNames(definition);
  },

  validate(definition, { subresource, lookup }) {
    return subresource === 'status'
      ? statusErrors(definition)
      : definitionErrors(definition, storedDefinition(definition, lookup));
  },

  /** Once clients know the kind by its names, they stay. */
  validateUpdate({ spec }, { spec: old, status }) {
    const established = isConditionTrue({ status }, 'Established');
    return [
      ...(established
        ? [
            ...immutable('spec.scope', spec?.scope, old?.scope),
            ...immutable('spec.names.kind', spec?.names?.kind, old?.names?.kind),
          ]
        : []),
      ...immutable('spec.group', spec?.group, old?.group),
      ...immutable('spec.names.plural', spec?.names?.plural, old?.names?.plural),
    ];
  },

  /** Formats that nobody checks, unless the definition had them before. */
  warnings(definition, { subresource, lookup }) {
    if (subresource !== '') return [];
    const formats = unrecognizedFormats(definition);
    const known = unrecognizedFormats(formats.size === 0 ? undefined : storedDefinition(definition, lookup));
    return [...formats]
      .filter((format) => !known.has(format))
      .map((format) => `unrecognized format ${JSON.stringify(format)}`);
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

const storedDefinition = ({ metadata }: CustomResourceDefinition, lookup: StrategyContext['lookup']) =>
  lookup.get('apiextensions.k8s.io', 'customresourcedefinitions', undefined, metadata.name ?? '') as
    | CustomResourceDefinition
    | undefined;

/** What a definition says before the controller has looked at it; null is how Go prints a list that nobody made. */
const emptyStatus = (storage: string | undefined): CustomResourceDefinitionStatus =>
  ({
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storage === undefined ? null : [storage],
  }) as unknown as CustomResourceDefinitionStatus;

const storageVersion = ({ spec }: CustomResourceDefinition): string | undefined =>
  spec?.versions?.find(({ storage }) => storage)?.name;

function fillNames(definition: CustomResourceDefinition): void {
  const { spec } = definition;
  if (!spec) return;
  const { kind = '', singular, listKind } = spec.names ?? {};
  definition.spec = {
    ...spec,
    names: {
      ...spec.names,
      ...(!singular && kind && { singular: kind.toLowerCase() }),
      ...(!listKind && kind && { listKind: `${kind}List` }),
    },
    conversion: spec.conversion ?? { strategy: 'None' },
  };
}
