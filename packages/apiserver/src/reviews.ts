import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenReview,
  UnknownObject,
} from '@vireo/api';
import type { Authenticator } from './auth/authenticate.ts';
import type { VirtualHandler } from './handler.ts';
import type { Authorizer } from './rbac/authorize.ts';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  tokenReview,
} from './rbac/reviews.ts';

/** The kinds that ask the server a question. Bodies are decoded by their schema, so the types hold. */
export function virtualHandlers(authorizer: Authorizer, authenticator: Authenticator): Map<string, VirtualHandler> {
  const answers: Record<string, (object: never, user: never, namespace: string | undefined) => unknown> = {
    'authorization.k8s.io/SelfSubjectAccessReview': (review: SelfSubjectAccessReview, user) =>
      selfSubjectAccessReview(review, user, authorizer),
    'authorization.k8s.io/SubjectAccessReview': (review: SubjectAccessReview) =>
      subjectAccessReview(review, authorizer),
    'authorization.k8s.io/LocalSubjectAccessReview': (review: LocalSubjectAccessReview, _, namespace) =>
      localSubjectAccessReview(review, namespace ?? '', authorizer),
    'authorization.k8s.io/SelfSubjectRulesReview': (review: SelfSubjectRulesReview, user) =>
      selfSubjectRulesReview(review, user, authorizer),
    'authentication.k8s.io/SelfSubjectReview': (review: SelfSubjectReview, user) => selfSubjectReview(review, user),
    'authentication.k8s.io/TokenReview': (review: TokenReview) => tokenReview(review, authenticator),
  };
  return new Map(
    Object.entries(answers).map(([kind, answer]) => [
      kind,
      (object, user, namespace) => answer(object as never, user as never, namespace) as UnknownObject,
    ]),
  );
}
