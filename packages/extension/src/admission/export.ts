import { type FieldError, fieldError } from '@vireo/api';
import { parseDuration } from '@vireo/api/duration.ts';
import { deepEqual } from '@vireo/api/json.ts';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { ALLOWED, type ValidatingRule } from './rule.ts';

/** What can be exported, by the group that it belongs to. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ['PersistentVolumeClaim', ''],
  ['VirtualMachine', 'kubevirt.io'],
  ['VirtualMachineSnapshot', 'snapshot.kubevirt.io'],
]);

export const exportValidation: ValidatingRule<VirtualMachineExport> = {
  type: 'validating',
  webhook: 'virtualmachineexport-validator.export.kubevirt.io',
  path: '/virtualmachineexports-validate',
  kinds: [VirtualMachineExport],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject }, { config }) {
    if (oldObject) {
      if (deepEqual(object.spec, oldObject.spec)) return ALLOWED;
      return { errors: [fieldError('spec', 'the spec of a VirtualMachineExport is immutable')] };
    }
    if (!(await config()).gates.has('VMExport'))
      return {
        errors: [fieldError('spec', 'the feature gate VMExport is disabled', 'FieldValueForbidden')],
      };
    const { tokenSecretRef } = object.spec;
    const ofSecret = tokenSecretRef === undefined ? [] : nameErrors('spec.tokenSecretRef', tokenSecretRef);
    return { errors: [...sourceErrors(object.spec), ...ofSecret, ...lifeErrors(object.spec)] };
  },
};

function sourceErrors({ source }: VirtualMachineExport['spec']): FieldError[] {
  const { kind, name, apiGroup = '' } = source;
  const group = SOURCES.get(kind);
  if (group === undefined) {
    const known = [...SOURCES.keys()].join(', ');
    return [
      fieldError(
        'spec.source.kind',
        `spec.source.kind: Vireo can export ${known}, but not ${kind}`,
        'FieldValueNotSupported',
      ),
    ];
  }
  const errors: FieldError[] = [];
  if (apiGroup !== group)
    errors.push(
      fieldError(
        'spec.source.apiGroup',
        `spec.source.apiGroup: the group of ${kind} is ${JSON.stringify(group)}, not ${JSON.stringify(apiGroup)}`,
      ),
    );
  return [...errors, ...nameErrors('spec.source.name', name)];
}

const nameErrors = (field: string, name: string): FieldError[] =>
  dnsSubdomain(name).map((why) => fieldError(field, `${field}: ${JSON.stringify(name)} is not a valid name: ${why}`));

function lifeErrors({ ttlDuration }: VirtualMachineExport['spec']): FieldError[] {
  if (ttlDuration === undefined || (parseDuration(ttlDuration) ?? 0) > 0) return [];
  return [
    fieldError(
      'spec.ttlDuration',
      `spec.ttlDuration: ${JSON.stringify(ttlDuration)} is not a duration such as 30m or 2h`,
    ),
  ];
}
