import { objectFields } from '../../meta.ts';
import { type Infer, int64, list, opt, string, struct, time } from '../../schema.ts';

export const BoundObjectReference = struct(
  'io.k8s.api.authentication.v1.BoundObjectReference',
  'Object whose deletion invalidates the token.',
  {
    apiVersion: opt(2, string, 'Group and version of the object.'),
    kind: opt(1, string, 'Kind of the object.'),
    name: opt(3, string, 'Name of the object.'),
    uid: opt(4, string, 'UID of the object.'),
  },
);
export interface BoundObjectReference extends Infer<typeof BoundObjectReference> {}

export const TokenRequestSpec = struct(
  'io.k8s.api.authentication.v1.TokenRequestSpec',
  'Audience, lifetime and binding of the token.',
  {
    audiences: opt(1, list(string, 'atomic'), 'Audiences that the token is meant for.'),
    boundObjectRef: opt(3, BoundObjectReference, 'The token ends with this object.'),
    expirationSeconds: opt(4, int64, { default: 3600, pointer: true, doc: 'How long it should last.' }),
  },
);
export interface TokenRequestSpec extends Infer<typeof TokenRequestSpec> {}

export const TokenRequestStatus = struct(
  'io.k8s.api.authentication.v1.TokenRequestStatus',
  'The token that was issued.',
  {
    expirationTimestamp: opt(2, time, 'Time at which the token expires.'),
    token: opt(1, string, 'The token to authenticate with.'),
  },
);
export interface TokenRequestStatus extends Infer<typeof TokenRequestStatus> {}

export const TokenRequestSchema = struct(
  'io.k8s.api.authentication.v1.TokenRequest',
  'Requests a token for a service account.',
  {
    ...objectFields,
    spec: opt(2, TokenRequestSpec, 'Audience, lifetime and binding of the token.'),
    status: opt(3, TokenRequestStatus, 'Observed state of the TokenRequest. The system writes it.'),
  },
);
export interface TokenRequest extends Infer<typeof TokenRequestSchema> {}
