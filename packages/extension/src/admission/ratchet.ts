import type { FieldError, KubeObject } from '@vireo/api';
import { deepEqual, isObject } from '@vireo/api/json.ts';
import type { Admission, AdmissionContext, ValidatingRule } from './rule.ts';

/**
 * What an update makes wrong. Rules change with the settings of the installation, and objects stay: what is refused now
 * and was there before, unchanged, must not keep anybody from stopping, labelling or deleting the object.
 */
export async function ratchetedErrors(
  rule: ValidatingRule<KubeObject>,
  admission: Admission,
  context: AdmissionContext,
  errors: readonly FieldError[],
): Promise<readonly FieldError[]> {
  const { object, oldObject, operation } = admission;
  if (operation !== 'UPDATE' || !oldObject || errors.length === 0 || rule.skipsRatcheting?.(admission)) return errors;
  const before = await rule.validate({ ...admission, object: oldObject }, context);
  const known = new Set(before.errors.map(identityOf));
  return errors.filter(
    (error) =>
      !known.has(identityOf(error)) || !deepEqual(valueAt(object, error.field), valueAt(oldObject, error.field)),
  );
}

/** What could not be checked is reported in other words each time. */
const identityOf = ({ type, field, text }: FieldError): string =>
  JSON.stringify(type === 'InternalError' ? [type, field] : [type, field, text]);

/** What stands at a path such as `spec.domain.devices.disks[0].name`; nothing where the path leads nowhere. */
function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    const key = name ?? index ?? '';
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}
