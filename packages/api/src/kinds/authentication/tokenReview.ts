import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { UserInfo } from './userInfo.ts';

export const TokenReviewSpec = struct('io.k8s.api.authentication.v1.TokenReviewSpec', '', {
  audiences: opt(2, list(string, 'atomic')),
  token: req(1, string),
});
export interface TokenReviewSpec extends Infer<typeof TokenReviewSpec> {}

export const TokenReviewStatus = struct('io.k8s.api.authentication.v1.TokenReviewStatus', '', {
  audiences: opt(4, list(string, 'atomic')),
  authenticated: opt(1, boolean),
  error: opt(3, string),
  user: opt(2, UserInfo),
});
export interface TokenReviewStatus extends Infer<typeof TokenReviewStatus> {}

export const TokenReviewSchema = struct('io.k8s.api.authentication.v1.TokenReview', '', {
  ...objectFields,
  spec: req(2, TokenReviewSpec),
  status: opt(3, TokenReviewStatus),
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
