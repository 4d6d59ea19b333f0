import { type FieldError, field } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { Rule } from './policy.ts';

// Kubernetes lists them so.
const LEVELS = ['Metadata', 'None', 'Request', 'RequestResponse'];
const STAGES = ['Panic', 'RequestReceived', 'ResponseComplete', 'ResponseStarted'];

const LISTS = ['users', 'userGroups', 'verbs', 'namespaces', 'nonResourceURLs', 'omitStages'];
const DOCUMENT = ['apiVersion', 'kind', 'metadata', 'rules', 'omitStages', 'omitManagedFields'];
const RULE = ['level', 'resources', 'omitManagedFields', ...LISTS];
const GROUP = ['group', 'resources', 'resourceNames'];

/** Everything that is wrong with a policy, as `path: problem`. */
export function policyProblems(document: Record<string, unknown>): string[] {
  const shape = shapeProblems(document);
  if (shape.length > 0) return shape;
  const rules = (document.rules ?? []) as readonly Rule[];
  const errors = [
    ...checkStages(document.omitStages as readonly string[] | undefined, 'omitStages'),
    ...rules.flatMap((rule, index) => checkRule(rule, `rules[${index}]`)),
  ];
  return errors.map((error) => `${error.field}: ${error.text}`);
}

function shapeProblems(document: Record<string, unknown>): string[] {
  const { rules = [] } = document;
  if (!Array.isArray(rules)) return ['rules: must be a list'];
  return [
    ...unknownFields(document, DOCUMENT, ''),
    ...notTexts(document.omitStages, 'omitStages'),
    ...notBoolean(document.omitManagedFields, 'omitManagedFields'),
    ...rules.flatMap((rule: unknown, index) => {
      const path = `rules[${index}]`;
      if (!isObject(rule)) return [`${path}: must be an object`];
      const { resources = [] } = rule;
      return [
        ...unknownFields(rule, RULE, `${path}.`),
        ...LISTS.flatMap((name) => notTexts(rule[name], `${path}.${name}`)),
        ...notBoolean(rule.omitManagedFields, `${path}.omitManagedFields`),
        ...(Array.isArray(resources) ? [] : [`${path}.resources: must be a list`]),
        ...(Array.isArray(resources) ? resources : []).flatMap((each: unknown, at) => {
          const where = `${path}.resources[${at}]`;
          if (!isObject(each)) return [`${where}: must be an object`];
          return [
            ...unknownFields(each, GROUP, `${where}.`),
            ...(each.group === undefined || typeof each.group === 'string' ? [] : [`${where}.group: must be a string`]),
            ...notTexts(each.resources, `${where}.resources`),
            ...notTexts(each.resourceNames, `${where}.resourceNames`),
          ];
        }),
      ];
    }),
  ];
}

const unknownFields = (object: Record<string, unknown>, known: readonly string[], prefix: string): string[] =>
  Object.keys(object)
    .filter((key) => !known.includes(key))
    .map((key) => `${prefix}${key}: unknown field`);

const notTexts = (value: unknown, path: string): string[] =>
  value === undefined || (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    ? []
    : [`${path}: must be a list of strings`];

const notBoolean = (value: unknown, path: string): string[] =>
  value === undefined || typeof value === 'boolean' ? [] : [`${path}: must be true or false`];

function checkRule(rule: Rule, path: string): FieldError[] {
  const { level, resources = [], namespaces = [], nonResourceURLs = [], omitStages } = rule;
  return [
    ...(level === undefined
      ? [field.required(`${path}.level`)]
      : LEVELS.includes(level)
        ? []
        : [field.notSupported(`${path}.level`, level, LEVELS)]),
    ...nonResourceURLs.flatMap((url, index) => checkUrl(url, `${path}.nonResourceURLs[${index}]`)),
    ...resources.flatMap(({ resources: names = [], resourceNames = [] }, index) =>
      resourceNames.length > 0 && names.length === 0
        ? [
            field.invalid(
              `${path}.resources[${index}].resourceNames`,
              resourceNames,
              'using resourceNames requires at least one resource',
            ),
          ]
        : [],
    ),
    ...(nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)
      ? [
          field.invalid(
            `${path}.nonResourceURLs`,
            nonResourceURLs,
            'rules cannot apply to both regular resources and non-resource URLs',
          ),
        ]
      : []),
    ...checkStages(omitStages, `${path}.omitStages`),
  ];
}

function checkUrl(url: string, path: string): FieldError[] {
  if (url === '*') return [];
  return [
    ...(url.startsWith('/')
      ? []
      : [field.invalid(path, url, "non-resource URL rules must begin with a '/' character")]),
    ...(url.slice(0, -1).includes('*')
      ? [field.invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule")]
      : []),
  ];
}

const checkStages = (stages: readonly string[] | undefined, path: string): FieldError[] =>
  (stages ?? []).flatMap((stage, index) =>
    STAGES.includes(stage) ? [] : [field.notSupported(`${path}[${index}]`, stage, STAGES)],
  );
