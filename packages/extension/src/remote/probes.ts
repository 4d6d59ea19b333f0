import { ApiError } from '@vireo/api';
import {
  type ApiHandler,
  bytesResponse,
  exposition,
  type Metrics,
  type ReviewAccess,
  TEXT_FORMAT,
  textResponse,
} from '@vireo/kube';

/** Paths that supervisors and load balancers ask without credentials. */
export const PROBES: readonly string[] = ['/livez', '/readyz'];

const METRICS = '/metrics';
const COMPONENT = 'virt-api';

export interface ProbeParts {
  /** Whether API servers are led here. */
  readonly isReady: () => boolean;
  readonly metrics: Metrics;
  readonly review: ReviewAccess;
}

/** Answers what is asked about the instance itself: whether it lives and is ready, and for those who may, its metrics. */
export const withProbes =
  (handle: ApiHandler, { isReady, metrics, review }: ProbeParts): ApiHandler =>
  async (request) => {
    const { path, user } = request;
    if (path === '/livez') return textResponse('ok');
    if (path === '/readyz') return isReady() ? textResponse('ok') : textResponse('starting or stopping\n', 503);
    if (path !== METRICS) return handle(request);
    const { allowed } = await review(user, { nonResourceAttributes: { path, verb: 'get' } });
    if (!allowed)
      throw new ApiError('Forbidden', `forbidden: User ${JSON.stringify(user.username)} cannot get path "${path}"`);
    return bytesResponse(Buffer.from(await exposition(new Map([[COMPONENT, metrics]]))), TEXT_FORMAT);
  };
