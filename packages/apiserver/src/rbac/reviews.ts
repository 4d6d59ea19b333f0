import {
  type UserInfo as ApiUserInfo,
  badRequest,
  type FieldError,
  field,
  invalid,
  type KubeObject,
  type LocalSubjectAccessReview,
  type SelfSubjectAccessReview,
  type SelfSubjectReview,
  type SelfSubjectRulesReview,
  type SubjectAccessReview,
  type SubjectAccessReviewStatus,
  type TokenReview,
} from '@vireo/api';
import type { UserInfo } from '@vireo/kube';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Authorizer } from './authorize.ts';
import type { Attributes } from './match.ts';

/*
 * The review kinds: questions that are answered and not stored. Each function takes the decoded object and returns it
 * with its status; a question that cannot be understood is a 400 or 422.
 */

const AUTHORIZATION_GROUP = 'authorization.k8s.io';

/** May the one who asks do this? */
export function selfSubjectAccessReview(
  review: SelfSubjectAccessReview,
  user: UserInfo,
  authorizer: Authorizer,
): SelfSubjectAccessReview {
  refuse(review, [...metadataErrors(review), ...attributesErrors(review.spec)]);
  return { ...review, status: accessStatus(authorizer, user, review.spec) };
}

/** May that user, or a member of those groups, do this? */
export function subjectAccessReview(review: SubjectAccessReview, authorizer: Authorizer): SubjectAccessReview {
  refuse(review, [...metadataErrors(review), ...subjectErrors(review.spec), ...attributesErrors(review.spec)]);
  return { ...review, status: accessStatus(authorizer, subjectOf(review.spec), review.spec) };
}

/** May that user do this in this namespace? Whoever may ask in one namespace learns nothing of others. */
export function localSubjectAccessReview(
  review: LocalSubjectAccessReview,
  namespace: string,
  authorizer: Authorizer,
): LocalSubjectAccessReview {
  const { resourceAttributes, nonResourceAttributes } = review.spec;
  if (review.metadata.namespace !== undefined && review.metadata.namespace !== namespace)
    throw badRequest(
      `metadata.namespace ${review.metadata.namespace} does not match the namespace of the request, ${namespace}`,
    );
  const errors = [...subjectErrors(review.spec), ...attributesErrors(review.spec)];
  if (resourceAttributes && resourceAttributes.namespace !== namespace)
    errors.push(
      field.invalid(
        'spec.resourceAttributes.namespace',
        resourceAttributes.namespace ?? '',
        'must match metadata.namespace',
      ),
    );
  if (nonResourceAttributes)
    errors.push(
      field.invalid('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request'),
    );
  refuse(review, errors);
  return { ...review, status: accessStatus(authorizer, subjectOf(review.spec), review.spec) };
}

/** What all may the one who asks do in a namespace? */
export function selfSubjectRulesReview(
  review: SelfSubjectRulesReview,
  user: UserInfo,
  authorizer: Authorizer,
): SelfSubjectRulesReview {
  const { namespace } = review.spec;
  if (!namespace) throw badRequest('no namespace on request');
  const { rules, problems } = authorizer.rulesFor(user, namespace);
  return {
    ...review,
    status: {
      resourceRules: rules
        .filter((rule) => rule.resources?.length)
        .map(({ verbs, apiGroups, resources, resourceNames }) => ({ verbs, apiGroups, resources, resourceNames })),
      nonResourceRules: rules
        .filter((rule) => rule.nonResourceURLs?.length)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      ...(problems.length > 0 && { evaluationError: problems.join(', ') }),
    },
  };
}

/** Who am I? */
export const selfSubjectReview = (review: SelfSubjectReview, user: UserInfo): SelfSubjectReview => ({
  ...review,
  status: { userInfo: toApi(user) },
});

/** Whose token is this? */
export async function tokenReview(
  review: TokenReview,
  authenticator: Pick<Authenticator, 'authenticateToken'>,
): Promise<TokenReview> {
  const { token, audiences } = review.spec;
  if (!token) throw badRequest('token is required for TokenReview in authentication');
  const outcome = await authenticator.authenticateToken(token, audiences?.length ? audiences : undefined);
  if (!outcome.authenticated)
    return { ...review, status: { user: {}, error: `invalid bearer token: ${outcome.problem}` } };
  return {
    ...review,
    status: { authenticated: true, user: toApi(outcome.user), audiences: [...outcome.audiences] },
  };
}

type AccessSpec = SelfSubjectAccessReview['spec'];
type SubjectSpec = SubjectAccessReview['spec'];

function accessStatus(authorizer: Authorizer, user: UserInfo, spec: AccessSpec): SubjectAccessReviewStatus {
  const { allowed, reason } = authorizer.authorize(attributesOf(user, spec));
  return { allowed, ...(reason && { reason }) };
}

/** Written with stars where the question is about everything: `*` is then matched by the star of a rule alone. */
function attributesOf(user: UserInfo, { resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  if (resourceAttributes) {
    const { verb = '', group, resource, subresource, name, namespace } = resourceAttributes;
    const fieldSelector = selectorText(resourceAttributes.fieldSelector);
    return { user, verb, group, resource, subresource, name, namespace, ...(fieldSelector && { fieldSelector }) };
  }
  return { user, verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' };
}

type AskedSelector = NonNullable<AccessSpec['resourceAttributes']>['fieldSelector'];

/** The selector as a request would send it; requirements that no request can express narrow nothing. */
const selectorText = (selector: AskedSelector): string =>
  selector?.rawSelector ||
  (selector?.requirements ?? [])
    .filter(({ operator, values }) => operator === 'In' && values?.length === 1)
    .map(({ key, values }) => `${key}=${(values?.[0] ?? '').replaceAll(/[\\,=]/g, '\\$&')}`)
    .join(',');

const subjectOf = ({ user = '', uid, groups = [], extra }: SubjectSpec): UserInfo => ({
  username: user,
  groups,
  ...(uid && { uid }),
  ...(extra && { extra }),
});

const toApi = ({ username, uid, groups, extra }: UserInfo): ApiUserInfo => ({
  username,
  ...(uid && { uid }),
  groups: [...groups],
  ...(extra && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
});

function attributesErrors({ resourceAttributes, nonResourceAttributes }: AccessSpec): FieldError[] {
  if (resourceAttributes && nonResourceAttributes)
    return [
      field.invalid(
        'spec.nonResourceAttributes',
        nonResourceAttributes,
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  if (resourceAttributes || nonResourceAttributes) return [];
  return [
    field.invalid(
      'spec.resourceAttributes',
      null,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ];
}

const subjectErrors = ({ user, groups }: SubjectSpec): FieldError[] =>
  user || groups?.length
    ? []
    : [field.invalid('spec.user', user ?? '', 'at least one of user or group must be specified')];

/** A review has no place of its own; a name on it is a misunderstanding. */
const metadataErrors = ({ metadata }: KubeObject): FieldError[] =>
  metadata?.name || metadata?.namespace ? [field.invalid('metadata', metadata, 'must be empty')] : [];

function refuse({ kind }: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(AUTHORIZATION_GROUP, kind, '', errors);
}
