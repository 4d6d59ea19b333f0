import { badRequest } from '@vireo/api';
import { parseDuration } from '@vireo/api/duration.ts';
import type { ApiRequest } from '@vireo/kube';
import type { AdmissionSubject } from '../admission/chain.ts';
import type { VerbContext } from '../core.ts';
import type { DeleteOptions } from './deleteOptions.ts';

/** How long a write may take altogether, as in Kubernetes, unless the client asks for less. */
const MAX_WRITE_MS = 34_000;

type Common = Pick<AdmissionSubject, 'kind' | 'subresource' | 'user' | 'deadline' | 'signal'>;

/** What admission is told of every write. */
export const subjectOf = ({ resource, info, request }: VerbContext): Common => ({
  kind: resource.kind,
  subresource: info.subresource,
  user: request.user,
  deadline: deadlineOf(request),
  signal: request.signal,
});

const deadlines = new WeakMap<ApiRequest, number>();

/** One for the whole request, however often its change is worked out again. */
function deadlineOf(request: ApiRequest): number {
  const known = deadlines.get(request);
  if (known !== undefined) return known;
  const deadline = Date.now() + Math.min(timeoutOf(request.query.get('timeout')), MAX_WRITE_MS);
  deadlines.set(request, deadline);
  return deadline;
}

/** The client's own limit in milliseconds; 0 and no text set none. */
function timeoutOf(text: string | null): number {
  const ms = parseDuration(text || '0');
  if (ms === undefined || ms < 0)
    throw badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}`);
  return ms || Number.POSITIVE_INFINITY;
}

/** The options of a create or an update as admission shows them: what the client set. */
export function sentOptions(query: URLSearchParams): Record<string, unknown> {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const [fieldManager, fieldValidation] = [query.get('fieldManager'), query.get('fieldValidation')];
  return {
    ...(dryRun.length > 0 && { dryRun }),
    ...(fieldManager && { fieldManager }),
    ...(fieldValidation && { fieldValidation }),
  };
}

/** The options of a delete as admission shows them. */
export const shownDeleteOptions = ({ dryRun, ...options }: DeleteOptions): Record<string, unknown> => ({
  ...options,
  ...(dryRun && { dryRun: ['All'] }),
});
