import { isObject } from '@vireo/api/json.ts';
import type { UserInfo } from '@vireo/kube';
import type { Expression } from '../../admission/expressions/expression.ts';
import type { ClaimOrExpression, JwtConfiguration, PrefixedClaim } from './config.ts';
import { compileClaims, compileUser, evaluate, type ResultKind } from './expressions.ts';

type Claims = Readonly<Record<string, unknown>>;
type Read<T> = (claims: Claims) => T;

/** Turns the claims of a genuine token into a user. Throws an Error that says why they are no user. */
export type UserOf = Read<UserInfo>;

/** The rules and mappings of one provider, compiled. */
export function userMapping(jwt: JwtConfiguration): UserOf {
  const { username, groups, uid, extra = [] } = jwt.claimMappings;
  const claimRules = (jwt.claimValidationRules ?? []).map(claimRule);
  const userRules = (jwt.userValidationRules ?? []).map(({ expression, message }) => {
    const compiled = compileUser(expression);
    return { compiled, message: message || `rule '${expression}' does not hold` };
  });
  const usernameOf = textReader(username, 'username');
  const groupsOf = textsReader(groups);
  const uidOf = uid?.claim || uid?.expression ? textReader(uid, 'uid') : () => '';
  const extras = extra.map(({ key, valueExpression }) => {
    const compiled = compileClaims(valueExpression, 'texts');
    return [key, (claims: Claims) => textsOf(evaluate(compiled, 'claims', claims), `extra ${key}`)] as const;
  });
  return (claims) => {
    for (const check of claimRules) check(claims);
    const user = {
      username: usernameOf(claims),
      uid: uidOf(claims),
      groups: groupsOf(claims),
      extra: Object.fromEntries(
        extras.map(([key, read]) => [key, read(claims)] as const).filter(([, values]) => values.length > 0),
      ),
    };
    if (user.username === '') throw new Error('the username is empty');
    for (const { compiled, message } of userRules)
      if (evaluate(compiled, 'user', user) !== true)
        throw new Error(`error evaluating user info validation rule: validation expression failed: ${message}`);
    return {
      username: user.username,
      ...(user.uid && { uid: user.uid }),
      groups: [...new Set([...user.groups, 'system:authenticated'])],
      ...(Object.keys(user.extra).length > 0 && { extra: user.extra }),
    };
  };
}

type ClaimRule = NonNullable<JwtConfiguration['claimValidationRules']>[number];

function claimRule({ claim = '', requiredValue = '', expression, message }: ClaimRule): (claims: Claims) => void {
  if (expression === undefined || expression === '')
    return (claims) => {
      if (claims[claim] === undefined) throw new Error(`required claim ${claim} not present in ID token`);
      if (claims[claim] !== requiredValue)
        throw new Error(
          `required claim ${claim} value does not match. Got = ${JSON.stringify(claims[claim])}, want = ${requiredValue}`,
        );
    };
  const compiled = compileClaims(expression, 'bool');
  return (claims) => {
    if (evaluate(compiled, 'claims', claims) !== true)
      throw new Error(`validation expression '${expression}' failed: ${message || 'it does not hold'}`);
  };
}

/** The value of a mapping, not yet of any particular type. */
function reader({ claim = '', expression }: ClaimOrExpression, kind: ResultKind): Read<unknown> {
  if (claim) return (claims) => claims[claim];
  const compiled: Expression = compileClaims(expression ?? '', kind);
  return (claims) => evaluate(compiled, 'claims', claims);
}

function textReader(mapping: PrefixedClaim, what: string): Read<string> {
  const read = reader(mapping, 'text');
  return (claims) => {
    // An address that its owner has not shown to be theirs could be anybody's.
    if (mapping.claim === 'email' && 'email_verified' in claims && claims.email_verified !== true)
      throw new Error('email not verified');
    const value = read(claims);
    if (typeof value !== 'string') throw new Error(`could not get ${what}: ${problemOf(mapping, value)}`);
    return `${mapping.prefix ?? ''}${value}`;
  };
}

const problemOf = ({ claim, expression }: ClaimOrExpression, value: unknown): string =>
  claim
    ? value === undefined
      ? `claim ${JSON.stringify(claim)} not present`
      : `claim ${JSON.stringify(claim)} is not a string`
    : `expression '${expression}' must return a string`;

function textsReader(mapping: PrefixedClaim | undefined): Read<string[]> {
  if (!mapping?.claim && !mapping?.expression) return () => [];
  const read = reader(mapping, 'texts');
  return (claims) => textsOf(read(claims), 'groups').map((group) => `${mapping.prefix ?? ''}${group}`);
}

/** A string is a list of one; null, nothing and '' are none. */
function textsOf(value: unknown, what: string): string[] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new Error(
    `could not get ${what}: must be a string or a list of strings${isObject(value) ? ', not an object' : ''}`,
  );
}
