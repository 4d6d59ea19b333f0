import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { UserInfo } from './userInfo.ts';

export const TokenReviewSpec = struct('io.k8s.api.authentication.v1.TokenReviewSpec', 'The token in question.', {
  audiences: opt(2, list(string, 'atomic'), 'Who the token should be for.'),
  token: req(1, string, 'The token.'),
});
export interface TokenReviewSpec extends Infer<typeof TokenReviewSpec> {}

export const TokenReviewStatus = struct('io.k8s.api.authentication.v1.TokenReviewStatus', 'Whose token it is.', {
  audiences: opt(4, list(string, 'atomic'), 'Which of the audiences it is for.'),
  authenticated: opt(1, boolean, 'Whether it is good.'),
  error: opt(3, string, 'Why it could not be checked.'),
  user: opt(2, UserInfo, 'Who it belongs to.'),
});
export interface TokenReviewStatus extends Infer<typeof TokenReviewStatus> {}

export const TokenReviewSchema = struct('io.k8s.api.authentication.v1.TokenReview', 'Asks whose token this is.', {
  ...objectFields,
  spec: req(2, TokenReviewSpec, 'Desired state of the TokenReview.'),
  status: opt(3, TokenReviewStatus, 'Observed state of the TokenReview. The system writes it.'),
});
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
