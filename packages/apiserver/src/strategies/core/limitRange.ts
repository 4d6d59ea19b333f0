import { type FieldError, field, type LimitRange, type LimitRangeItem } from '@vireo/api';
import { compareQuantities } from '@vireo/api/quantity.ts';
import { type Amount, type Amounts, isQuantity } from '../amounts.ts';
import { defineStrategy } from '../define.ts';
import { duplicates, each, requiredText } from '../fields.ts';
import { validateAmount } from '../podSpec/resources.ts';

const AMOUNTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

export const limitRangeStrategy = defineStrategy<LimitRange>({
  createOnUpdate: true,
  validate: ({ spec }) => [
    ...each(spec?.limits, 'spec.limits', validateItem),
    ...duplicates(
      spec?.limits,
      ({ type }) => type,
      (index) => `spec.limits[${index}].type`,
    ),
  ],
});

function validateItem(item: LimitRangeItem, path: string): FieldError[] {
  const broken = AMOUNTS.flatMap((name) =>
    Object.entries(item[name] ?? {}).flatMap(([resource, amount]) =>
      validateAmount(resource, amount, `${path}.${name}[${resource}]`),
    ),
  );
  return [
    ...requiredText(`${path}.type`, item.type),
    ...broken,
    ...(broken.length === 0 ? validateOrder(item, path) : []),
    ...validatePerType(item, path),
  ];
}

/** From smallest to largest: min, default request, default, max. */
function validateOrder(item: LimitRangeItem, path: string): FieldError[] {
  return [
    ...above(item.min, item.max, `${path}.min`, (min, max) => `min value ${min} is greater than max value ${max}`),
    ...above(
      item.min,
      item.defaultRequest,
      `${path}.defaultRequest`,
      (min, request) => `min value ${min} is greater than default request value ${request}`,
    ),
    ...above(
      item.defaultRequest,
      item.max,
      `${path}.defaultRequest`,
      (request, max) => `default request value ${request} is greater than max value ${max}`,
    ),
    ...above(
      item.defaultRequest,
      item.default,
      `${path}.defaultRequest`,
      (request, limit) => `default request value ${request} is greater than default limit value ${limit}`,
    ),
    ...above(
      item.min,
      item.default,
      `${path}.min`,
      (min, limit) => `min value ${min} is greater than default value ${limit}`,
    ),
    ...above(
      item.default,
      item.max,
      `${path}.default`,
      (limit, max) => `default value ${limit} is greater than max value ${max}`,
    ),
    ...Object.entries(item.maxLimitRequestRatio ?? {})
      .filter(([, ratio]) => compareQuantities(ratio, 1) < 0)
      .map(([resource, ratio]) =>
        field.invalid(`${path}.maxLimitRequestRatio[${resource}]`, String(ratio), `ratio ${ratio} is less than 1`),
      ),
  ];
}

function above(
  lower: Amounts | undefined,
  upper: Amounts | undefined,
  path: string,
  message: (low: Amount, high: Amount) => string,
): FieldError[] {
  return Object.entries(lower ?? {}).flatMap(([resource, low]) => {
    const high = upper?.[resource];
    if (high === undefined || !isQuantity(high) || compareQuantities(low, high) <= 0) return [];
    return [field.invalid(`${path}[${resource}]`, String(low), message(low, high))];
  });
}

function validatePerType(item: LimitRangeItem, path: string): FieldError[] {
  const noDefaults = (['default', 'defaultRequest'] as const)
    .filter((name) => item.type === 'Pod' && Object.keys(item[name] ?? {}).length > 0)
    .map((name) => field.forbidden(`${path}.${name}`, "may not be specified when `type` is 'Pod'"));
  const needsBound =
    item.type === 'PersistentVolumeClaim' && item.min?.storage === undefined && item.max?.storage === undefined;
  return needsBound
    ? [
        ...noDefaults,
        field.required(
          `${path}.limits`,
          'either minimum or maximum storage value is required, but neither was provided',
        ),
      ]
    : noDefaults;
}
