import { type FieldError, field } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';

/**
 * Fields that the combinations of the root speak of and that the schema itself does not know. Combinations further
 * down are not looked at, as in Kubernetes.
 *
 * @param at where `outer` is; `path` is where `schema`, which combines, is
 */
export function completenessErrors(
  schema: JSONSchemaProps,
  outer: JSONSchemaProps,
  at: string,
  path: string,
): FieldError[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = schema;
  return [
    ...(not ? branchErrors(not, outer, at, `${path}.not`) : []),
    ...allOf.flatMap((branch, i) => branchErrors(branch, outer, at, `${path}.allOf[${i}]`)),
    ...anyOf.flatMap((branch, i) => branchErrors(branch, outer, at, `${path}.anyOf[${i}]`)),
    ...oneOf.flatMap((branch, i) => branchErrors(branch, outer, at, `${path}.oneOf[${i}]`)),
  ];
}

function branchErrors(
  branch: JSONSchemaProps,
  outer: JSONSchemaProps | undefined,
  at: string,
  path: string,
): FieldError[] {
  if (!outer) return [field.required(at, `because it is defined in ${path}`)];
  const { items, properties = {} } = branch;
  const outerItems = isObject(outer.items) ? (outer.items as JSONSchemaProps) : undefined;
  return [
    ...completenessErrors(branch, outer, at, path),
    ...(isObject(items) ? branchErrors(items as JSONSchemaProps, outerItems, `${at}.items`, `${path}.items`) : []),
    ...Object.entries(properties).flatMap(([name, child]) =>
      branchErrors(
        child,
        own(outer.properties ?? {}, name),
        `${at}.properties[${name}]`,
        `${path}.properties[${name}]`,
      ),
    ),
  ];
}
