import { type FieldError, field, type Secret } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { invalidFor } from '../fields.ts';
import { immutable } from '../immutable.ts';
import { configKeyErrors } from '../names.ts';
import { changedWhileImmutable } from './configMap.ts';

const MAX_BYTES = 1024 * 1024;
const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name';

export const secretStrategy = defineStrategy<Secret>({
  prepareForCreate: (secret) => {
    secret.type ||= 'Opaque';
    mergeStringData(secret);
  },

  prepareForUpdate(secret, old) {
    // An update that leaves the type out keeps it; naming another one is an error.
    if (!secret.type && old.type) secret.type = old.type;
    mergeStringData(secret);
  },

  validate(secret) {
    const data = secret.data ?? {};
    const bytes = Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text, 'base64'), 0);
    return [
      ...Object.keys(data).flatMap((key) => invalidFor(`data[${key}]`, key, configKeyErrors(key))),
      ...(bytes > MAX_BYTES ? [field.tooLong('data', MAX_BYTES)] : []),
      ...validateType(secret),
    ];
  },

  validateUpdate: (secret, old) => [
    ...immutable('type', secret.type, old.type),
    ...(old.immutable ? changedWhileImmutable(secret, old, ['data']) : []),
  ],
});

/** `stringData` is only a way to write `data` without base64; it is never stored. */
function mergeStringData(secret: Secret): void {
  if (secret.stringData) {
    const encoded = Object.entries(secret.stringData).map(([key, text]) => [
      key,
      Buffer.from(text ?? '').toString('base64'),
    ]);
    secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
  }
  delete secret.stringData;
}

function validateType(secret: Secret): FieldError[] {
  switch (secret.type) {
    case 'kubernetes.io/service-account-token':
      return secret.metadata.annotations?.[SERVICE_ACCOUNT_NAME]
        ? []
        : [field.required(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`)];
    case 'kubernetes.io/dockercfg':
      return requireJson(secret, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return requireJson(secret, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      return has(secret, 'username') || has(secret, 'password')
        ? []
        : [field.required('data[username]'), field.required('data[password]')];
    case 'kubernetes.io/ssh-auth':
      return secret.data?.['ssh-privatekey'] ? [] : [field.required('data[ssh-privatekey]')];
    case 'kubernetes.io/tls':
      return ['tls.crt', 'tls.key'].filter((key) => !has(secret, key)).map((key) => field.required(`data[${key}]`));
    default:
      return [];
  }
}

const has = (secret: Secret, key: string): boolean => secret.data?.[key] !== undefined;

function requireJson(secret: Secret, key: string): FieldError[] {
  const text = secret.data?.[key];
  if (text === undefined) return [field.required(`data[${key}]`)];
  try {
    JSON.parse(Buffer.from(text, 'base64').toString());
    return [];
  } catch {
    return [field.invalid(`data[${key}]`, '<secret contents redacted>', 'invalid character in JSON')];
  }
}
