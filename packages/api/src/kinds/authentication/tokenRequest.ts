import { objectFields } from '../../meta.ts';
import { type Infer, int64, list, opt, string, struct, time } from '../../schema.ts';

export const BoundObjectReference = struct(
  'io.k8s.api.authentication.v1.BoundObjectReference',
  'The object that a token ends with.',
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
  'What the token should be good for.',
  {
    audiences: opt(1, list(string, 'atomic'), 'Who it is for.'),
    boundObjectRef: opt(3, BoundObjectReference, 'The token ends with this object.'),
    expirationSeconds: opt(4, int64, { default: 3600, pointer: true, doc: 'How long it should last.' }),
  },
);
export interface TokenRequestSpec extends Infer<typeof TokenRequestSpec> {}

export const TokenRequestStatus = struct('io.k8s.api.authentication.v1.TokenRequestStatus', 'The token.', {
  expirationTimestamp: opt(2, time, 'When it ends.'),
  token: opt(1, string, 'The token.'),
});
export interface TokenRequestStatus extends Infer<typeof TokenRequestStatus> {}

export const TokenRequestSchema = struct(
  'io.k8s.api.authentication.v1.TokenRequest',
  'Asks for a token of a service account.',
  {
    ...objectFields,
    spec: opt(2, TokenRequestSpec, 'Desired state of the TokenRequest.'),
    status: opt(3, TokenRequestStatus, 'Observed state of the TokenRequest. The system writes it.'),
  },
);
export interface TokenRequest extends Infer<typeof TokenRequestSchema> {}
