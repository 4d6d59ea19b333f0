import type { CrossVersionObjectReference, FieldError, MetricSpec, MetricTarget } from '@vireo/api';
import { field } from '@vireo/api';
import { pathSegment } from '@vireo/api/names.ts';
import { isPositive } from '../amounts.ts';
import { oneOf, present, requiredText } from '../fields.ts';

const SOURCES = ['containerResource', 'external', 'object', 'pods', 'resource'] as const;
type Source = (typeof SOURCES)[number];

const TYPES: Readonly<Record<string, Source>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

/** What is wrong with a metric: one source, the one that its type says, and a target that fits it. */
export function validateMetric(metric: MetricSpec, path: string): FieldError[] {
  const sources = present(metric, SOURCES) as Source[];
  const expected = Object.hasOwn(TYPES, metric.type) ? TYPES[metric.type] : undefined;
  const [first] = sources;
  return [
    ...(metric.type
      ? oneOf(`${path}.type`, metric.type, Object.keys(TYPES))
      : [field.required(`${path}.type`, 'must specify a metric source type')]),
    ...(first ? validateSource(metric, first, path) : []),
    ...(expected && !sources.includes(expected)
      ? [field.required(`${path}.${expected}`, 'must populate information for the given metric source')]
      : []),
    ...sources
      .filter((source) => source !== expected)
      .map((source) => field.forbidden(`${path}.${source}`, 'must populate the given metric source only')),
  ];
}

function validateSource(metric: MetricSpec, source: Source, path: string): FieldError[] {
  const at = `${path}.${source}`;
  const { containerResource, external, object, pods, resource } = metric;
  switch (source) {
    case 'object':
      return [
        ...validateReference(object?.describedObject, `${at}.describedObject`),
        ...validateIdentifier(object?.metric, `${at}.metric`),
        ...validateTarget(object?.target, `${at}.target`),
        ...(object?.target?.value === undefined && object?.target?.averageValue === undefined
          ? [field.required(`${at}.target.averageValue`, 'must set either a value or averageValue')]
          : []),
      ];
    case 'external':
      return [
        ...validateIdentifier(external?.metric, `${at}.metric`),
        ...validateTarget(external?.target, `${at}.target`),
        ...(external?.target?.value === undefined && external?.target?.averageValue === undefined
          ? [
              field.required(
                `${at}.target.averageValue`,
                'must set either a target value for metric or a per-pod target',
              ),
            ]
          : []),
        ...(external?.target?.value !== undefined && external.target.averageValue !== undefined
          ? [field.forbidden(`${at}.target.value`, 'may not set both a target value for metric and a per-pod target')]
          : []),
      ];
    case 'pods':
      return [
        ...validateIdentifier(pods?.metric, `${at}.metric`),
        ...validateTarget(pods?.target, `${at}.target`),
        ...(pods?.target?.averageValue === undefined || !isPositive(pods.target.averageValue)
          ? [field.required(`${at}.target.averageValue`, 'must specify a positive target averageValue')]
          : []),
      ];
    case 'containerResource':
      return [
        ...requiredText(`${at}.name`, containerResource?.name, undefined, 'must specify a resource name'),
        ...requiredText(`${at}.container`, containerResource?.container, undefined, 'must specify a container'),
        ...validateResourceTarget(containerResource?.target, `${at}.target`),
      ];
    case 'resource':
      return [
        ...requiredText(`${at}.name`, resource?.name, undefined, 'must specify a resource name'),
        ...validateResourceTarget(resource?.target, `${at}.target`),
      ];
  }
}

const validateResourceTarget = (target: MetricTarget | undefined, path: string): FieldError[] => [
  ...validateTarget(target, path),
  ...(target?.averageUtilization === undefined && target?.averageValue === undefined
    ? [field.required(`${path}.averageUtilization`, 'must set either a target raw value or a target utilization')]
    : []),
  ...(target?.averageUtilization !== undefined && target.averageValue !== undefined
    ? [field.forbidden(`${path}.averageValue`, 'may not set both a target raw value and a target utilization')]
    : []),
];

const positive = (path: string, amount: string | number | undefined): FieldError[] =>
  amount === undefined || isPositive(amount) ? [] : [field.invalid(path, amount, 'must be positive')];

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];

const validateTarget = (target: MetricTarget | undefined, path: string): FieldError[] => [
  ...(target?.type ? [] : [field.required(`${path}.type`, 'must specify a metric target type')]),
  ...(TARGET_TYPES.includes(target?.type ?? '')
    ? []
    : [field.invalid(`${path}.type`, target?.type ?? '', 'must be either Utilization, Value, or AverageValue')]),
  ...positive(`${path}.value`, target?.value),
  ...positive(`${path}.averageValue`, target?.averageValue),
  ...(target?.averageUtilization !== undefined && target.averageUtilization < 1
    ? [field.invalid(`${path}.averageUtilization`, target.averageUtilization, 'must be greater than 0')]
    : []),
];

const validateIdentifier = (metric: { readonly name: string } | undefined, path: string): FieldError[] =>
  requiredText(`${path}.name`, metric?.name, pathSegment, 'must specify a metric name');

/** What is wrong with a reference to something by its kind and name. */
export const validateReference = (reference: CrossVersionObjectReference | undefined, path: string): FieldError[] => [
  ...requiredText(`${path}.kind`, reference?.kind, pathSegment),
  ...requiredText(`${path}.name`, reference?.name, pathSegment),
];
