import { objectFields } from '../../meta.ts';
import { type Infer, int64, list, opt, string, struct, time } from '../../schema.ts';

export const BoundObjectReference = struct('io.k8s.api.authentication.v1.BoundObjectReference', '', {
  apiVersion: opt(2, string),
  kind: opt(1, string),
  name: opt(3, string),
  uid: opt(4, string),
});
export interface BoundObjectReference extends Infer<typeof BoundObjectReference> {}

export const TokenRequestSpec = struct('io.k8s.api.authentication.v1.TokenRequestSpec', '', {
  audiences: opt(1, list(string, 'atomic')),
  boundObjectRef: opt(3, BoundObjectReference),
  expirationSeconds: opt(4, int64, { default: 3600 }),
});
export interface TokenRequestSpec extends Infer<typeof TokenRequestSpec> {}

export const TokenRequestStatus = struct('io.k8s.api.authentication.v1.TokenRequestStatus', '', {
  expirationTimestamp: opt(2, time),
  token: opt(1, string),
});
export interface TokenRequestStatus extends Infer<typeof TokenRequestStatus> {}

export const TokenRequestSchema = struct('io.k8s.api.authentication.v1.TokenRequest', '', {
  ...objectFields,
  spec: opt(2, TokenRequestSpec),
  status: opt(3, TokenRequestStatus),
});
export interface TokenRequest extends Infer<typeof TokenRequestSchema> {}
