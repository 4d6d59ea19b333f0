import { type FieldError, field, type LabelSelector, type NodeSelectorRequirement } from '@vireo/api';
import { validateLabelSelector as validateSelector } from '@vireo/api/labelSelector.ts';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import { validateLabels as validateLabelMap } from '@vireo/api/validateMeta.ts';
import { requiredText } from './fields.ts';

/** Checks a map of labels that may be missing. */
export const validateLabels = (labels: Readonly<Record<string, string>> | undefined, path: string): FieldError[] =>
  validateLabelMap(labels ?? {}, path);

/** Checks a selector that may be missing, and whose expressions may lack their key or operator. */
export const validateLabelSelector = (selector: LabelSelector | undefined, path: string): FieldError[] =>
  validateSelector(
    {
      matchLabels: selector?.matchLabels,
      matchExpressions: selector?.matchExpressions?.map(({ key = '', operator = '', values }) => ({
        key,
        operator,
        values,
      })),
    },
    path,
  );

/** Whether a selector has no requirements, and so matches everything. */
export const selectsEverything = (selector: LabelSelector | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;

/** Checks one requirement on a node's labels, which unlike a label selector also knows Gt and Lt. */
export const validateNodeRequirement = (requirement: NodeSelectorRequirement, path: string): FieldError[] => [
  ...validateOperator(requirement, path),
  ...requiredText(`${path}.key`, requirement.key, qualifiedNameErrors),
];

function validateOperator({ operator, values = [] }: NodeSelectorRequirement, path: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [field.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [field.forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return values.length === 1
        ? []
        : [field.required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [field.invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator')];
  }
}
