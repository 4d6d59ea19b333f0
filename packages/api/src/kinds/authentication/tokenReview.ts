import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { UserInfo } from './userInfo.ts';

export const TokenReviewSpec = struct('io.k8s.api.authentication.v1.TokenReviewSpec', 'The token to check.', {
  audiences: opt(2, list(string, 'atomic'), 'Audiences that the token must be intended for.'),
  token: req(1, string, 'The token to check.'),
});
export interface TokenReviewSpec extends Infer<typeof TokenReviewSpec> {}

export const TokenReviewStatus = struct('io.k8s.api.authentication.v1.TokenReviewStatus', 'Result of the check.', {
  audiences: opt(4, list(string, 'atomic'), 'Requested audiences that the token is intended for.'),
  authenticated: opt(1, boolean, 'Whether the token is valid.'),
  error: opt(3, string, 'Error that kept the token from being checked.'),
  user: opt(2, UserInfo, 'User that the token belongs to.'),
});
export interface TokenReviewStatus extends Infer<typeof TokenReviewStatus> {}

export const TokenReviewSchema = struct(
  'io.k8s.api.authentication.v1.TokenReview',
  'Checks a token and tells its user.',
  {
    ...objectFields,
    spec: req(2, TokenReviewSpec, 'The token to check.'),
    status: opt(3, TokenReviewStatus, 'Observed state of the TokenReview. The system writes it.'),
  },
);
export interface TokenReview extends Infer<typeof TokenReviewSchema> {}

export const TokenReview = defineKind<TokenReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
  schema: TokenReviewSchema,
  verbs: ['create'],
  status: false,
  generation: false,
  virtual: true,
});
