import { X509Certificate } from 'node:crypto';
import { type FieldError, field } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { ClaimOrExpression, JwtConfiguration, PrefixedClaim } from './config.ts';
import { compileClaims, compileUser, type ResultKind } from './expressions.ts';

const MAX_ISSUERS = 64;

/** The fields of each part; anything else is a mistake that would otherwise go unnoticed. */
const SHAPES = {
  document: ['apiVersion', 'kind', 'jwt'],
  jwt: ['issuer', 'claimValidationRules', 'claimMappings', 'userValidationRules'],
  issuer: ['url', 'discoveryURL', 'certificateAuthority', 'audiences', 'audienceMatchPolicy'],
  claimRule: ['claim', 'requiredValue', 'expression', 'message'],
  mappings: ['username', 'groups', 'uid', 'extra'],
  prefixed: ['claim', 'prefix', 'expression'],
  uid: ['claim', 'expression'],
  extra: ['key', 'valueExpression'],
  userRule: ['expression', 'message'],
} as const;

/** Everything that is wrong with a configuration, as `path: problem`. */
export function checkConfiguration(document: Record<string, unknown>, ownIssuer: string): string[] {
  const shape = shapeProblems(document);
  if (shape.length > 0) return shape;
  const jwt = (document.jwt ?? []) as readonly JwtConfiguration[];
  const errors = [
    ...(jwt.length > MAX_ISSUERS ? [field.invalid('jwt', jwt.length, `must have at most ${MAX_ISSUERS} items`)] : []),
    ...jwt.flatMap((each, index) => checkJwt(each, `jwt[${index}]`, ownIssuer)),
    ...repeated(jwt, ({ issuer }) => issuer.url, 'issuer.url'),
    ...repeated(jwt, ({ issuer }) => issuer.discoveryURL, 'issuer.discoveryURL'),
  ];
  return errors.map((error) => `${error.field}: ${error.text}`);
}

function repeated(
  jwt: readonly JwtConfiguration[],
  textOf: (each: JwtConfiguration) => string | undefined,
  path: string,
): FieldError[] {
  const texts = jwt.map(textOf);
  return texts.flatMap((text, index) =>
    text && texts.indexOf(text) < index ? [field.duplicate(`jwt[${index}].${path}`, text)] : [],
  );
}

type Type = 'text' | 'texts' | { readonly shape: keyof typeof SHAPES; readonly isList?: true };

const TYPES: Readonly<Record<string, Type>> = {
  jwt: { shape: 'jwt', isList: true },
  issuer: { shape: 'issuer' },
  audiences: 'texts',
  claimValidationRules: { shape: 'claimRule', isList: true },
  claimMappings: { shape: 'mappings' },
  username: { shape: 'prefixed' },
  groups: { shape: 'prefixed' },
  uid: { shape: 'uid' },
  extra: { shape: 'extra', isList: true },
  userValidationRules: { shape: 'userRule', isList: true },
};

/** Fields that nobody knows, and values of another type than their field's. */
function shapeProblems(value: unknown, path = '', type: Type = { shape: 'document' }): string[] {
  if (type === 'text') return typeof value === 'string' ? [] : [`${path}: must be a string`];
  if (type === 'texts')
    return Array.isArray(value) && value.every((each) => typeof each === 'string')
      ? []
      : [`${path}: must be a list of strings`];
  if (type.isList)
    return Array.isArray(value)
      ? value.flatMap((each, index) => shapeProblems(each, `${path}[${index}]`, { shape: type.shape }))
      : [`${path}: must be a list`];
  if (!isObject(value)) return [`${path}: must be an object`];
  const known: readonly string[] = SHAPES[type.shape];
  return Object.entries(value).flatMap(([key, each]) => {
    const at = path ? `${path}.${key}` : key;
    if (!known.includes(key)) return [`${at}: unknown field`];
    return each === null || each === undefined ? [] : shapeProblems(each, at, TYPES[key] ?? 'text');
  });
}

