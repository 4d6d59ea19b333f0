import type { Column } from '../../kind.ts';
import { type Infer, opt, req, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const ParamKind = struct(
  'io.k8s.api.admissionregistration.v1.ParamKind',
  'The kind of the objects that parameterize a policy.',
  {
    apiVersion: opt(1, string, 'API group and version of the kind.'),
    kind: opt(2, string, 'Name of the kind.'),
  },
  { mapType: 'atomic' },
);
export interface ParamKind extends Infer<typeof ParamKind> {}

export const ParamRef = struct(
  'io.k8s.api.admissionregistration.v1.ParamRef',
  'Where a binding finds the parameters of its policy.',
  {
    name: opt(1, string, 'Name of the parameter object. Excludes selector.'),
    namespace: opt(2, string, 'Namespace of the parameters. Defaults to the namespace of the request.'),
    parameterNotFoundAction: opt(4, string, {
      pointer: true,
      doc: 'Whether requests are admitted if no parameter is found: Allow or Deny.',
    }),
    selector: opt(3, LabelSelector, 'Labels of the parameter objects, which are used one by one. Excludes name.'),
  },
  { mapType: 'atomic' },
);
export interface ParamRef extends Infer<typeof ParamRef> {}

export const Variable = struct(
  'io.k8s.api.admissionregistration.v1.Variable',
  'A named expression that other expressions of the policy use.',
  {
    expression: req(2, string, 'Expression in CEL that gives the value. It is evaluated when it is used.'),
    name: req(1, string, 'Name of the variable: foo is used as variables.foo.'),
  },
  { mapType: 'atomic' },
);
export interface Variable extends Infer<typeof Variable> {}

/** PARAMKIND of a policy. */
export const paramKindColumn: Column<{ spec?: { paramKind?: ParamKind } }> = {
  name: 'ParamKind',
  type: 'string',
  description: 'The kind of the objects that parameterize the policy.',
  value: ({ spec }) =>
    spec?.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : '<unset>',
};

type BindingObject = { spec?: { policyName?: string; paramRef?: ParamRef } };

/** POLICYNAME and PARAMREF of a binding. */
export const bindingColumns: readonly Column<BindingObject>[] = [
  {
    name: 'PolicyName',
    type: 'string',
    description: 'The policy that the binding puts into force.',
    value: ({ spec }) => spec?.policyName ?? '',
  },
  {
    name: 'ParamRef',
    type: 'string',
    description: 'The object that parameterizes the policy.',
    value: ({ spec }) => paramRefCell(spec?.paramRef),
  },
];

function paramRefCell(ref: ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || '*'}/${ref.name}`;
  return ref?.selector ? goSelector(ref.selector) : '<unset>';
}

/** A selector as Go prints the struct, which is what Kubernetes shows here. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
