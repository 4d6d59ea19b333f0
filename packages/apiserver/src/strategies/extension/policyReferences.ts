import { type FieldError, field, type ParamKind, type ParamRef } from '@vireo/api';
import { dns1035Label, dnsSubdomain, pathSegment } from '@vireo/api/names.ts';
import { invalidFor, oneOf, requiredText } from '../fields.ts';
import { validateLabelSelector } from '../selectors.ts';

/** The kind of the parameters of a policy; missing is no error. */
export function validateParamKind(paramKind: ParamKind | undefined, path: string): FieldError[] {
  if (!paramKind) return [];
  const { apiVersion = '', kind = '' } = paramKind;
  const kindErrors = dns1035Label(kind.toLowerCase());
  return [
    ...(apiVersion ? apiVersionErrors(apiVersion, `${path}.apiVersion`) : [field.required(`${path}.apiVersion`)]),
    ...(kind ? [] : [field.required(`${path}.kind`)]),
    ...(kind && kindErrors.length > 0
      ? [
          field.invalid(
            `${path}.kind`,
            kind,
            `may have mixed case, but should otherwise match: ${kindErrors.join(',')}`,
          ),
        ]
      : []),
  ];
}

function apiVersionErrors(apiVersion: string, path: string): FieldError[] {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [field.invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group, version] = parts.length === 2 ? (parts as [string, string]) : ['', apiVersion];
  const groupErrors = group ? dnsSubdomain(group) : [];
  const versionErrors = version ? dns1035Label(version) : [];
  return [
    ...(groupErrors.length > 0 ? [field.invalid(path, group, groupErrors.join(','))] : []),
    ...(version ? [] : [field.invalid(path, apiVersion, 'version must be specified')]),
    ...(versionErrors.length > 0 ? [field.invalid(path, version, versionErrors.join(','))] : []),
  ];
}

const EXCLUSIVE = 'name and selector are mutually exclusive';

function validateParamRef(ref: ParamRef | undefined, path: string): FieldError[] {
  if (!ref) return [];
  const { name, selector, parameterNotFoundAction } = ref;
  return [
    ...(name ? invalidFor(`${path}.name`, name, pathSegment(name)) : []),
    ...(name && selector ? [field.forbidden(`${path}.name`, EXCLUSIVE)] : []),
    ...validateLabelSelector(selector, `${path}.selector`),
    ...(name && selector ? [field.forbidden(`${path}.selector`, EXCLUSIVE)] : []),
    ...(name || selector ? [] : [field.required(path, 'one of name or selector must be specified')]),
    ...oneOf(`${path}.parameterNotFoundAction`, parameterNotFoundAction, ['Deny', 'Allow'], 'required'),
  ];
}

/** What the bindings of both kinds of policies refer to. */
export const validateReferences = (
  { policyName, paramRef }: { policyName?: string; paramRef?: ParamRef },
  path: string,
): FieldError[] => [
  ...requiredText(`${path}.policyName`, policyName, dnsSubdomain),
  ...validateParamRef(paramRef, `${path}.paramRef`),
];
