import { isObject } from '@vireo/api/json.ts';

/** Fields that hold what only the guest and its owner are to know. */
const SECRET_FIELDS = new Set([
  'userData',
  'userDataBase64',
  'networkData',
  'networkDataBase64',
  'stringData',
  'token',
  'accessKeyId',
  'secretAccessKey',
]);
/** Lists of texts that may have any of that in them: what is written into VMs, and what is said to web servers. */
const SECRET_LISTS = new Set(['patches', 'extraHeaders']);
/** Lists of names with values, such as passwords of guests that are made from a template. */
const VALUE_LISTS = new Set(['parameters']);
/** How annotations begin that have whole objects as text, secrets included, or headers for web servers. */
const SECRET_ANNOTATIONS = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'cdi.kubevirt.io/storage.import.extraHeaders',
];

/** Passwords in addresses, keys in settings that are JSON, and what lets whoever knows it in behind their question marks. */
const SECRET_PARTS = [
  /(\w+:\/\/)[^/\s@"]+(@)/g,
  /("(?:accessKeyId|secretAccessKey)"\s*:\s*")(?:[^"\\]|\\.)+(")/g,
  /([?&][\w.-]*(?:token|signature|sig|secret|passw(?:or)?d|credential|key)[\w.-]*=)[^&#\s"]+()/gi,
];

/** An object without what is secret in it: a Secret's values, guests' start-up data, passwords in addresses. */
export function redact(object: unknown): unknown {
  const isSecret = isObject(object) && object.kind === 'Secret';
  return isSecret ? { ...withoutSecrets(object), data: removedValues(object.data) } : visit(object);
}

const visit = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(visit);
  if (typeof value === 'string') return SECRET_PARTS.reduce((text, part) => text.replaceAll(part, '$1…$2'), value);
  return isObject(value) ? withoutSecrets(value) : value;
};

const withoutSecrets = (object: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([name]) => !SECRET_ANNOTATIONS.some((secret) => name.startsWith(secret)))
      .map(([name, value]) => [name, withoutSecret(name, value)]),
  );

function withoutSecret(name: string, value: unknown): unknown {
  if (isSecretField(name, value)) return remove(value);
  if (!VALUE_LISTS.has(name) || !Array.isArray(value)) return visit(value);
  return value.map((each: unknown) =>
    isObject(each) && typeof each.value === 'string'
      ? { ...withoutSecrets(each), value: remove(each.value) }
      : visit(each),
  );
}

const isSecretField = (name: string, value: unknown): boolean =>
  (SECRET_FIELDS.has(name) && (typeof value === 'string' || name === 'stringData')) ||
  (SECRET_LISTS.has(name) && Array.isArray(value));

const remove = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(remove);
  return isObject(value) ? removedValues(value) : `<${String(value).length} characters removed>`;
};

const removedValues = (values: unknown): Record<string, string> =>
  Object.fromEntries(Object.keys(isObject(values) ? values : {}).map((name) => [name, '<removed>']));