function checkJwt(jwt: JwtConfiguration, path: string, ownIssuer: string): FieldError[] {
  const mappings = jwt.claimMappings ?? {};
  return [
    ...checkIssuer(jwt.issuer ?? {}, `${path}.issuer`, ownIssuer),
    ...(jwt.claimValidationRules ?? []).flatMap((rule, index) =>
      checkClaimRule(rule, `${path}.claimValidationRules[${index}]`),
    ),
    ...checkPrefixed(mappings.username, `${path}.claimMappings.username`, 'text', true),
    ...checkPrefixed(mappings.groups, `${path}.claimMappings.groups`, 'texts', false),
    ...checkValue(mappings.uid, `${path}.claimMappings.uid`, 'text', false),
    ...(mappings.extra ?? []).flatMap(({ key, valueExpression }, index) => {
      const at = `${path}.claimMappings.extra[${index}]`;
      return [
        ...checkExtraKey(key, `${at}.key`),
        ...checkExpression(valueExpression, `${at}.valueExpression`, 'texts'),
      ];
    }),
    ...checkVerifiedEmail(jwt, `${path}.claimMappings.username.expression`),
    ...(jwt.userValidationRules ?? []).flatMap(({ expression }, index) => {
      const at = `${path}.userValidationRules[${index}].expression`;
      if (!expression) return [field.required(at, 'expression is required')];
      const { error } = compileUser(expression);
      return error ? [field.invalid(at, expression, error)] : [];
    }),
  ];
}

type Issuer = Partial<JwtConfiguration['issuer']>;

function checkIssuer(issuer: Issuer, path: string, ownIssuer: string): FieldError[] {
  const { url, discoveryURL, certificateAuthority, audiences = [], audienceMatchPolicy = '' } = issuer;
  const isAny = audienceMatchPolicy === 'MatchAny';
  return [
    ...(url ? checkUrl(url, `${path}.url`) : [field.required(`${path}.url`, 'URL is required')]),
    ...(url === ownIssuer
      ? [field.invalid(`${path}.url`, url, `URL must not overlap with disallowed issuers: [${ownIssuer}]`)]
      : []),
    ...(discoveryURL ? checkUrl(discoveryURL, `${path}.discoveryURL`) : []),
    ...(discoveryURL && url && discoveryURL.replace(/\/+$/, '') === url.replace(/\/+$/, '')
      ? [field.invalid(`${path}.discoveryURL`, discoveryURL, 'discoveryURL must be different from URL')]
      : []),
    ...(certificateAuthority ? checkAuthority(certificateAuthority, `${path}.certificateAuthority`) : []),
    ...(audiences.length === 0
      ? [field.required(`${path}.audiences`, 'at least one jwt.issuer.audiences is required')]
      : []),
    ...audiences.flatMap((audience, index) => {
      if (audience === '') return [field.required(`${path}.audiences[${index}]`, "audience can't be empty")];
      return audiences.indexOf(audience) < index ? [field.duplicate(`${path}.audiences[${index}]`, audience)] : [];
    }),
    ...(audiences.length > 1 && !isAny
      ? [
          field.invalid(
            `${path}.audienceMatchPolicy`,
            audienceMatchPolicy,
            'audienceMatchPolicy must be MatchAny for multiple audiences',
          ),
        ]
      : []),
    ...(audiences.length === 1 && !isAny && audienceMatchPolicy !== ''
      ? [
          field.invalid(
            `${path}.audienceMatchPolicy`,
            audienceMatchPolicy,
            'audienceMatchPolicy must be empty or MatchAny for single audience',
          ),
        ]
      : []),
  ];
}

function checkUrl(text: string, path: string): FieldError[] {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return [field.invalid(path, text, 'URL must be a valid URL')];
  }
  const problems = [
    ...(url.protocol === 'https:' ? [] : ['URL scheme must be https']),
    ...(url.username || url.password ? ['URL must not contain a username or password'] : []),
    ...(url.search ? ['URL must not contain a query'] : []),
    ...(url.hash ? ['URL must not contain a fragment'] : []),
  ];
  return problems.map((problem) => field.invalid(path, text, problem));
}

