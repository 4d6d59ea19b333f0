import { ApiError, unauthorized } from '@vireo/api';
import { bearerTokenOf, type Client, cachedAccessReviews, cachedTokenReviews } from '@vireo/kube';

const PATH = '/metrics';

/** Throws unless the header `Authorization` of a request is of somebody who may `get` the path `/metrics`. */
type RequireMetricsReader = (authorization: string | undefined) => Promise<void>;

/** Has the cluster say whose token it is, and what that user may. */
export function metricsReaders(client: Client): RequireMetricsReader {
  const [userOf, review] = [cachedTokenReviews(client), cachedAccessReviews(client)];
  return async (authorization) => {
    const token = bearerTokenOf(authorization);
    if (!token) throw unauthorized('a bearer token is required');
    const user = await userOf(token);
    const { allowed } = await review(user, { nonResourceAttributes: { path: PATH, verb: 'get' } });
    if (!allowed)
      throw new ApiError('Forbidden', `forbidden: User ${JSON.stringify(user.username)} cannot get path "${PATH}"`);
  };
}
