import { ApiError, SubjectAccessReview, TokenReview, unauthorized } from '@vireo/api';
import type { Client } from '@vireo/kube';

const PATH = '/metrics';

/** Throws unless the bearer token of a request belongs to somebody who may `get` the path `/metrics`. */
export async function requireMetricsReader(client: Client, authorization: string | undefined): Promise<void> {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (!token) throw unauthorized('a bearer token is required');
  const { status: review } = await client.of(TokenReview).create({ metadata: {}, spec: { token } });
  const { user } = review ?? {};
  if (!review?.authenticated || !user?.username) throw unauthorized(review?.error || 'the token is not valid');
  const { username, uid, groups = [], extra } = user;
  const { status: access } = await client.of(SubjectAccessReview).create({
    metadata: {},
    spec: {
      user: username,
      ...(uid && { uid }),
      groups,
      ...(extra && { extra }),
      nonResourceAttributes: { path: PATH, verb: 'get' },
    },
  });
  if (!access?.allowed)
    throw new ApiError('Forbidden', `forbidden: User ${JSON.stringify(username)} cannot get path "${PATH}"`);
}
