import type {
  DeviceRequest,
  DeviceSelector,
  DeviceToleration,
  FieldError,
  OpaqueDeviceConfiguration,
  ResourceClaimSpec,
} from '@vireo/api';
import { field } from '@vireo/api';
import { dnsLabel, dnsSubdomain } from '@vireo/api/names.ts';
import { duplicates, each, oneOf, requiredText } from '../fields.ts';

const MAX_ITEMS = 32;
const MAX_SUB_REQUESTS = 8;
const MAX_EXPRESSION_BYTES = 10 * 1024;

/** Too many items are named once, and not looked at. */
export function atMost<T>(
  items: readonly T[] | undefined,
  path: string,
  most: number,
  check: (item: T, path: string) => FieldError[],
): FieldError[] {
  return (items?.length ?? 0) > most ? [field.tooMany(path, items?.length ?? 0, most)] : each(items, path, check);
}

/** What is wrong with what a claim asks for. */
export function validateClaimSpec(spec: ResourceClaimSpec | undefined, path: string): FieldError[] {
  const { requests, constraints, config } = spec?.devices ?? {};
  const at = `${path}.devices`;
  const names = new Set(
    (requests ?? []).flatMap(({ name, firstAvailable }) => [
      name,
      ...(firstAvailable ?? []).map((sub) => `${name}/${sub.name}`),
    ]),
  );
  const known = (list: readonly string[] | undefined, where: string): FieldError[] =>
    atMost(list, where, MAX_ITEMS, (name, each_) =>
      names.has(name)
        ? []
        : [
            field.invalid(
              each_,
              name,
              "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
            ),
          ],
    );
  return [
    ...atMost(requests, `${at}.requests`, MAX_ITEMS, validateRequest),
    ...duplicates(
      requests,
      ({ name }) => name,
      (index) => `${at}.requests[${index}].name`,
    ),
    ...atMost(constraints, `${at}.constraints`, MAX_ITEMS, (constraint, where) => [
      ...known(constraint.requests, `${where}.requests`),
      ...(constraint.matchAttribute === undefined && constraint.distinctAttribute === undefined
        ? [field.required(where, 'exactly one of `matchAttribute` or `distinctAttribute` is required')]
        : []),
    ]),
    ...atMost(config, `${at}.config`, MAX_ITEMS, (each_, where) => [
      ...known(each_.requests, `${where}.requests`),
      ...validateOpaque(each_.opaque, where),
    ]),
  ];
}

function validateRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, path: string): FieldError[] {
  const both = exactly && firstAvailable.length > 0;
  return [
    ...requiredText(`${path}.name`, name, dnsLabel),
    ...(!exactly && firstAvailable.length === 0
      ? [field.required(path, 'exactly one of `exactly` or `firstAvailable` is required')]
      : []),
    ...(both
      ? [
          field.invalid(
            path,
            null,
            'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
          ),
        ]
      : []),
    ...(exactly && !both ? validateWanted(exactly, `${path}.exactly`) : []),
    ...(both
      ? []
      : [
          ...atMost(firstAvailable, `${path}.firstAvailable`, MAX_SUB_REQUESTS, (sub, at) => [
            ...requiredText(`${at}.name`, sub.name, dnsLabel),
            ...validateWanted(sub, at),
          ]),
          ...duplicates(
            firstAvailable,
            (sub) => sub.name,
            (index) => `${path}.firstAvailable[${index}].name`,
          ),
        ]),
  ];
}

interface Wanted {
  readonly deviceClassName: string;
  readonly selectors?: DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: number;
  readonly tolerations?: DeviceToleration[];
}

function validateWanted(
  { deviceClassName, selectors, allocationMode, count, tolerations }: Wanted,
  path: string,
): FieldError[] {
  return [
    ...requiredText(`${path}.deviceClassName`, deviceClassName, dnsSubdomain),
    ...validateSelectors(selectors, `${path}.selectors`),
    ...oneOf(`${path}.allocationMode`, allocationMode, ['All', 'ExactCount'], 'required'),
    ...(allocationMode === 'All' && count
      ? [field.invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'")]
      : []),
    ...(allocationMode === 'ExactCount' && (count ?? 0) <= 0
      ? [field.invalid(`${path}.count`, count ?? 0, 'must be greater than zero')]
      : []),
    ...each(tolerations, `${path}.tolerations`, ({ operator, key, effect }, at) => [
      ...oneOf(`${at}.operator`, operator, ['Equal', 'Exists'], 'required'),
      ...(!key && operator === 'Equal'
        ? [
            field.invalid(
              `${at}.operator`,
              operator,
              'operator must be Exists when `key` is empty, which means "match all values and all keys"',
            ),
          ]
        : []),
      ...oneOf(`${at}.effect`, effect, ['NoExecute', 'NoSchedule']),
    ]),
  ];
}

/** What is wrong with expressions that select devices. They are not compiled here. */
export const validateSelectors = (selectors: readonly DeviceSelector[] | undefined, path: string): FieldError[] =>
  atMost(selectors, path, MAX_ITEMS, ({ cel }, at) => {
    if (!cel) return [field.required(`${at}.cel`)];
    if (!cel.expression) return [field.required(`${at}.cel.expression`)];
    return Buffer.byteLength(cel.expression) > MAX_EXPRESSION_BYTES
      ? [field.tooLong(`${at}.cel.expression`, MAX_EXPRESSION_BYTES)]
      : [];
  });

/** What is wrong with settings for a driver. */
export function validateOpaque(opaque: OpaqueDeviceConfiguration | undefined, path: string): FieldError[] {
  if (!opaque) return [field.required(`${path}.opaque`)];
  return [
    ...requiredText(`${path}.opaque.driver`, opaque.driver, dnsSubdomain),
    ...(opaque.parameters ? [] : [field.required(`${path}.opaque.parameters`)]),
  ];
}
