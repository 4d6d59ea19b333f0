import { type FieldError, field, type PersistentVolumeClaim, type PersistentVolumeClaimSpec } from '@vireo/api';
import { compareQuantities } from '@vireo/api/quantity.ts';
import { type Amount, type Amounts, isPositive, isQuantity } from '../amounts.ts';
import { defineStrategy } from '../define.ts';
import { oneOf, requiredText } from '../fields.ts';
import { differences, sameValue } from '../immutable.ts';
import { validateLabelSelector } from '../selectors.ts';
import type { Lookup } from '../strategy.ts';

export const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES = ['Block', 'Filesystem'];
const STORAGE = 'spec.resources[storage]';

export const persistentVolumeClaimStrategy = defineStrategy<PersistentVolumeClaim>({
  prepareForCreate(claim) {
    claim.status = { phase: 'Pending' };
    dropUnknownSource(claim.spec);
    mirrorSources(claim.spec);
  },

  prepareForUpdate(claim, old, { subresource }) {
    if (subresource === 'status') return;
    // What was stored before keeps the one field that it has.
    if (!!old.spec?.dataSource === !!old.spec?.dataSourceRef) mirrorSources(claim.spec);
  },

  validate({ spec }, { subresource }) {
    if (subresource === 'status') return [];
    return validateClaimSpec(spec ?? {});
  },

  validateUpdate(claim, old, { subresource, lookup }) {
    if (subresource === 'status') return [];
    const spec = claim.spec ?? {};
    const expected = allowedResult(spec, old);
    if (!sameValue(spec, expected)) {
      const what = differences('spec', spec, expected).join('\n');
      return [
        field.forbidden(
          'spec',
          'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound ' +
            `claims\n${what}`,
        ),
      ];
    }
    return validateResize(claim, old, lookup);
  },
});

export const validateAccessModes = (modes: readonly string[] = [], path: string): FieldError[] => [
  ...modes.flatMap((mode) => oneOf(path, mode, ACCESS_MODES, 'required')),
  ...(modes.includes('ReadWriteOncePod') && modes.length > 1
    ? [field.forbidden(path, 'may not use ReadWriteOncePod with other access modes')]
    : []),
];

const validateClaimSpec = (spec: PersistentVolumeClaimSpec): FieldError[] => [
  ...((spec.accessModes ?? []).length === 0
    ? [field.required('spec.accessModes', 'at least 1 access mode is required')]
    : validateAccessModes(spec.accessModes, 'spec.accessModes')),
  ...validateStorage(spec.resources?.requests?.storage),
  ...validateLabelSelector(spec.selector, 'spec.selector'),
  ...oneOf('spec.volumeMode', spec.volumeMode, VOLUME_MODES),
  ...validateSource(spec.dataSource, 'spec.dataSource'),
  ...validateSource(spec.dataSourceRef, 'spec.dataSourceRef'),
  ...validateSources(spec),
];

type Source = NonNullable<PersistentVolumeClaimSpec['dataSource']>;

/** The older field is for two kinds only, and drops what is of any other; the newer keeps everything. */
function dropUnknownSource(spec: PersistentVolumeClaimSpec | undefined): void {
  const { apiGroup = '', kind } = spec?.dataSource ?? {};
  const isKnown =
    (apiGroup === '' && kind === 'PersistentVolumeClaim') ||
    (apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot');
  // What could be no reference at all is for validation to refuse.
  if (spec?.dataSource && kind && apiGroup !== '' && !isKnown) delete spec.dataSource;
}

/** Whoever reads only one of the two fields sees the same, unless the source is in another namespace. */
function mirrorSources(spec: PersistentVolumeClaimSpec | undefined): void {
  if (!spec || namespaceOf(spec.dataSourceRef)) return;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  if (dataSourceRef && !dataSource) spec.dataSource = withoutNamespace(dataSourceRef);
}

const namespaceOf = (source: Source | undefined): string | undefined =>
  (source as { namespace?: string } | undefined)?.namespace;

const withoutNamespace = ({ apiGroup, kind, name }: Source): Source => ({
  ...(apiGroup !== undefined && { apiGroup }),
  kind,
  name,
});

function validateSources({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec): FieldError[] {
  if (!dataSource || !dataSourceRef) return [];
  if (namespaceOf(dataSourceRef))
    return [
      field.invalid(
        'spec.dataSource',
        dataSource.name,
        'may not be specified when dataSourceRef.namespace is specified',
      ),
    ];
  const key = ({ apiGroup = '', kind, name }: Source): string => JSON.stringify([apiGroup, kind, name]);
  return key(dataSource) === key(dataSourceRef)
    ? []
    : [field.invalid('spec', 'spec.dataSource', 'must match dataSourceRef')];
}

function validateStorage(amount: Amount | undefined): FieldError[] {
  if (amount === undefined) return [field.required(STORAGE)];
  const positive = isPositive(amount);
  return positive ? [] : [field.invalid(STORAGE, String(amount), 'must be greater than zero')];
}

function validateSource(
  source: { name?: string; kind?: string; apiGroup?: string } | undefined,
  path: string,
): FieldError[] {
  if (!source) return [];
  return [
    ...requiredText(`${path}.name`, source.name),
    ...requiredText(`${path}.kind`, source.kind),
    ...(!source.apiGroup && source.kind && source.kind !== 'PersistentVolumeClaim'
      ? [field.invalid(path, source.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
  ];
}

/** The old spec with every permitted change of the new one. A field that was empty may be filled in by the binder. */
function allowedResult(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaim): PersistentVolumeClaimSpec {
  const before = old.spec ?? {};
  return {
    ...before,
    ...(!before.volumeName && { volumeName: spec.volumeName }),
    ...(before.storageClassName === undefined && { storageClassName: spec.storageClassName }),
    ...(old.status?.phase === 'Bound' && {
      resources: {
        ...before.resources,
        requests: { ...before.resources?.requests, ...pick(spec.resources?.requests, 'storage') },
      },
      volumeAttributesClassName: spec.volumeAttributesClassName,
    }),
  };
}

const pick = (amounts: Amounts | undefined, name: string) =>
  amounts?.[name] === undefined ? {} : { [name]: amounts[name] };

function validateResize(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, lookup: Lookup): FieldError[] {
  const now = claim.spec?.resources?.requests?.storage;
  const before = old.spec?.resources?.requests?.storage;
  if (now === undefined || before === undefined) return [];
  if (!isQuantity(now) || !isQuantity(before)) return [];
  const order = compareQuantities(now, before);
  if (order === 0) return [];
  const path = 'spec.resources.requests.storage';
  if (order < 0) {
    const capacity = old.status?.capacity?.storage ?? before;
    return compareQuantities(now, capacity) < 0
      ? [field.forbidden(path, 'field can not be less than status.capacity')]
      : [];
  }
  return classAllowsExpansion(claim.spec?.storageClassName, lookup)
    ? []
    : [
        field.forbidden(
          path,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        ),
      ];
}

const classAllowsExpansion = (name: string | undefined, lookup: Lookup): boolean =>
  name !== undefined && lookup.get('storage.k8s.io', 'storageclasses', undefined, name)?.allowVolumeExpansion === true;
