import { badRequest, type FieldError, field, invalid } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { ApiRequest } from '@vireo/kube';
import { isTrue } from '../requestInfo.ts';
import { parseDeleteOptionsBody } from './draft.ts';
import { dryRunErrors } from './options.ts';

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun: boolean;
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

/** From the body where there is one, else from the query, as Kubernetes reads them. */
export async function readDeleteOptions(request: ApiRequest): Promise<DeleteOptions> {
  const body = await request.body();
  const sent = body ? parseDeleteOptionsBody(body) : fromQuery(request.query);
  const dryRun = [...request.query.getAll('dryRun'), ...(Array.isArray(sent.dryRun) ? sent.dryRun : [])].filter(
    Boolean,
  );
  return checkedDeleteOptions({ ...sent, dryRun });
}

function fromQuery(query: URLSearchParams): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  const grace = query.get('gracePeriodSeconds');
  if (grace) sent.gracePeriodSeconds = Number(grace);
  const policy = query.get('propagationPolicy');
  if (policy) sent.propagationPolicy = policy;
  const orphan = query.get('orphanDependents');
  if (orphan) sent.orphanDependents = isTrue(orphan);
  return sent;
}

/** Options from a client, each of the right type and value. */
export function checkedDeleteOptions(sent: Record<string, unknown>): DeleteOptions {
  const errors: FieldError[] = [];
  const { gracePeriodSeconds: grace, propagationPolicy: policy, orphanDependents: orphan, preconditions } = sent;
  const dryRun = Array.isArray(sent.dryRun) ? sent.dryRun : [];
  if (grace !== undefined && grace !== null && !Number.isSafeInteger(grace))
    throw badRequest(`gracePeriodSeconds must be a whole number, not ${JSON.stringify(grace)}`);
  if (policy && orphan !== undefined && orphan !== null)
    errors.push(
      field.invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  if (policy !== undefined && policy !== null && !POLICIES.includes(policy as string))
    errors.push(field.notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  errors.push(...dryRunErrors(dryRun));
  if (errors.length > 0) throw invalid('meta.k8s.io', 'DeleteOptions', '', errors);
  return {
    // A negative grace period means "as soon as possible", which is one second.
    ...(typeof grace === 'number' && { gracePeriodSeconds: grace < 0 ? 1 : grace }),
    ...(typeof policy === 'string' && { propagationPolicy: policy as 'Orphan' | 'Background' | 'Foreground' }),
    ...(typeof orphan === 'boolean' && { orphanDependents: orphan }),
    ...(isObject(preconditions) && { preconditions: preconditions as { uid?: string; resourceVersion?: string } }),
    dryRun: dryRun.length > 0,
  };
}
