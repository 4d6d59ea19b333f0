import { type ClusterRole, type FieldError, field, type PolicyRule, type Role } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { each } from '../fields.ts';
import { validateLabelSelector } from '../selectors.ts';

export const roleStrategy = defineStrategy<Role>({
  nameRule: 'path',
  createOnUpdate: true,
  validate: ({ rules }) => each(rules, 'rules', (rule, path) => validateRule(rule, path, true)),
});

export const clusterRoleStrategy = defineStrategy<ClusterRole>({
  nameRule: 'path',
  createOnUpdate: true,
  validate: ({ rules, aggregationRule }) => [
    ...each(rules, 'rules', (rule, path) => validateRule(rule, path, false)),
    ...(aggregationRule && (aggregationRule.clusterRoleSelectors ?? []).length === 0
      ? [
          field.required(
            'aggregationRule.clusterRoleSelectors',
            'at least one clusterRoleSelector required if aggregationRule is non-nil',
          ),
        ]
      : []),
    ...each(aggregationRule?.clusterRoleSelectors, 'aggregationRule.clusterRoleSelectors', validateLabelSelector),
  ],
});

function validateRule(rule: PolicyRule, path: string, namespaced: boolean): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const noVerbs = verbs.length === 0 ? [field.required(`${path}.verbs`, 'verbs must contain at least one value')] : [];
  if (nonResourceURLs.length > 0) {
    return [
      ...noVerbs,
      ...(namespaced
        ? [
            field.invalid(
              `${path}.nonResourceURLs`,
              nonResourceURLs,
              'namespaced rules cannot apply to non-resource URLs',
            ),
          ]
        : []),
      ...(apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0
        ? [
            field.invalid(
              `${path}.nonResourceURLs`,
              nonResourceURLs,
              'rules cannot apply to both regular resources and non-resource URLs',
            ),
          ]
        : []),
    ];
  }
  return [
    ...noVerbs,
    ...(apiGroups.length === 0
      ? [field.required(`${path}.apiGroups`, 'resource rules must supply at least one api group')]
      : []),
    ...(resources.length === 0
      ? [field.required(`${path}.resources`, 'resource rules must supply at least one resource')]
      : []),
  ];
}
