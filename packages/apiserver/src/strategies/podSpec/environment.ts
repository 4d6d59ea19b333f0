import { type EnvFromSource, type EnvVar, type EnvVarSource, type FieldError, field } from '@vireo/api';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { each, optionalText, present, requiredText } from '../fields.ts';
import { configKeyErrors, envNameErrors } from '../names.ts';

const FIELD_PATHS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const SUBSCRIPTED = /^metadata\.(annotations|labels)\['[^']+'\]$/;
const CONTAINER_RESOURCE = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/;

export const validateEnv = (variables: readonly EnvVar[] | undefined, path: string): FieldError[] =>
  each(variables, path, (variable, at) => [
    ...requiredText(`${at}.name`, variable.name, envNameErrors),
    ...validateSource(variable, `${at}.valueFrom`),
  ]);

export const validateEnvFrom = (sources: readonly EnvFromSource[] | undefined, path: string): FieldError[] =>
  each(sources, path, (source, at) => [
    ...optionalText(`${at}.prefix`, source.prefix, envNameErrors),
    ...validateEnvFromSource(source, at),
  ]);

function validateEnvFromSource(source: EnvFromSource, path: string): FieldError[] {
  const [first, second] = present(source, ['configMapRef', 'secretRef']);
  if (!first) return [field.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')];
  if (second) return [field.invalid(path, '', 'may not have more than one field specified at a time')];
  return requiredText(`${path}.${first}.name`, (source.configMapRef ?? source.secretRef)?.name, dnsSubdomain);
}

function validateSource(variable: EnvVar, path: string): FieldError[] {
  const source = variable.valueFrom;
  if (!source) return [];
  const set = present(source, ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef']);
  const errors = validateSources(source, path);
  if (set.length === 0) {
    errors.push(
      field.invalid(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      ),
    );
  } else if (variable.value) {
    errors.push(field.invalid(path, '', 'may not be specified when `value` is not empty'));
  } else if (set.length > 1) {
    errors.push(field.invalid(path, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

const validateSources = (source: EnvVarSource, path: string): FieldError[] => [
  ...(source.fieldRef ? validateFieldPath(source.fieldRef.fieldPath, `${path}.fieldRef`) : []),
  ...(source.resourceFieldRef
    ? validateResourceField(source.resourceFieldRef.resource, `${path}.resourceFieldRef`)
    : []),
  ...(source.configMapKeyRef ? validateKeyRef(source.configMapKeyRef, `${path}.configMapKeyRef`) : []),
  ...(source.secretKeyRef ? validateKeyRef(source.secretKeyRef, `${path}.secretKeyRef`) : []),
];

/** Which field of the pod a variable or a file shows. */
export function validateFieldPath(fieldPath: string | undefined, path: string): FieldError[] {
  if (!fieldPath) return [field.required(`${path}.fieldPath`)];
  if (SUBSCRIPTED.test(fieldPath) || FIELD_PATHS.includes(fieldPath)) return [];
  return [field.notSupported(`${path}.fieldPath`, fieldPath, FIELD_PATHS)];
}

/** Which request or limit of a container a variable or a file shows. */
export function validateResourceField(resource: string | undefined, path: string): FieldError[] {
  if (!resource) return [field.required(`${path}.resource`)];
  if (CONTAINER_RESOURCE.test(resource)) return [];
  return [
    field.notSupported(`${path}.resource`, resource, [
      'limits.cpu',
      'limits.ephemeral-storage',
      'limits.memory',
      'requests.cpu',
      'requests.ephemeral-storage',
      'requests.memory',
    ]),
  ];
}

const validateKeyRef = (reference: { name?: string; key?: string }, path: string): FieldError[] => [
  ...requiredText(`${path}.name`, reference.name, dnsSubdomain),
  ...requiredText(`${path}.key`, reference.key, configKeyErrors),
];
