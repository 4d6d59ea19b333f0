import { type FieldError, field, type IngressClass, type IngressClassParametersReference } from '@vireo/api';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { oneOf, requiredText } from '../fields.ts';
import { immutable } from '../immutable.ts';

const MAX_CONTROLLER_LENGTH = 250;

export const ingressClassStrategy = defineStrategy<IngressClass>({
  validate: ({ spec }) => [
    ...validateController(spec?.controller ?? ''),
    ...(spec?.parameters ? validateParameters(spec.parameters) : []),
  ],
  validateUpdate: ({ spec }, { spec: old }) => immutable('spec.controller', spec?.controller, old?.controller),
});

function validateController(controller: string): FieldError[] {
  const path = 'spec.controller';
  if (controller.length > MAX_CONTROLLER_LENGTH) return [field.tooLong(path, MAX_CONTROLLER_LENGTH)];
  if (!controller) return [field.required(path)];
  const slash = controller.indexOf('/');
  const isPrefixed =
    slash > 0 && slash < controller.length - 1 && dnsSubdomain(controller.slice(0, slash)).length === 0;
  return isPrefixed ? [] : [field.invalid(path, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
}

function validateParameters({ kind, name, namespace, scope }: IngressClassParametersReference): FieldError[] {
  const path = 'spec.parameters';
  return [
    ...requiredText(`${path}.kind`, kind, undefined, 'kind is required'),
    ...requiredText(`${path}.name`, name, undefined, 'name is required'),
    ...oneOf(`${path}.scope`, scope, ['Cluster', 'Namespace'], 'required'),
    ...(scope === 'Namespace' && !namespace
      ? [field.required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'")]
      : []),
    ...(scope === 'Cluster' && namespace !== undefined
      ? [field.forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'")]
      : []),
  ];
}
