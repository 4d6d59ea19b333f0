import type {
  KubeObject,
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenReview,
  UnknownObject,
} from '@vireo/api';
import type { UserInfo } from '@vireo/kube';
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

type Review<T> = (object: T, user: UserInfo, namespace: string | undefined) => T | Promise<T>;

/** A review with an empty spec where none was sent: so Go reads a struct that is missing, and answers what is wrong. */
const reviewHandler =
  <T extends KubeObject & { spec: object }>(review: Review<T>): VirtualHandler =>
  async (object, user, namespace) => {
    const answered = await review({ ...object, spec: object.spec ?? {} } as KubeObject as T, user, namespace);
    return answered as KubeObject as UnknownObject;
  };

/** The kinds that ask the server a question. Bodies are decoded by their schema, so the types of what is there hold. */
export function virtualHandlers(authorizer: Authorizer, authenticator: Authenticator): Map<string, VirtualHandler> {
  return new Map<string, VirtualHandler>([
    [
      'authorization.k8s.io/SelfSubjectAccessReview',
      reviewHandler<SelfSubjectAccessReview>((review, user) => selfSubjectAccessReview(review, user, authorizer)),
    ],
    [
      'authorization.k8s.io/SubjectAccessReview',
      reviewHandler<SubjectAccessReview>((review) => subjectAccessReview(review, authorizer)),
    ],
    [
      'authorization.k8s.io/LocalSubjectAccessReview',
      reviewHandler<LocalSubjectAccessReview>((review, _, namespace) =>
        localSubjectAccessReview(review, namespace ?? '', authorizer),
      ),
    ],
    [
      'authorization.k8s.io/SelfSubjectRulesReview',
      reviewHandler<SelfSubjectRulesReview>((review, user) => selfSubjectRulesReview(review, user, authorizer)),
    ],
    [
      'authentication.k8s.io/SelfSubjectReview',
      (review, user) =>
        selfSubjectReview(review as KubeObject as SelfSubjectReview, user) as KubeObject as UnknownObject,
    ],
    ['authentication.k8s.io/TokenReview', reviewHandler<TokenReview>((review) => tokenReview(review, authenticator))],
  ]);
}