function checkAuthority(pem: string, path: string): FieldError[] {
  try {
    new X509Certificate(pem);
    return [];
  } catch {
    return [field.invalid(path, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates')];
  }
}

type ClaimRule = NonNullable<JwtConfiguration['claimValidationRules']>[number];

function checkClaimRule({ claim, requiredValue, expression, message }: ClaimRule, path: string): FieldError[] {
  if (claim && expression) return [field.invalid(path, claim, "claim and expression can't both be set")];
  if (!claim && !expression) return [field.required(path, 'claim or expression is required')];
  if (claim) {
    return message ? [field.invalid(`${path}.message`, message, "message can't be set when claim is set")] : [];
  }
  if (requiredValue)
    return [field.invalid(`${path}.requiredValue`, requiredValue, "requiredValue can't be set when expression is set")];
  return checkExpression(expression, `${path}.expression`, 'bool');
}

function checkValue(
  mapping: ClaimOrExpression | undefined,
  path: string,
  kind: ResultKind,
  isRequired: boolean,
): FieldError[] {
  const { claim, expression } = mapping ?? {};
  if (claim && expression) return [field.invalid(path, '', "claim and expression can't both be set")];
  if (expression) return checkExpression(expression, `${path}.expression`, kind);
  return isRequired && !claim ? [field.required(path, 'claim or expression is required')] : [];
}

function checkPrefixed(
  mapping: PrefixedClaim | undefined,
  path: string,
  kind: ResultKind,
  isRequired: boolean,
): FieldError[] {
  const { claim, expression, prefix } = mapping ?? {};
  const [hasPrefix, at] = [prefix !== undefined && prefix !== null, `${path}.prefix`];
  const detail = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing';
  return [
    ...checkValue(mapping, path, kind, isRequired),
    ...(claim && !expression && !hasPrefix ? [field.required(at, detail)] : []),
    ...(expression && !claim && hasPrefix
      ? [field.invalid(at, prefix, "prefix can't be set when expression is set")]
      : []),
    ...(!claim && !expression && hasPrefix ? [field.invalid(at, prefix, 'non-empty prefix without claim')] : []),
  ];
}

function checkExpression(expression: string | undefined, path: string, kind: ResultKind): FieldError[] {
  if (!expression) return [field.required(path, 'expression is required')];
  const { error } = compileClaims(expression, kind);
  return error ? [field.invalid(path, expression, error)] : [];
}

const EXTRA_KEY = /^([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)\/[-a-z0-9._~!$&'()*+,;=:@%/]+$/;

function checkExtraKey(key: string | undefined, path: string): FieldError[] {
  if (!key) return [field.required(path)];
  const domain = EXTRA_KEY.exec(key)?.[1];
  if (domain === undefined)
    return [field.invalid(path, key, 'must be a domain-prefixed path (such as "acme.io/foo"), in lower case')];
  const isReserved = ['kubernetes.io', 'k8s.io'].some((own) => domain === own || domain.endsWith(`.${own}`));
  return isReserved
    ? [field.invalid(path, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use')]
    : [];
}

/** An address that nobody has verified is no name: whoever uses it by expression looks at email_verified as well. */
function checkVerifiedEmail(
  { claimMappings, claimValidationRules = [] }: JwtConfiguration,
  path: string,
): FieldError[] {
  const expression = claimMappings?.username?.expression;
  if (!expression || !/\bclaims\.email\b(?!_)/.test(expression)) return [];
  const others = [
    expression,
    ...(claimMappings.extra ?? []).map(({ valueExpression }) => valueExpression),
    ...claimValidationRules.map((rule) => rule.expression),
  ];
  if (others.some((each) => each?.includes('claims.email_verified'))) return [];
  return [
    field.invalid(
      path,
      expression,
      'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
    ),
  ];
}
